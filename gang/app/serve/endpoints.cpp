#include "gang/app/serve/endpoints.hpp"

#include "k8s/base/time.hpp"

#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

/// Metrics walk over all gangs and pods: whoever asks often gets the same text again.
constexpr std::int64_t metrics_kept_ms = 250;

class MetricsCache {
public:
    explicit MetricsCache(std::function<std::string()> from) : from_(std::move(from)) {}

    std::string operator()() {
        const std::int64_t now = k8s::monotonic_ms();
        if (text_.empty() || now - made_ms_ >= metrics_kept_ms) {
            text_ = from_();
            made_ms_ = now;
        }
        return text_;
    }

private:
    std::function<std::string()> from_;
    std::string text_;
    std::int64_t made_ms_ = 0;
};

}  // namespace

void Endpoints::start(const config::Schema& config, ControlSource control, ServedSource served) {
    if (!config.control_listen.empty()) {
        control_ = start_server(
            io_,
            *log_,
            {"control",
             config::parse_private(config.control_listen),
             control_limits(),
             [control = std::move(control)](const HttpAsk& ask) {
                 return control_reply(ask, control);
             }});
    }
    if (!config.server_listen.empty()) {
        served.metrics = MetricsCache(std::move(served.metrics));
        served_ = start_server(
            io_,
            *log_,
            {"health and metrics",
             config::parse_listen(config.server_listen),
             HttpLimits(),
             [served = std::move(served)](const HttpAsk& ask) {
                 return served_reply(ask, served);
             }});
    }
}

std::unique_ptr<HttpServer> start_server(
    boost::asio::io_context& io, const Log& log, ServerPlan plan) {
    const auto& address = plan.address;
    auto started =
        address ? HttpServer::listen(
                      io, *address, plan.limits, std::move(plan.handler), std::move(plan.manners))
                : core::Result<std::unique_ptr<HttpServer>>(address.error());
    return log_start(log, plan.what, address ? config::describe(*address) : "", std::move(started));
}

std::unique_ptr<HttpServer> log_start(
    const Log& log,
    const char* what,
    const std::string& listen,
    core::Result<std::unique_ptr<HttpServer>> started) {
    if (!started) {
        log.write(
            LogLevel::error,
            "not served",
            {{"what", what}, {"listen", listen}, {"why", started.error().message}});
        return nullptr;
    }
    log.write(
        LogLevel::info,
        "serving",
        {{"what", what}, {"listen", listen}, {"port", std::to_string((*started)->port())}});
    return *std::move(started);
}

void Endpoints::stop_control() {
    if (control_) {
        control_->stop();
    }
}

void Endpoints::stop() {
    stop_control();
    if (served_) {
        served_->stop();
    }
}

}  // namespace gang::app
