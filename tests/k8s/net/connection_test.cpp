#include "k8s/net/connection.hpp"

#include "k8s/base/time.hpp"
#include "tests/k8s/fake_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

using namespace k8s;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> call(
    Connection& connection, Request request, CallLimits limits, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), limits);
}

asio::awaitable<void> call_with_next(
    Connection& connection, Request request, Request next, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), CallLimits(5'000));
    co_await connection.send_ahead(std::move(next));
}

struct Client {
    explicit Client(const fake::Server& server) : connection(io, server.endpoint()) {}
    explicit Client(std::shared_ptr<Endpoint> endpoint) : connection(io, std::move(endpoint)) {}

    Reply ask(Request request, CallLimits limits = CallLimits(5'000)) {
        std::optional<Reply> reply;
        start(std::move(request), limits, reply);
        fake::run_out(io);
        REQUIRE(reply);
        return *reply;
    }
    void start(Request request, CallLimits limits, std::optional<Reply>& into) {
        asio::co_spawn(
            io, call(connection, std::move(request), limits, into), [](std::exception_ptr e) {
                if (e) std::rethrow_exception(e);
            });
    }

    /// Asks, and sends the next request without waiting for its answer.
    Reply ask_with_next(const std::string& target, const std::string& next) {
        std::optional<Reply> reply;
        asio::co_spawn(
            io,
            call_with_next(connection, Request("GET", target), Request("GET", next), reply),
            [](std::exception_ptr e) {
                if (e) std::rethrow_exception(e);
            });
        fake::run_out(io);
        REQUIRE(reply);
        return *reply;
    }

    asio::io_context io;
    Connection connection;
};

Request get(const std::string& target) {
    return Request("GET", target);
}

Request post() {
    Request request("POST", "/bind");
    request.content_type = "application/json";
    request.body = "{}";
    return request;
}

const Failure& failure(const Reply& reply) {
    REQUIRE(std::holds_alternative<Failure>(reply));
    return std::get<Failure>(reply);
}

const Response& response(const Reply& reply) {
    const auto* failed = std::get_if<Failure>(&reply);
    INFO((failed == nullptr ? "" : failed->message));
    REQUIRE(failed == nullptr);
    return std::get<Response>(reply);
}

}  // namespace

TEST_CASE("connection: a request carries what a server must know, and the connection is kept") {
    fake::Server server(
        [](fake::Peer& peer, const fake::Request&) { peer.reply(200, "{\"a\":1}"); });
    Client client(server);
    CHECK(response(client.ask(get("/api?x=1"))).body == "{\"a\":1}");
    CHECK(response(client.ask(post())).status == 200);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(server.connections() == 1);
    CHECK(requests[0].target == "/api?x=1");
    CHECK(requests[0].headers.at("host") == "127.0.0.1:" + std::to_string(server.port()));
    CHECK(requests[0].headers.at("user-agent") == "gang-scheduler/test");
    CHECK(requests[0].headers.at("accept") == "application/json");
    CHECK(requests[0].headers.at("accept-encoding") == "identity");
    CHECK(requests[0].headers.count("authorization") == 0);
    CHECK(requests[1].body == "{}");
    CHECK(requests[1].headers.at("content-type") == "application/json");
}

TEST_CASE("connection: a request that was sent ahead is sent once, and its answer is its own") {
    fake::Server server(
        [](fake::Peer& peer, const fake::Request& request) { peer.reply(200, request.target); });
    Client client(server);
    CHECK(response(client.ask_with_next("/1", "/2")).body == "/1");
    fake::run_until(client.io, [&] { return server.requests().size() == 2; });
    CHECK(response(client.ask(get("/2"))).body == "/2");
    CHECK(response(client.ask(get("/3"))).body == "/3");
    CHECK(server.requests().size() == 3);
    CHECK(server.connections() == 1);
}

TEST_CASE("connection: who asks for something else than was sent ahead never gets that answer") {
    fake::Server server(
        [](fake::Peer& peer, const fake::Request& request) { peer.reply(200, request.target); });
    Client client(server);
    CHECK(response(client.ask_with_next("/1", "/2")).body == "/1");
    CHECK(response(client.ask(get("/other"))).body == "/other");
    CHECK(server.connections() == 2);
    CHECK(response(client.ask_with_next("/3", "/2")).body == "/3");
    client.connection.close();
    CHECK(response(client.ask(get("/2"))).body == "/2");
    CHECK(server.connections() == 3);
    CHECK(response(client.ask_with_next("/4", "/bind")).body == "/4");
    CHECK(response(client.ask(post())).body == "/bind");
    CHECK(server.count("POST", "/bind") == 1);
}

TEST_CASE("connection: an answer to what was sent ahead that is lost is asked for again") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.connection == 1 && request.target == "/2") return peer.hang_up();
        peer.reply(200, request.target);
    });
    Client client(server);
    CHECK(response(client.ask_with_next("/1", "/2")).body == "/1");
    CHECK(response(client.ask(get("/2"))).body == "/2");
    CHECK(server.count("GET", "/2") == 2);
    CHECK(server.connections() == 2);
}

TEST_CASE("connection: an answer cut into single bytes is the same answer") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) {
        const std::string text =
            "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n"
            "3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\n\r\n";
        for (char c : text) peer.send(std::string(1, c));
    });
    Client client(server);
    for (int i = 0; i < 2; ++i) {
        const Reply reply = client.ask(get("/"));
        CHECK(response(reply).status == 409);
        CHECK(response(reply).body == "{\"a\":1}");
    }
    CHECK(server.connections() == 1);
}

TEST_CASE("B9: a server that says close, or ends the body by closing, is met anew") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.connection == 1) return peer.reply(200, "1", "Connection: close\r\n");
        peer.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
        peer.hang_up();
    });
    Client client(server);
    CHECK(response(client.ask(get("/"))).body == "1");
    CHECK_FALSE(client.connection.is_open());
    CHECK(response(client.ask(get("/"))).body == "until the end");
    CHECK(server.connections() == 2);
}

TEST_CASE("connection: a refused connection has sent nothing") {
    std::shared_ptr<Endpoint> nowhere;
    {
        fake::Server server([](fake::Peer&, const fake::Request&) {});
        nowhere = server.endpoint();
    }
    Client client(nowhere);
    const Reply reply = client.ask(post());
    CHECK_FALSE(failure(reply).maybe_sent);
    CHECK_FALSE(failure(reply).answered);
}

TEST_CASE("B8: a reset after the request leaves a POST unknown, and it is not repeated") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) { peer.reset(); });
    Client client(server);
    const Reply reply = client.ask(post());
    CHECK(failure(reply).maybe_sent);
    CHECK_FALSE(failure(reply).answered);
    CHECK(server.requests().size() == 1);
}

TEST_CASE("B10: half an answer is a failure that says so, and the connection is not reused") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.connection > 1) return peer.reply(200, "whole");
        peer.send("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf");
        peer.hang_up();
    });
    Client client(server);
    const Reply reply = client.ask(post());
    CHECK(failure(reply).maybe_sent);
    CHECK(failure(reply).answered);
    CHECK(response(client.ask(get("/"))).body == "whole");
    CHECK(server.connections() == 2);
}

TEST_CASE("B9: a kept-alive connection that dies") {
    std::atomic<bool> answer_first = true;
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        if (request.connection > 1) return peer.reply(200, "second");
        if (answer_first.exchange(false)) return peer.reply(200, "first");
        peer.hang_up();  // the request came and is thrown away
    });
    Client client(server);
    CHECK(response(client.ask(get("/"))).body == "first");
    SUBCASE("under a GET: it is sent once more on a fresh one") {
        CHECK(response(client.ask(get("/"))).body == "second");
        CHECK(server.connections() == 2);
    }
    SUBCASE("under a POST: its outcome is unknown") {
        CHECK(failure(client.ask(post())).maybe_sent);
        CHECK(server.requests().size() == 2);
    }
}

TEST_CASE("B9: the end of an idle connection is found before a write is risked") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        peer.reply(200, std::to_string(request.connection));
        peer.hang_up();
    });
    Client client(server);
    CHECK(response(client.ask(get("/"))).body == "1");
    // The FIN is on its way through loopback; the second POST must not depend on luck.
    while (server.connections() == 1 && client.connection.is_open()) {
        const Reply reply = client.ask(post());
        if (const auto* lost = std::get_if<Failure>(&reply)) {
            CHECK(lost->maybe_sent);
            continue;
        }
        CHECK(std::get<Response>(reply).body == "2");
    }
}

TEST_CASE("connection: one deadline for a call and its repetition") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.target == "/first") return peer.reply(200, "{}");
        peer.hold();
    });
    Client client(server);
    REQUIRE(response(client.ask(get("/first"))).status == 200);
    REQUIRE(client.connection.is_open());
    CHECK(std::holds_alternative<Failure>(client.ask(get("/silent"), CallLimits(100))));
    CHECK(server.count("GET", "/silent") == 1);
}

TEST_CASE("connection: a longer body than the bound is a failure") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) {
        peer.begin_chunks();
        for (int i = 0; i < 100 && peer.is_open(); ++i) peer.chunk(std::string(100, 'x'));
        peer.end_chunks();
    });
    Client client(server);
    const Reply reply = client.ask(get("/"), CallLimits(5'000, 1'000));
    CHECK(failure(reply).message.find("body limit") != std::string::npos);
}

TEST_CASE("connection: what is not HTTP is a failure") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) {
        peer.send("220 mail.example.com ESMTP\r\n\r\n");
        peer.hang_up();
    });
    Client client(server);
    CHECK(failure(client.ask(get("/"))).answered);
}

TEST_CASE("connection: close() ends a call at once, and the next one connects anew") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.connection == 1) return peer.hold();
        peer.reply(200, "again");
    });
    Client client(server);
    std::optional<Reply> reply;
    client.start(get("/"), CallLimits(60'000), reply);
    fake::run_until(client.io, [&] { return server.requests().size() == 1; });
    client.connection.close();
    fake::run_until(client.io, [&] { return reply.has_value(); });
    CHECK(std::holds_alternative<Failure>(*reply));
    CHECK(response(client.ask(get("/"))).body == "again");
}

TEST_CASE("C1: a 401 reads the token again and repeats the request once") {
    const std::string file = std::tmpnam(nullptr);
    std::ofstream(file) << "old\n";
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        const bool fresh = request.headers.at("authorization") == "Bearer new";
        if (!fresh) std::ofstream(file, std::ios::trunc) << "new\n";
        peer.reply(fresh ? 201 : 401, fresh ? "done" : "{}");
    });
    Access access = server.access();
    access.token_file = file;
    auto endpoint = Endpoint::make(access, "gang-scheduler/test");
    REQUIRE(endpoint);
    Client client(*endpoint);
    CHECK(response(client.ask(post())).body == "done");
    CHECK(server.requests().size() == 2);
    std::remove(file.c_str());
}

TEST_CASE("C1: a 401 with the same token is the answer") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) { peer.reply(401, "{}"); });
    Access access = server.access();
    access.token = "secret-token";
    auto endpoint = Endpoint::make(access, "gang-scheduler/test");
    REQUIRE(endpoint);
    Client client(*endpoint);
    CHECK(response(client.ask(get("/"))).status == 401);
    CHECK(server.requests().size() == 1);
    CHECK(server.requests()[0].headers.at("authorization") == "Bearer secret-token");
}
