#pragma once
// gpuMetrics: where the metrics of GPUs come from, and what is made of them. Plain values.

#include "core/base/result.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/device/sampled_gpu.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace config {

/// A Service in front of Prometheus, reached through the API server.
struct MetricsService {
    std::string namespace_name;
    std::string name;  ///< empty: none
    std::string port;  ///< name or number; empty: the only one
    bool tls = false;  ///< behind the API server
    friend bool operator==(const MetricsService&, const MetricsService&) = default;
};

struct GpuMetrics {
    std::string url;  ///< of Prometheus, without /api/v1; empty: none
    MetricsService service;
    std::int64_t interval_ms = 5'000;
    std::int64_t stale_after_ms = 15'000;
    std::string bearer_token_file;               ///< sent to `url`
    std::string ca_file;                         ///< trusted for `url`; empty: the system's roots
    std::string node_label = "kubernetes_node";  ///< of the series: the node's name
    core::ModelAliases model_aliases;
    core::GpuWeights weights;
    friend bool operator==(const GpuMetrics&, const GpuMetrics&) = default;

    bool is_on() const { return !url.empty() || !service.name.empty(); }
};

struct MetricsUrl {
    bool tls = false;
    std::string host;  ///< name or address, IPv6 without brackets
    std::uint16_t port = 0;
    std::string path;  ///< empty, or from a slash on, without one at its end
    friend bool operator==(const MetricsUrl&, const MetricsUrl&) = default;
};

/// http(s)://HOST[:PORT][/PATH]; the error says what is expected.
core::Result<MetricsUrl> parse_metrics_url(std::string_view text);

}  // namespace config
