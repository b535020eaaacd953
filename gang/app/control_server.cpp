#include "gang/app/control_server.hpp"

#include "gang/app/control_http.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <exception>
#include <list>
#include <utility>

namespace gang::app {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

struct ControlServer::Impl : std::enable_shared_from_this<ControlServer::Impl> {
    Impl(asio::io_context& io, ControlSource from)
        : acceptor(io), retry(io), source(std::move(from)) {}

    asio::awaitable<void> accept_loop();
    asio::awaitable<void> session(std::list<beast::tcp_stream>::iterator at);
    void begin(tcp::socket socket);

    tcp::acceptor acceptor;
    asio::steady_timer retry;
    ControlSource source;
    std::list<beast::tcp_stream> connections;
    bool stopped = false;
};

asio::awaitable<void> ControlServer::Impl::accept_loop() {
    while (!stopped) {
        boost::system::error_code ec;
        tcp::socket socket =
            co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, ec));
        if (stopped) {
            co_return;
        }
        if (ec) {
            // Out of descriptors, most likely: rest instead of spinning.
            retry.expires_after(std::chrono::seconds(1));
            co_await retry.async_wait(asio::redirect_error(asio::use_awaitable, ec));
            continue;
        }
        if (connections.size() < control_connections_max) {
            begin(std::move(socket));
        }
    }
}

void ControlServer::Impl::begin(tcp::socket socket) {
    connections.emplace_back(std::move(socket));
    const auto at = std::prev(connections.end());
    // The handler keeps the server's state alive and drops the connection however it ended.
    asio::co_spawn(
        acceptor.get_executor(),
        session(at),
        [self = shared_from_this(), at](const std::exception_ptr&) {
            self->connections.erase(at);
        });
}

asio::awaitable<void> ControlServer::Impl::session(std::list<beast::tcp_stream>::iterator at) {
    at->expires_after(std::chrono::milliseconds(control_timeout_ms));
    beast::flat_buffer buffer(control_header_max);
    http::request_parser<http::empty_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(control_header_max));
    parser.body_limit(0);
    boost::system::error_code ec;
    co_await http::async_read(*at, buffer, parser, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || stopped) {
        co_return;
    }
    const auto& request = parser.get();
    const ControlReply reply = control_reply(
        ControlRequest{
            request.method() == http::verb::get,
            std::string(request.target()),
            std::string(request[http::field::host])},
        source);
    http::response<http::string_body> response(
        static_cast<http::status>(reply.status), request.version());
    response.set(http::field::content_type, "application/json");
    response.set(http::field::cache_control, "no-store");
    response.keep_alive(false);
    response.body() = reply.body;
    response.prepare_payload();
    co_await http::async_write(*at, response, asio::redirect_error(asio::use_awaitable, ec));
    at->socket().shutdown(tcp::socket::shutdown_send, ec);
}

ControlServer::ControlServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

ControlServer::~ControlServer() {
    stop();
}

core::Result<std::unique_ptr<ControlServer>> ControlServer::listen(
    asio::io_context& io, const config::ListenAddress& address, ControlSource source) {
    boost::system::error_code ec;
    const auto host = asio::ip::make_address(address.host, ec);
    if (ec || !host.is_loopback()) {
        return core::Error{"the control endpoint listens on loopback addresses only"};
    }
    auto impl = std::make_shared<Impl>(io, std::move(source));
    const tcp::endpoint endpoint(host, address.port);
    const auto failed = [&] { return static_cast<bool>(ec); };
    impl->acceptor.open(endpoint.protocol(), ec);
    if (!failed()) {
        impl->acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    }
    if (!failed()) {
        impl->acceptor.bind(endpoint, ec);
    }
    if (!failed()) {
        impl->acceptor.listen(asio::socket_base::max_listen_connections, ec);
    }
    if (failed()) {
        return core::Error{ec.message()};
    }
    asio::co_spawn(io, impl->accept_loop(), [impl](const std::exception_ptr&) {});
    return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

void ControlServer::stop() {
    if (impl_->stopped) {
        return;
    }
    impl_->stopped = true;
    boost::system::error_code ec;
    impl_->acceptor.close(ec);
    impl_->retry.cancel();
    for (auto& connection : impl_->connections) {
        connection.cancel();
        connection.close();
    }
}

std::uint16_t ControlServer::port() const {
    boost::system::error_code ec;
    return impl_->acceptor.local_endpoint(ec).port();
}

}  // namespace gang::app
