#pragma once
// Transport: the stream of bytes to the API server: TCP, where there is a proxy through its tunnel,
// and TLS over it where the server has it. One step at a time, each until the deadline of the
// moment; close() from anywhere ends it.

#include "k8s/net/endpoint.hpp"
#include "k8s/net/resolver.hpp"
#include "k8s/net/tls_stream.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

namespace k8s {

/// A time of monotonic_ms().
std::chrono::steady_clock::time_point steady_time(std::int64_t monotonic);
/// "host:port" of the API server.
std::string host_header(const Access& access);
/// For people.
std::string describe(const boost::system::error_code& ec);

class Transport {
public:
    using Done = std::tuple<boost::system::error_code, std::size_t>;

    Transport(boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint);

    /// Empty: it stands; else why not. A TLS session that cannot be taken up again is begun anew.
    boost::asio::awaitable<std::string> open(std::int64_t deadline);
    boost::asio::awaitable<Done> write(std::string text);
    boost::asio::awaitable<Done> read_some(boost::asio::mutable_buffer into);

    /// Steps that begin from now on fail at that time.
    void expires_at(std::chrono::steady_clock::time_point deadline);
    void expires_never();

    bool is_tls() const { return tls_ != nullptr; }
    /// Nothing may come on an idle connection but its end: found before a write is risked on it.
    bool is_quiet();

    /// Ends a step that waits, and every later one.
    void close();
    /// Counts close(), so that a step in progress notices.
    std::uint64_t closes() const { return closes_; }
    /// Forgets the streams. Only for who uses them: nothing may be pending.
    void drop();

private:
    boost::asio::ip::tcp::socket& socket() { return tls_ ? tls_->socket() : plain_->socket(); }
    boost::asio::awaitable<std::string> open_once(std::int64_t deadline);
    boost::asio::awaitable<boost::system::error_code> connect(std::int64_t deadline);
    boost::asio::awaitable<std::string> shake_hands(std::int64_t deadline);

    boost::asio::io_context& io_;
    std::shared_ptr<Endpoint> endpoint_;
    Resolver resolver_;
    std::unique_ptr<boost::beast::tcp_stream> plain_;
    std::unique_ptr<TlsStream> tls_;
    std::uint64_t closes_ = 0;
};

}  // namespace k8s
