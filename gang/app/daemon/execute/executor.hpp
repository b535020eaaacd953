#pragma once
// Carries decisions out: each becomes a request to the API server, and each answer becomes an
// event. One log line per decision. It owns all clients that write to the API server, or read from
// it on demand.
//
//   Binder  ObjectWriter  ObjectReader  CapacityRequester  ExtenderClient  OptionalWatches

#include "gang/app/called/extender_client.hpp"
#include "gang/app/daemon/daemon_options.hpp"
#include "gang/app/daemon/execute/binder.hpp"
#include "gang/app/daemon/execute/capacity_requester.hpp"
#include "gang/app/daemon/execute/object_reader.hpp"
#include "gang/app/daemon/execute/object_writer.hpp"
#include "gang/app/daemon/loop/decision_loop.hpp"
#include "gang/app/daemon/watches/optional_watches.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "k8s/volume/claim_client.hpp"
#include "k8s/write/writer.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace gang::app {

class Executor {
public:
    struct Wiring {
        DecisionLoop* loop = nullptr;        ///< outlives the executor
        OptionalWatches* watches = nullptr;  ///< outlives the executor
        Metrics* metrics = nullptr;          ///< outlives the executor
        std::function<bool()> may_write;     ///< asked right before each write
        /// Of all annotations of a pod: an upper bound.
        std::function<std::size_t(const std::string& pod_uid)> annotation_bytes;
        std::function<void(Event)> answer;  ///< never called from inside carry_out()
        std::function<void(const AnswerExtender&)> answer_extender;
        std::function<void(const std::string&)> step_down;  ///< another scheduler leads; why
    };

    /// `options` outlive it.
    Executor(boost::asio::io_context& io, const DaemonOptions& options, Wiring wiring);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    void carry_out(const Decision& decision);

    /// Nothing is read any more; writes go on.
    void stop_reading();
    k8s::Writer& writer() { return writer_; }
    const k8s::Writer& writer() const { return writer_; }

private:
    void answer_extender(const AnswerExtender& decision);
    void ask_extenders(const AskExtenders& decision);

    const Log* log_;
    Wiring wiring_;
    k8s::Writer writer_;
    k8s::ClaimClient claims_;
    Binder binder_;
    ObjectWriter objects_;
    ObjectReader reader_;
    CapacityRequester capacity_;
    ExtenderClient extenders_;
};

}  // namespace gang::app
