#include "gang/app/serve/http_listener.hpp"

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gang::app {
namespace asio = boost::asio;
using asio::ip::tcp;
using local = asio::local::stream_protocol;
using boost::system::error_code;

namespace {

/// A socket file that nobody listens on any more is left by a process that was killed.
core::Result<core::Done> remove_stale(
    const asio::any_io_executor& executor, const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        return core::Done{};
    }
    if (!S_ISSOCK(found.st_mode)) {
        return core::Error{fmt::format("{} exists and is no socket", path)};
    }
    error_code ec;
    local::socket probe(executor);
    probe.connect(local::endpoint(path), ec);
    if (ec != asio::error::connection_refused) {
        return core::Error{fmt::format("{} is in use", path)};
    }
    ::unlink(path.c_str());
    return core::Done{};
}

}  // namespace

core::Result<core::Done> HttpListener::open(const config::ListenAddress& address) {
    return address.path.empty() ? open_tcp(address) : open_local(address.path);
}

core::Result<core::Done> HttpListener::open_tcp(const config::ListenAddress& address) {
    error_code ec;
    tcp::endpoint endpoint(tcp::v6(), address.port);
    if (!address.host.empty()) {
        endpoint.address(asio::ip::make_address(address.host, ec));
    }
    if (!ec) {
        tcp_.open(endpoint.protocol(), ec);
    }
    if (ec && address.host.empty()) {  // a kernel without IPv6
        endpoint = tcp::endpoint(tcp::v4(), address.port);
        tcp_.open(endpoint.protocol(), ec);
    }
    const bool every = !ec && address.host.empty() && endpoint.protocol() == tcp::v6();
    if (every) {
        tcp_.set_option(asio::ip::v6_only(false), ec);
    }
    if (!ec) {
        tcp_.set_option(tcp::acceptor::reuse_address(true), ec);
    }
    if (!ec) {
        tcp_.bind(endpoint, ec);
    }
    if (!ec) {
        tcp_.listen(asio::socket_base::max_listen_connections, ec);
    }
    return ec ? core::Result<core::Done>(core::Error{ec.message()}) : core::Done{};
}

core::Result<core::Done> HttpListener::open_local(const std::string& path) {
    if (auto free = remove_stale(local_.get_executor(), path); !free) {
        return free;
    }
    error_code ec;
    local_.open(local(), ec);
    if (!ec) {
        local_.bind(local::endpoint(path), ec);
    }
    if (ec) {
        return core::Error{ec.message()};
    }
    path_ = path;
    // Nobody can connect before listen(): there is no moment with wider rights.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
        close();
        return core::Error{fmt::format("the rights of {} cannot be set", path)};
    }
    local_.listen(asio::socket_base::max_listen_connections, ec);
    return ec ? core::Result<core::Done>(core::Error{ec.message()}) : core::Done{};
}

asio::awaitable<std::optional<HttpListener::Socket>> HttpListener::accept() {
    error_code ec;
    std::optional<Socket> out;
    if (path_.empty()) {
        tcp::socket socket =
            co_await tcp_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
        if (!ec) {
            error_code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            out.emplace(std::move(socket));
        }
    } else {
        local::socket socket =
            co_await local_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
        if (!ec) {
            out.emplace(std::move(socket));
        }
    }
    co_return out;
}

void HttpListener::close() {
    error_code ec;
    tcp_.close(ec);
    local_.close(ec);
    if (!path_.empty()) {
        ::unlink(std::exchange(path_, {}).c_str());
    }
}

std::uint16_t HttpListener::port() const {
    error_code ec;
    const auto endpoint = tcp_.local_endpoint(ec);
    return ec ? std::uint16_t{0} : endpoint.port();
}

}  // namespace gang::app
