#pragma once
// One keep-alive HTTP/1.1 connection to the API server, plain or TLS, opened when it is needed.
//
//   closed -> connecting -> idle <-> calling         close() from anywhere: closed
//                             \---> streaming -> closed
//
// One coroutine uses it at a time. After a timeout, a cancel, a TLS error or an answer that was not
// read to its end it is closed and never used again; the next call opens a new one.

#include "k8s/base/http.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace k8s {

/// Deadlines and bounds of one call. With a constructor, as all arguments of coroutines.
struct CallLimits {
    explicit CallLimits(std::int64_t total, std::size_t body = default_body_max)
        : total_ms(total), body_max(body) {}

    static constexpr std::size_t default_body_max = 8 * 1024 * 1024;

    std::int64_t connect_ms = 10'000;  ///< name, TCP and TLS together, within total_ms
    std::int64_t total_ms;             ///< from the call to the answer's last byte
    std::size_t body_max;              ///< a longer answer is a failure
    /// Asked when the connection stands, right before the first byte is sent; false: nothing is.
    std::function<bool()> may_send;
};

/// What a stream gave: bytes, or its orderly end, or trouble.
struct StreamEnd {};
using StreamPart = std::variant<std::string, StreamEnd, Failure>;

class Connection {
public:
    Connection(boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Sends the request and reads the whole answer. A GET that fails on a kept-alive connection
    /// before any byte of an answer is sent once more on a fresh one. A 401 makes the token be read
    /// again; if it is another one, the request is sent once more (a 401 means that nothing was
    /// executed).
    boost::asio::awaitable<Reply> call(Request request, CallLimits limits);

    /// Sends a GET whose answer the next call() is to wait for: it must be of the same target. Only
    /// on a connection that stands. What goes wrong shows in that call, which then sends again; any
    /// other use of the connection opens a new one.
    boost::asio::awaitable<void> send_ahead(Request request);

    /// As call(), but a 200 comes back as soon as its header is there, with an empty body: read()
    /// then gives the body piece by piece. Any other status comes with its whole body.
    boost::asio::awaitable<Reply> open_stream(Request request, CallLimits limits);

    /// The next bytes of the stream, waiting at most until `idle_ms` have passed without any.
    boost::asio::awaitable<StreamPart> read(std::int64_t idle_ms);

    /// Takes back what read() gave when it is used up: the room serves the next bytes.
    void give_back(std::string bytes);

    /// Ends whatever is going on, which then fails. The connection can be used again afterwards.
    void close();

    bool is_open() const;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
