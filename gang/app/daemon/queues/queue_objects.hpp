#pragma once
// Queue objects of Volcano and kube-batch beside the queues of the configuration: what the
// scheduler is told is both together (config/queues/queue_objects.hpp), anew with every change of
// an object. While we lead, what the queues hold is written into the status of Volcano's
// (queue_statuses.hpp), every few seconds.

#include "config/schema.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/daemon/queues/effective_config.hpp"
#include "gang/app/daemon/queues/first_answer.hpp"
#include "gang/app/daemon/queues/queue_statuses.hpp"
#include "gang/queue_view.hpp"
#include "k8s/protocol/write/object_status.hpp"
#include "k8s/queue/queue_object_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gang::app {

class QueueObjects {
public:
    struct Wiring {
        const Log* log = nullptr;              ///< lives as long
        const config::Schema* file = nullptr;  ///< the file's configuration; lives as long
        /// The scheduler is to go by another configuration.
        std::function<void(config::Schema)> tell;
        /// The queues with what they hold, if they are ours to speak of: we lead. Else none.
        std::function<std::vector<QueueView>()> queues;
        std::function<void(
            const k8s::QueueStatusWrite&, std::function<void(const k8s::ObjectStatusResult&)>)>
            write_status;
    };

    QueueObjects(
        boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring);

    /// `known` is called once, later: when it is known which objects there are, or when that takes so
    /// long that nobody should wait for it.
    void start(std::function<void()> known);
    void stop();

    /// The file's configuration may be another one.
    void file_changed() { effective_.refresh(*wiring_.file); }
    /// What the scheduler goes by: the file's configuration with the objects.
    const config::Schema& config() const { return effective_.get(); }

private:
    /// Objects that are not taken are logged, each time they are others.
    config::Schema add_objects(const config::Schema& file);
    void on_change();
    void tell(const std::vector<std::string>& problems);
    void await_statuses();
    void write_statuses();

    Wiring wiring_;
    FirstAnswer first_;
    std::vector<std::string> told_;
    k8s::QueueObjectWatch watch_;
    EffectiveConfig effective_;
    boost::asio::steady_timer status_timer_;
    bool is_status_awaited_ = false;
    QueueStatuses statuses_;
};

}  // namespace gang::app
