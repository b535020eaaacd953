#pragma once
// What is looked at beside pods and nodes, where somebody needs it: volume limits, free storage and
// labels of namespaces when the scheduler asks for them, metrics of GPUs where the configuration
// names a source. What comes becomes events of the decision loop.

#include "gang/app/daemon/daemon_options.hpp"
#include "gang/app/daemon/loop/decision_loop.hpp"
#include "gang/app/daemon/queues/first_answer.hpp"
#include "k8s/metrics/metrics_poller.hpp"
#include "k8s/namespaces/namespace_watch.hpp"
#include "k8s/volume/csi_watch.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>

namespace gang::app {

class OptionalWatches {
public:
    /// Both outlive it.
    OptionalWatches(boost::asio::io_context& io, const DaemonOptions& options, DecisionLoop* loop);
    OptionalWatches(const OptionalWatches&) = delete;
    OptionalWatches& operator=(const OptionalWatches&) = delete;

    // Again they change nothing.
    void watch_volume_limits();
    void watch_storage();
    void watch_namespaces();

    /// Starts watching namespaces; `known` is called once, later: when their labels are known, or
    /// when that takes so long that nobody should wait for it.
    void await_namespaces(std::function<void()> known);

    /// Asks for metrics of GPUs from here on, if there is a source.
    void poll_gpu_metrics();
    /// Nullptr: there is no source.
    const k8s::MetricsPoller* gpu_metrics() const { return gpu_metrics_.get(); }

    void stop();

private:
    const DaemonOptions& options_;
    FirstAnswer first_namespaces_;
    k8s::CsiNodeWatch csi_nodes_;
    k8s::StorageWatch storage_;
    k8s::NamespaceWatch namespaces_;
    std::unique_ptr<k8s::MetricsPoller> gpu_metrics_;
};

}  // namespace gang::app
