#include "k8s/net/transport.hpp"

#include "k8s/base/time.hpp"
#include "k8s/net/tunnel.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace k8s {
namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto step_awaitable = asio::as_tuple(asio::use_awaitable);
// What one dead address may cost when there are more.
constexpr std::int64_t address_ms_min = 2'000;
constexpr int keepalive_idle_s = 15;
constexpr int keepalive_interval_s = 5;
constexpr int keepalive_probes = 3;
constexpr unsigned user_timeout_ms = 30'000;

void set_option(int socket, int level, int name, unsigned value) {
    // Best effort: a system without the option still has our own deadlines.
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

void tune(tcp::socket& socket) {
    error_code ec;
    socket.set_option(tcp::no_delay(true), ec);
    socket.set_option(asio::socket_base::keep_alive(true), ec);
    const int fd = socket.native_handle();
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms);
}

std::string authority(const std::string& host, std::uint16_t port) {
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

}  // namespace

std::chrono::steady_clock::time_point steady_time(std::int64_t monotonic) {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(monotonic));
}

std::string host_header(const Access& access) {
    return authority(access.host, access.port);
}

std::string describe(const error_code& ec) {
    if (ec == beast::error::timeout) return "timed out";
    if (ec == asio::error::operation_aborted) return "cancelled";
    if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated) {
        return "the server closed the connection";
    }
    return ec.message();
}

Transport::Transport(asio::io_context& io, std::shared_ptr<Endpoint> endpoint)
    : io_(io), endpoint_(std::move(endpoint)), resolver_(io) {}

bool Transport::is_quiet() {
    char byte = 0;
    return ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Transport::expires_at(std::chrono::steady_clock::time_point deadline) {
    if (tls_) {
        tls_->expires_at(deadline);
    } else {
        plain_->expires_at(deadline);
    }
}

void Transport::expires_never() {
    if (tls_) {
        tls_->expires_never();
    } else {
        plain_->expires_never();
    }
}

void Transport::close() {
    ++closes_;
    resolver_.cancel();
    if (tls_) tls_->close();
    if (plain_) plain_->close();
}

void Transport::drop() {
    plain_.reset();
    tls_.reset();
}

// All addresses in turn; one that is dead may use only its share of the time.
asio::awaitable<error_code> Transport::connect(std::int64_t deadline) {
    const std::uint64_t before = closes_;
    const Access& access = endpoint_->access();
    const std::string host = access.proxy ? access.proxy->host : access.host;
    const std::uint16_t port = access.proxy ? access.proxy->port : access.port;
    const std::vector<tcp::endpoint> addresses = co_await resolver_.resolve(host, port, deadline);
    error_code result = asio::error::host_not_found;
    std::size_t left = addresses.size();
    for (const tcp::endpoint& address : addresses) {
        if (closes_ != before) co_return asio::error::operation_aborted;
        const std::int64_t now = monotonic_ms();
        const std::int64_t share =
            std::max((deadline - now) / static_cast<std::int64_t>(left), address_ms_min);
        --left;
        plain_ = std::make_unique<beast::tcp_stream>(io_);
        plain_->expires_at(steady_time(std::min(now + share, deadline)));
        auto [ec] = co_await plain_->async_connect(address, step_awaitable);
        result = ec;
        if (!ec) break;
    }
    if (closes_ != before) co_return asio::error::operation_aborted;
    co_return result;
}

asio::awaitable<std::string> Transport::shake_hands(std::int64_t deadline) {
    tls_ = std::make_unique<TlsStream>(plain_->release_socket(), endpoint_->tls());
    plain_.reset();
    tls_->expires_at(steady_time(deadline));
    const error_code ec = co_await tls_->shake_hands();
    if (!ec) co_return std::string();
    endpoint_->handshake_failed(monotonic_ms());
    const std::string why = tls_->verify_problem();
    co_return "TLS: " + (why.empty() ? describe(ec) : why);
}

asio::awaitable<std::string> Transport::open_once(std::int64_t deadline) {
    tls_.reset();
    const error_code ec = co_await connect(deadline);
    const std::optional<Proxy> proxy = endpoint_->access().proxy;
    const std::string by = proxy ? "proxy " + authority(proxy->host, proxy->port) + ": " : "";
    if (ec) co_return by + describe(ec);
    tune(plain_->socket());
    if (proxy) {
        plain_->expires_at(steady_time(deadline));
        const std::string server = host_header(endpoint_->access());
        const std::string refused = co_await open_tunnel(*plain_, server, proxy->authorization);
        if (!refused.empty()) co_return by + refused;
    }
    if (endpoint_->tls() == nullptr) co_return std::string();
    std::string problem = co_await shake_hands(deadline);
    co_return problem;
}

asio::awaitable<std::string> Transport::open(std::int64_t deadline) {
    const std::uint64_t before = closes_;
    std::string problem = co_await open_once(deadline);
    if (!problem.empty() && closes_ == before && tls_ && tls_->is_resuming()) {
        problem = co_await open_once(deadline);
    }
    if (problem.empty() && closes_ != before) problem = "cancelled";
    co_return problem;
}

asio::awaitable<Transport::Done> Transport::write(std::string text) {
    const asio::const_buffer bytes = asio::buffer(text);
    if (tls_) {
        auto done = co_await tls_->write(bytes);
        co_return done;
    }
    auto done = co_await asio::async_write(*plain_, bytes, step_awaitable);
    co_return done;
}

asio::awaitable<Transport::Done> Transport::read_some(asio::mutable_buffer into) {
    if (tls_) return tls_->read_some(into);
    return plain_->async_read_some(into, step_awaitable);
}

}  // namespace k8s
