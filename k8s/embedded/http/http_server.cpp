#include "k8s/embedded/http/http_server.hpp"

#include "k8s/embedded/http/http_session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <set>
#include <utility>

namespace k8s::embedded {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto accepted_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds accept_pause(100);  // after an error such as "too many files"

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
    Impl(asio::io_context& io, ApiServer& api_server, HttpLimits http_limits)
        : acceptor(io), pause(io), server(api_server), limits(http_limits) {}

    asio::awaitable<void> accept();
    void serve(tcp::socket socket);

    tcp::acceptor acceptor;
    asio::steady_timer pause;
    ApiServer& server;
    HttpLimits limits;
    std::set<std::shared_ptr<HttpSession>> sessions;
    bool is_stopped = false;
};

asio::awaitable<void> HttpServer::Impl::accept() {
    while (!is_stopped) {
        auto [error, socket] = co_await acceptor.async_accept(accepted_awaitable);
        if (is_stopped) {
            break;
        }
        if (error) {
            pause.expires_after(accept_pause);
            co_await pause.async_wait(accepted_awaitable);
        } else if (sessions.size() < limits.connections_max) {
            serve(std::move(socket));
        }
    }
}

void HttpServer::Impl::serve(tcp::socket socket) {
    const auto session = std::make_shared<HttpSession>(std::move(socket), server, limits);
    sessions.insert(session);
    // Whatever ends a session, it is one client's loss only.
    asio::co_spawn(
        acceptor.get_executor(),
        session->run(),
        [impl = shared_from_this(), session](const std::exception_ptr&) {
            session->stop();
            impl->sessions.erase(session);
        });
}

HttpServer::HttpServer(asio::io_context& io, ApiServer& server, HttpLimits limits)
    : impl_(std::make_shared<Impl>(io, server, limits)) {}

HttpServer::~HttpServer() {
    stop();
}

core::Result<std::uint16_t> HttpServer::listen(const std::string& address, std::uint16_t port) {
    boost::system::error_code error;
    const auto host = asio::ip::make_address(address, error);
    if (error) {
        return core::Error{"not an IP address: " + address};
    }
    const tcp::endpoint endpoint(host, port);
    auto& acceptor = impl_->acceptor;
    acceptor.open(endpoint.protocol(), error);
    if (!error) {
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    }
    if (!error) {
        acceptor.bind(endpoint, error);
    }
    if (!error) {
        acceptor.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
        return core::Error{
            "cannot listen on " + address + ":" + std::to_string(port) + ": " + error.message()};
    }
    asio::co_spawn(
        acceptor.get_executor(), impl_->accept(), [impl = impl_](const std::exception_ptr&) {});
    return acceptor.local_endpoint().port();
}

void HttpServer::stop() {
    impl_->is_stopped = true;
    boost::system::error_code ignored;
    impl_->acceptor.close(ignored);
    impl_->pause.cancel();
    for (const auto& session : impl_->sessions) {
        session->stop();
    }
}

}  // namespace k8s::embedded
