#include "gang/app/daemon/gpu_metrics_source.hpp"

#include "k8s/base/small_file.hpp"
#include "k8s/credentials/access.hpp"

#include <utility>

namespace gang::app {

core::Result<GpuMetricsSource> find_gpu_metrics(
    const config::GpuMetrics& config, std::shared_ptr<k8s::Endpoint> api_server) {
    if (!config.is_on()) {
        return GpuMetricsSource{};
    }
    if (config.url.empty()) {
        const config::MetricsService& service = config.service;
        std::string name = (service.tls ? "https:" : "") + service.name;
        if (!service.port.empty() || service.tls) {
            name += ":" + service.port;
        }
        return GpuMetricsSource{
            std::move(api_server),
            "/api/v1/namespaces/" + service.namespace_name + "/services/" + name + "/proxy"};
    }
    const auto url = config::parse_metrics_url(config.url);
    if (!url) {
        return core::Error{"gpuMetrics.url: " + url.error().message};
    }
    k8s::Access access;
    access.tls = url->tls;
    access.host = url->host;
    access.port = url->port;
    access.path_prefix = url->path;
    access.token_file = config.bearer_token_file;
    access.ca_file = config.ca_file;
    if (!access.ca_file.empty()) {
        access.ca_pem = k8s::read_small_file(access.ca_file, k8s::pem_max).value_or("");
        if (access.ca_pem.empty()) {
            return core::Error{"gpuMetrics.caFile: cannot read " + access.ca_file};
        }
    }
    auto endpoint = k8s::Endpoint::make(
        std::move(access), api_server == nullptr ? "gang-scheduler" : api_server->user_agent());
    if (!endpoint) {
        return core::Error{"gpuMetrics: " + endpoint.error().message};
    }
    return GpuMetricsSource{*std::move(endpoint), {}};
}

}  // namespace gang::app
