#include "gang/app/daemon/watches/optional_watches.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

using config::LogLevel;

k8s::CsiNodeWatchOptions csi_node_options(const Log* log, DecisionLoop* loop) {
    k8s::CsiNodeWatchOptions out;
    out.listed = [loop](std::vector<core::NodeVolumeLimits> all) {
        loop->push(VolumeLimitsListed{std::move(all)});
    };
    out.changed = [loop](core::NodeVolumeLimits node) {
        loop->push(VolumeLimitsChanged{std::move(node)});
    };
    out.denied = [log, loop](std::string why) {
        log->write(
            LogLevel::warning,
            "volume limits of nodes are not counted: CSINodes cannot be listed",
            {{"why", why}});
        loop->push(VolumeLimitsMissing{std::move(why)});
    };
    out.notice = notice_sink(log, "csi-nodes");
    return out;
}

k8s::StorageWatchOptions storage_options(const Log* log, DecisionLoop* loop) {
    k8s::StorageWatchOptions out;
    out.listed = [loop](std::vector<core::StorageSegment> all) {
        loop->push(StorageListed{std::move(all)});
    };
    out.changed = [loop](core::StorageSegment one) { loop->push(StorageChanged{std::move(one)}); };
    out.denied = [log, loop](std::string why) {
        log->write(
            LogLevel::warning,
            "free storage is not looked at: CSIStorageCapacities cannot be listed",
            {{"why", why}});
        loop->push(StorageMissing{std::move(why)});
    };
    out.notice = notice_sink(log, "storage");
    return out;
}

k8s::NamespaceWatchOptions namespace_options(
    const Log* log, DecisionLoop* loop, FirstAnswer* first) {
    k8s::NamespaceWatchOptions out;
    out.listed = [loop, first](std::vector<core::NamespaceLabels> all) {
        loop->push(NamespacesListed{std::move(all)});
        first->came();
    };
    out.changed = [loop](core::NamespaceLabels one) {
        loop->push(NamespaceChanged{std::move(one)});
    };
    out.deleted = [loop](std::string name) { loop->push(NamespaceDeleted{std::move(name)}); };
    out.denied = [log, loop, first](std::string why) {
        log->write(
            LogLevel::warning,
            "namespaces cannot be listed: what their labels say stays unknown, or as it was",
            {{"why", why}});
        loop->push(NamespacesMissing{std::move(why)});
        first->came();
    };
    out.failed = [loop](std::string why) { loop->push(NamespacesMissing{std::move(why)}); };
    out.notice = notice_sink(log, "namespaces");
    return out;
}

k8s::MetricsPollerOptions poller_options(const DaemonOptions& options, DecisionLoop* loop) {
    k8s::MetricsPollerOptions out;
    out.target_prefix = options.gpu_metrics.target_prefix;
    out.node_label = options.config.gpu_metrics.node_label;
    out.interval_ms = options.config.gpu_metrics.interval_ms;
    out.sampled = [loop](std::vector<core::SampledNode> gpus) {
        loop->push(MetricsSampled{std::move(gpus)});
    };
    out.missed = [loop](std::string why) { loop->push(MetricsMissing{std::move(why)}); };
    out.notice = notice_sink(options.log, "gpu-metrics");
    return out;
}

}  // namespace

OptionalWatches::OptionalWatches(
    boost::asio::io_context& io, const DaemonOptions& options, DecisionLoop* loop)
    : options_(options),
      first_namespaces_(io, options.log, "labels of namespaces"),
      csi_nodes_(io, options.endpoint, csi_node_options(options.log, loop)),
      storage_(io, options.endpoint, storage_options(options.log, loop)),
      namespaces_(io, options.endpoint, namespace_options(options.log, loop, &first_namespaces_)) {
    if (options.gpu_metrics.endpoint != nullptr) {
        gpu_metrics_ = std::make_unique<k8s::MetricsPoller>(
            io, options.gpu_metrics.endpoint, poller_options(options, loop));
    }
}

void OptionalWatches::watch_volume_limits() {
    options_.log->write(LogLevel::info, "watch volume limits");
    csi_nodes_.start();
}

void OptionalWatches::watch_storage() {
    options_.log->write(LogLevel::info, "watch free storage");
    storage_.start();
}

void OptionalWatches::watch_namespaces() {
    options_.log->write(LogLevel::info, "watch namespaces");
    namespaces_.start();
}

void OptionalWatches::await_namespaces(std::function<void()> known) {
    first_namespaces_.await(std::move(known));
    namespaces_.start();
}

void OptionalWatches::poll_gpu_metrics() {
    if (!gpu_metrics_) {
        return;
    }
    if (options_.gpu_metrics.endpoint != options_.endpoint) {
        options_.gpu_metrics.endpoint->set_notice(notice_sink(options_.log, "gpu-metrics"));
    }
    gpu_metrics_->start();
}

void OptionalWatches::stop() {
    csi_nodes_.stop();
    storage_.stop();
    namespaces_.stop();
    first_namespaces_.stop();
    if (gpu_metrics_) {
        gpu_metrics_->stop();
    }
}

}  // namespace gang::app
