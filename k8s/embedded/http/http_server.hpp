#pragma once
// Plain HTTP/1.1 and WebSockets in front of an ApiServer, on one loopback port. One coroutine per
// connection; a watch keeps its connection until it ends. Everything a client can send is bounded.

#include "core/base/result.hpp"
#include "k8s/embedded/http/api_server.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace k8s::embedded {

struct HttpLimits {
    std::size_t header_bytes_max = 64U << 10U;
    std::size_t body_bytes_max = 3U << 20U;  ///< as the real one; more is a 413
    std::size_t connections_max = 1024;      ///< more are closed at once
    std::int64_t idle_ms = 180'000;          ///< a kept-alive connection without a request
    std::int64_t bookmark_ms = 60'000;
};

class HttpServer {
public:
    /// Neither is owned; both must outlive this.
    HttpServer(boost::asio::io_context& io, ApiServer& server, HttpLimits limits = {});
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Listens ("127.0.0.1", 0: any port) and starts to accept. The port, or why not.
    core::Result<std::uint16_t> listen(const std::string& address, std::uint16_t port);
    /// Stops accepting and ends every connection; watches end as after a restart of the server.
    /// The coroutines finish in the next turns of the loop.
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s::embedded
