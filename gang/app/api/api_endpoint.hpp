#pragma once
// The API's port of a daemon, when it is switched on: api.enabled.

#include "config/schema.hpp"
#include "gang/app/api/api_http.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/serve/http_server.hpp"

#include <memory>

namespace boost::asio {
class io_context;
}

namespace gang::app {

class ApiEndpoint {
public:
    /// `log` must outlive this. Nothing is served, and nothing is kept for it, before start().
    ApiEndpoint(boost::asio::io_context& io, const Log* log);
    ~ApiEndpoint();
    ApiEndpoint(const ApiEndpoint&) = delete;
    ApiEndpoint& operator=(const ApiEndpoint&) = delete;

    /// An address that is taken is no reason not to schedule: the log says so.
    void start(ApiSource source);

    /// Closes every connection. The source is not asked any more.
    void stop();

private:
    struct Impl;
    boost::asio::io_context& io_;
    const Log* log_;
    std::shared_ptr<Impl> impl_;  ///< none: not started
};

}  // namespace gang::app
