#pragma once
// A small HTTP/1.1 server: GET and HEAD, and POST where bodies are taken; everything bounded.
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
#include <vector>

namespace boost::asio {
class io_context;
}

namespace gang::app {

struct HttpLimits {
    std::size_t connections_max = 64;
    std::size_t header_max = 8 * 1024;   ///< bytes of a request's line and fields
    std::int64_t header_ms = 5'000;      ///< from a request's first byte to its header's last
    std::size_t body_max = 0;            ///< bytes of a request's body; 0: there is none, no POST
    std::int64_t body_ms = 5'000;        ///< for the whole body
    std::int64_t idle_ms = 65'000;       ///< between two requests; a first one gets header_ms
    std::int64_t write_ms = 5'000;       ///< for the whole answer, and for each part of a stream
    std::int64_t answer_ms = 30'000;     ///< for a handler that answers later
    std::int64_t stream_ms = 250;        ///< between two looks at what a stream has to say
    std::size_t requests_max = 100'000;  ///< of one connection
};

struct HttpAsk {
    std::string target;              ///< path and query as sent
    std::string host;                ///< the Host field
    std::string origin = {};         ///< the Origin field; empty: none
    std::string if_none_match = {};  ///< the If-None-Match field
    std::string last_event_id = {};  ///< the Last-Event-ID field
    std::string passed_on_by =
        {};  ///< the Sec-Gang-Scheduler field, see gang/app/api/host_rule.hpp
    bool is_post = false;
    std::string content_type = {};  ///< the Content-Type field
    std::string body = {};          ///< of a POST
    std::string authorization = {};  ///< the Authorization field
};

/// The body of an answer without end, such as server-sent events. It is destroyed with its
/// connection.
class HttpStream {
public:
    HttpStream() = default;
    HttpStream(const HttpStream&) = delete;
    HttpStream& operator=(const HttpStream&) = delete;
    virtual ~HttpStream() = default;
    /// What is to be sent now; empty: nothing. Called on the loop, each time after stream_ms.
    virtual std::string next() = 0;
    /// There will be nothing more: the connection ends.
    virtual bool is_over() const { return false; }
};

inline constexpr const char* plain_text = "text/plain; charset=utf-8";

struct HttpField {
    const char* name;
    std::string value;
};

struct HttpReply {
    int status = 200;
    std::string body;
    const char* content_type = "application/json";
    std::vector<HttpField> fields = {};       ///< further ones
    std::shared_ptr<HttpStream> stream = {};  ///< follows the body, until the client has gone
    friend bool operator==(const HttpReply& a, const HttpReply& b) {
        return a.status == b.status && a.body == b.body;
    }
};

/// What all answers of a server have in common, those that refuse a request included.
struct HttpManners {
    std::vector<HttpField> fields = {};
    /// The answer to what is no request that we take; empty: a line of plain text.
    std::function<HttpReply(int status, const std::string& why)> refuse = {};
};

/// Called on the loop for each request. Must be quick: nothing else turns meanwhile.
using HttpHandler = std::function<HttpReply(const HttpAsk&)>;

/// Takes the answer to one request, at once or later, on the loop. Whoever drops it without a call
/// lets the client wait until answer_ms have passed.
using HttpAnswer = std::function<void(HttpReply)>;
/// As HttpHandler, for answers that somebody else must be asked for.
using HttpLaterHandler = std::function<void(HttpAsk, HttpAnswer)>;

class HttpServer {
public:
    /// Listens at once, on TCP or on a Unix socket that only this user may open. An error: the
    /// address is taken, or not this machine's.
    static core::Result<std::unique_ptr<HttpServer>> listen(
        boost::asio::io_context& io,
        const config::ListenAddress& address,
        HttpLimits limits,
        HttpHandler handler,
        HttpManners manners = {});
    static core::Result<std::unique_ptr<HttpServer>> listen_later(
        boost::asio::io_context& io,
        const config::ListenAddress& address,
        HttpLimits limits,
        HttpLaterHandler handler,
        HttpManners manners = {});
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
