#pragma once
// WriterParts: one writer put together.
//
//   backlog --take()--> pool: a worker --run/--> sender --> Connection
//      ^                                 |'-- delays: has to wait, the worker goes on with others
//      '------------- finish ------------'
//
// All coroutines and handlers of the writer keep this alive; the parts refer to each other.

#include "k8s/base/time.hpp"
#include "k8s/protocol/write/pod_versions.hpp"
#include "k8s/write/flow_control.hpp"
#include "k8s/write/write_backlog.hpp"
#include "k8s/write/writer_context.hpp"
#include "k8s/write/writer_delays.hpp"
#include "k8s/write/writer_pool.hpp"
#include "k8s/write/writer_sender.hpp"
#include "k8s/write/writer_shutdown.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace k8s {

struct WriterParts : std::enable_shared_from_this<WriterParts> {
    WriterParts(
        boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, WriterOptions options)
        : context(io, std::move(options)),
          backlog(context.options),
          delays(context),
          flow(context),
          pool(*this, std::move(endpoint)),
          sender(context, flow, pool),
          shutdown(context) {}

    WriterContext context;
    WriteBacklog backlog;
    DelayedWrites delays;
    PodVersions versions;
    FlowControl flow;
    WorkerPool pool;
    WriteSender sender;
    WriterShutdown shutdown;
    std::set<std::string> statuses_in_objects;  ///< kinds whose status is no subresource here
    std::uint64_t event_serial = 0;

    /// A worker would find something to do now.
    bool has_work() { return delays.has_due() || backlog.queue().has_work(monotonic_ms()); }
    /// False: too many are delayed already.
    bool delay(WriteUnderWay write, std::int64_t ms) {
        return delays.add(std::move(write), ms, [self = shared_from_this()] { self->pool.wake(); });
    }
    /// An awaited write of the pod was answered.
    void finish_awaited(const std::string& uid) {
        backlog.finish_awaited(uid);
        report_refusals(uid);
    }
    void report_refusals(const std::string& uid) {
        if (context.is_closed()) return;
        for (const auto& answer : backlog.answers().due_refusals(uid)) answer();
    }
    void close_all() {
        shutdown.close(backlog.taken() > 0);
        pool.close();
        delays.cancel();
        if (pool.is_empty()) shutdown.finish();
    }
};

}  // namespace k8s
