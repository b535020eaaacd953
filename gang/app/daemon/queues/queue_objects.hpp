#pragma once
// Queue objects of Volcano and kube-batch beside the queues of the configuration: what the
// scheduler is told is both together (config/queues/queue_objects.hpp), anew with every change of
// an object.

#include "config/schema.hpp"
#include "gang/app/base/log.hpp"
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
        const Log* log = nullptr;  ///< lives as long
        /// with() says something else now.
        std::function<void()> changed;
    };

    QueueObjects(
        boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, Wiring wiring);

    /// `known` is called once, later: when it is known which objects there are, or when that takes so
    /// long that nobody should wait for it.
    void start(std::function<void()> known);
    void stop();

    /// The configuration with the objects. Objects that are not taken are logged, each time they
    /// are others.
    config::Schema with(const config::Schema& file);

private:
    void on_change();
    void know();
    void tell(const std::vector<std::string>& problems);

    Wiring wiring_;
    boost::asio::steady_timer patience_;
    std::function<void()> known_;
    std::vector<std::string> told_;
    k8s::QueueObjectWatch watch_;
};

}  // namespace gang::app
