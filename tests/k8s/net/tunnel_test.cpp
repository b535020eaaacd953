#include "k8s/base/time.hpp"
#include "k8s/net/connection.hpp"
#include "tests/k8s/fake_server.hpp"
#include "tests/k8s/tls_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace k8s;

namespace {

boost::asio::awaitable<void> call(
    Connection& connection, Request request, CallLimits limits, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), limits);
}

std::string ask(const Access& access, std::int64_t limit_ms = 5'000) {
    auto endpoint = Endpoint::make(access, "gang-scheduler/test");
    REQUIRE(endpoint);
    boost::asio::io_context io;
    Connection connection(io, *endpoint);
    std::optional<Reply> reply;
    boost::asio::co_spawn(
        io,
        call(connection, Request("GET", "/"), CallLimits(limit_ms), reply),
        [](std::exception_ptr error) {
            if (error) std::rethrow_exception(error);
        });
    fake::run_out(io);
    REQUIRE(reply);
    if (const auto* failure = std::get_if<Failure>(&*reply)) return "!" + failure->message;
    return std::get<Response>(*reply).body;
}

/// Passes bytes on between the client of a proxy and a server, until one of them ends.
void pass_on(int client, std::uint16_t port) {
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
        pollfd ends[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
        for (bool is_open = true; is_open && ::poll(ends, 2, 10'000) > 0;) {
            for (int from = 0; from < 2; ++from) {
                if (ends[from].revents == 0) continue;
                char bytes[4096];
                const ssize_t count = ::recv(ends[from].fd, bytes, sizeof bytes, 0);
                is_open = is_open && count > 0;
                if (count > 0) {
                    ::send(ends[1 - from].fd, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
                }
            }
        }
    }
    ::close(server);
}

Access through(Access access, const fake::Server& proxy, const std::string& authorization = "") {
    access.proxy = Proxy{"127.0.0.1", proxy.port(), authorization};
    return access;
}

}  // namespace

TEST_CASE("tunnel: the server is reached through the proxy, by TLS from end to end") {
    fake_tls::TlsServer server("by-address");
    const Access access = fake_tls::trusting(server);
    fake::Server proxy([&](fake::Peer& peer, const fake::Request&) {
        peer.send("HTTP/1.1 200 Connection established\r\nVia: p\r\n\r\n");
        pass_on(peer.socket(), access.port);
        peer.hang_up();
    });
    CHECK(ask(through(access, proxy, "Basic YTpi")) == "http/1.1||");
    const auto requests = proxy.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].method == "CONNECT");
    CHECK(requests[0].target == "127.0.0.1:" + std::to_string(access.port));
    CHECK(requests[0].headers.at("host") == requests[0].target);
    CHECK(requests[0].headers.at("proxy-authorization") == "Basic YTpi");
    CHECK(requests[0].headers.count("authorization") == 0);
}

TEST_CASE("tunnel: a proxy that refuses, ends, talks too much or says nothing is named") {
    fake_tls::TlsServer server("by-address");
    const Access access = fake_tls::trusting(server);
    std::string answer;
    fake::Server proxy([&](fake::Peer& peer, const fake::Request&) {
        if (answer.empty()) return peer.hold();
        peer.send(answer);
        peer.hang_up();
    });
    const std::string begin = "!cannot connect to 127.0.0.1:" + std::to_string(access.port) +
                              ": proxy 127.0.0.1:" + std::to_string(proxy.port()) + ": ";
    answer = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 3\r\n\r\nno!";
    CHECK(
        ask(through(access, proxy)) == begin + "HTTP 407 Proxy Authentication Required to CONNECT");
    answer = "HTTP/1.1 200 OK\r\n\r\nhello";
    CHECK(ask(through(access, proxy)) == begin + "more than an answer to CONNECT");
    answer = "SSH-2.0\r\n";
    CHECK(ask(through(access, proxy)).find(begin + "no answer to CONNECT: ") == 0);
    answer.clear();
    CHECK(ask(through(access, proxy), 300) == begin + "timed out");
}
