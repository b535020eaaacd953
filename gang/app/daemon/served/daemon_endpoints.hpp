#pragma once
// Everything that a daemon serves: the control endpoint, health and metrics, the API with its page,
// and kube-scheduler's extender.

#include "gang/app/api/access/callers.hpp"
#include "gang/app/api/api_endpoint.hpp"
#include "gang/app/daemon/daemon_options.hpp"
#include "gang/app/daemon/served/daemon_view.hpp"
#include "gang/app/extender/extender_endpoint.hpp"
#include "gang/app/serve/endpoints.hpp"
#include "gang/app/serve/metrics.hpp"
#include "k8s/review/caller_reviewer.hpp"

#include <boost/asio/io_context.hpp>

#include <string>
#include <vector>

namespace gang::app {

class DaemonEndpoints {
public:
    /// Nothing is served before start(). `options` outlive it.
    DaemonEndpoints(boost::asio::io_context& io, const DaemonOptions& options);
    DaemonEndpoints(const DaemonEndpoints&) = delete;
    DaemonEndpoints& operator=(const DaemonEndpoints&) = delete;

    void start(const DaemonView& daemon);
    /// Health and metrics are served on: not ready, but alive.
    void stop_all_but_health();
    void stop_health() { control_and_health_.stop(); }

    Metrics& metrics() { return metrics_; }
    ExtenderEndpoint& extender() { return extender_; }

private:
    void review(
        const std::string& token, const std::vector<std::string>& namespaces, Callers::Seen seen);

    const DaemonOptions& options_;
    Metrics metrics_;
    k8s::CallerReviewer reviewer_;
    Endpoints control_and_health_;
    ApiEndpoint api_;
    ExtenderEndpoint extender_;
};

}  // namespace gang::app
