#pragma once
// A small HTTP/1.1 server for a few read-only answers: GET and HEAD, no bodies, everything bounded.
// It shares the loop of whoever uses it and knows nothing of what it serves.
//
// When it is full, a new connection takes the place of the one that has waited longest for its
// next request: whoever opens many and says nothing keeps nobody out.

#include "config/address.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace gang::app {

struct HttpLimits {
    std::size_t connections_max = 64;
    std::size_t header_max = 8 * 1024;   ///< bytes of a request's line and fields
    std::int64_t header_ms = 5'000;      ///< from a request's first byte to its last
    std::int64_t idle_ms = 65'000;       ///< between two requests; a first one gets header_ms
    std::int64_t write_ms = 5'000;       ///< for the whole answer
    std::size_t requests_max = 100'000;  ///< of one connection
};

struct HttpAsk {
    std::string target;  ///< path and query as sent
    std::string host;    ///< the Host field
};

inline constexpr const char* plain_text = "text/plain; charset=utf-8";

struct HttpReply {
    int status = 200;
    std::string body;
    const char* content_type = "application/json";
    friend bool operator==(const HttpReply& a, const HttpReply& b) {
        return a.status == b.status && a.body == b.body;
    }
};

/// Called on the loop for each GET and HEAD. Must be quick: nothing else turns meanwhile.
using HttpHandler = std::function<HttpReply(const HttpAsk&)>;

class HttpServer {
public:
    /// Listens at once, on TCP or on a Unix socket that only this user may open. An error: the
    /// address is taken, or not this machine's.
    static core::Result<std::unique_ptr<HttpServer>> listen(
        boost::asio::io_context& io,
        const config::ListenAddress& address,
        HttpLimits limits,
        HttpHandler handler);
    ~HttpServer();

    /// Closes the listener and every connection. The handler is not called any more.
    void stop();

    std::uint16_t port() const;  ///< 0 for a Unix socket

private:
    struct Impl;
    explicit HttpServer(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app
