#pragma once
// What a daemon serves: the private control endpoint, and health and metrics for everybody.

#include "config/schema.hpp"
#include "core/base/result.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/serve/control_http.hpp"
#include "gang/app/serve/http_server.hpp"
#include "gang/app/serve/served_http.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gang::app {

/// A server and what the log calls it.
struct ServerPlan {
    const char* what;
    core::Result<config::ListenAddress> address;
    HttpLimits limits;
    HttpHandler handler;
    HttpManners manners = {};
};

/// Says in the log where it listens, or why it does not; then nullptr.
std::unique_ptr<HttpServer> start_server(
    boost::asio::io_context& io, const Log& log, ServerPlan plan);

/// What start_server() says of a server that was started, or not, in another way.
std::unique_ptr<HttpServer> log_start(
    const Log& log,
    const char* what,
    const std::string& listen,
    core::Result<std::unique_ptr<HttpServer>> started);

class Endpoints {
public:
    /// `log` must outlive this. Nothing is served before start().
    Endpoints(boost::asio::io_context& io, const Log* log) : io_(io), log_(log) {}

    /// An address that is taken is no reason not to schedule: the log says so, and where probes ask
    /// there, they will as well.
    void start(const config::Schema& config, ControlSource control, ServedSource served);

    void stop_control();
    void stop();

private:
    boost::asio::io_context& io_;
    const Log* log_;
    std::unique_ptr<HttpServer> control_;
    std::unique_ptr<HttpServer> served_;
};

}  // namespace gang::app
