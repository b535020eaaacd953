#pragma once
// Asks Prometheus for the metrics of all GPUs, again and again: two instant queries each time for
// the whole cluster, over one connection of its own. What goes wrong is said, counted, and tried
// again with the next interval.

#include "core/value/device/sampled_gpu.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/metrics/gpu_vectors.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

struct MetricsPollerOptions {
    std::string target_prefix;  ///< before /api/v1/query: of a Service behind the API server
    std::string node_label;
    std::int64_t interval_ms = 5'000;
    std::int64_t call_timeout_ms = 4'000;     ///< of each query, and no longer than an interval
    std::size_t body_max = 32 * 1024 * 1024;  ///< bytes; a longer answer is a failure
    /// On the loop's thread; not after stop(). May not be empty.
    std::function<void(std::vector<core::SampledNode>)> sampled;
    std::function<void(std::string why)> missed;
    NoticeSink notice;
};

struct MetricsPollerStats {
    std::uint64_t polls = 0;      ///< that gave a sample
    std::uint64_t failures = 0;   ///< that gave none
    std::int64_t sampled_ms = 0;  ///< when the last sample came, monotonic; 0: none yet
    std::size_t nodes = 0;        ///< of the last sample
    std::size_t gpus = 0;
    std::vector<GpuModelTotal> models;
    std::size_t left_out = 0;    ///< series that are nobody's GPU
    std::size_t unreadable = 0;  ///< values that are none
};

class MetricsPoller {
public:
    MetricsPoller(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        MetricsPollerOptions options);
    ~MetricsPoller();
    MetricsPoller(const MetricsPoller&) = delete;
    MetricsPoller& operator=(const MetricsPoller&) = delete;

    void start();
    void stop();
    const MetricsPollerStats& stats() const;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
