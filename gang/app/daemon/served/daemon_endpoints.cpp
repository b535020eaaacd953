#include "gang/app/daemon/served/daemon_endpoints.hpp"

#include "gang/app/base/server_name.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/daemon/served/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

Metrics::Identity metrics_identity(const DaemonOptions& options) {
    return {
        std::string(version),
        fmt::format("{}", fmt::join(options.config.scheduler_names(), ",")),
        options.config.leader_election.lease_name,
        server_name(options.endpoint->access())};
}

}  // namespace

DaemonEndpoints::DaemonEndpoints(boost::asio::io_context& io, const DaemonOptions& options)
    : options_(options),
      metrics_(metrics_identity(options)),
      reviewer_(io, options.endpoint),
      control_and_health_(io, options.log),
      api_(io, options.log),
      extender_(io, options.log, &metrics_) {}

void DaemonEndpoints::start(const DaemonView& daemon) {
    ServedSource served{
        [daemon] { return health(daemon); },
        [this, daemon] { return metrics_.text(metrics_view(daemon)); }};
    control_and_health_.start(options_.config, control_source(daemon), std::move(served));
    ApiSource api = api_source(daemon);
    if (!options_.config.api.shows_all_namespaces) {
        api.review = [this](
                         const std::string& token,
                         const std::vector<std::string>& namespaces,
                         Callers::Seen seen) { review(token, namespaces, std::move(seen)); };
    }
    api_.start(std::move(api));
    extender_.start(options_.config.extender, extender_source(daemon));
}

void DaemonEndpoints::review(
    const std::string& token, const std::vector<std::string>& namespaces, Callers::Seen seen) {
    reviewer_.ask(
        token,
        namespaces,
        [this, seen = std::move(seen)](const core::Result<k8s::CallerVerdict>& verdict) {
            if (!verdict) {
                options_.log->write(
                    LogLevel::warning,
                    "cannot ask who a caller is",
                    {{"why", verdict.error().message}});
                seen(core::Error{
                    "the API server does not say who you are: " + verdict.error().message});
            } else if (!verdict->is_known) {
                seen(core::Error{std::string(token_is_nobodys)});
            } else {
                seen(Sight{verdict->may_see_all, verdict->namespaces});
            }
        });
}

void DaemonEndpoints::stop_all_but_health() {
    reviewer_.stop();
    control_and_health_.stop_control();
    api_.stop();
    extender_.stop();
}

}  // namespace gang::app
