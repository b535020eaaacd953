#pragma once
// Where metrics of GPUs are asked for: Prometheus by its URL, or a Service through the API server.

#include "config/gpu_metrics.hpp"
#include "core/base/result.hpp"
#include "k8s/net/endpoint.hpp"

#include <memory>
#include <string>

namespace gang::app {

struct GpuMetricsSource {
    std::shared_ptr<k8s::Endpoint> endpoint;  ///< nullptr: there is none
    std::string target_prefix;                ///< before /api/v1/query
};

/// Reads the CA's file; the error says which file, and what is wrong with it.
core::Result<GpuMetricsSource> find_gpu_metrics(
    const config::GpuMetrics& config, std::shared_ptr<k8s::Endpoint> api_server);

}  // namespace gang::app
