#pragma once
// A TLS connection as a coroutine uses it: each step waits until it is done, at most until the
// deadline of the moment. Errors are Asio's and Beast's, as those of a plain stream.

#include "k8s/net/tls.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>

namespace k8s {

class TlsStream {
public:
    using Clock = std::chrono::steady_clock;
    using Done = std::tuple<boost::system::error_code, std::size_t>;

    /// Takes over a connected socket.
    TlsStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> trust);
    ~TlsStream();
    TlsStream(const TlsStream&) = delete;
    TlsStream& operator=(const TlsStream&) = delete;

    boost::asio::ip::tcp::socket& socket();
    /// Steps that begin from now on fail with Beast's `timeout` at that time.
    void expires_at(Clock::time_point deadline);
    void expires_never() { expires_at(Clock::time_point::max()); }

    boost::asio::awaitable<boost::system::error_code> shake_hands();
    /// A handshake that fails may go well on another connection: see TlsSession.
    bool is_resuming() const;
    /// Why the handshake failed, if that was the server's certificate; else empty.
    std::string verify_problem() const;
    boost::asio::awaitable<Done> read_some(boost::asio::mutable_buffer into);
    /// All of it.
    boost::asio::awaitable<Done> write(boost::asio::const_buffer bytes);
    /// Ends a step that waits, and every later one.
    void close();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
