// The HTTP server under people who mean it ill: what it takes, what it refuses, what it gives up.
#include "gang/app/serve/http_server.hpp"
#include "tests/support/text.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>

using namespace gang::app;
namespace asio = boost::asio;
using asio::ip::tcp;
using tests::contains;

namespace {

/// A client that sends bytes as they are.
class Client {
public:
    explicit Client(std::uint16_t port) {
        socket_.connect({asio::ip::make_address("127.0.0.1"), port});
    }
    Client& send(const std::string& bytes) {
        boost::system::error_code ec;
        asio::write(socket_, asio::buffer(bytes), ec);
        return *this;
    }
    Client& close_sending() {
        boost::system::error_code ec;
        socket_.shutdown(tcp::socket::shutdown_send, ec);
        return *this;
    }
    /// All that comes until the server ends the connection.
    std::string rest() {
        std::string out;
        boost::system::error_code ec;
        asio::read(socket_, asio::dynamic_buffer(out), ec);
        return out;
    }
    /// As much as this.
    std::string read(std::size_t bytes) {
        std::string out(bytes, '\0');
        boost::system::error_code ec;
        out.resize(asio::read(socket_, asio::buffer(out), ec));
        return out;
    }

private:
    asio::io_context io_;
    tcp::socket socket_{io_};
};

/// Counts aloud, up to a number; says when it is destroyed.
class Counting : public HttpStream {
public:
    explicit Counting(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
    ~Counting() override { --alive_; }
    std::string next() override {
        ++number_;
        return number_ % 2 == 0 ? "" : std::to_string(number_) + "\n";  // now and then nothing
    }

private:
    std::atomic<int>& alive_;
    int number_ = 0;
};

/// A server on a thread of its own, which answers every target with its own text.
class Server {
public:
    explicit Server(HttpLimits limits = HttpLimits(), HttpManners manners = {})
        : work_(asio::make_work_guard(io_)) {
        const auto handler = [this](const HttpAsk& ask) {
            HttpReply reply{200, "<" + ask.target + "|" + ask.host + ">", plain_text};
            if (ask.target == "/count") {
                reply.body.clear();
                reply.stream = std::make_shared<Counting>(streams);
            }
            if (ask.is_post) {
                reply.body = ask.content_type + ":" + ask.body;
            }
            if (ask.target == "/fields") {
                reply.body = ask.origin + "|" + ask.if_none_match + "|" + ask.last_event_id + "|" +
                             ask.passed_on_by;
                reply.fields = {{"ETag", "\"7\""}};
            }
            return reply;
        };
        auto started =
            HttpServer::listen(io_, {"127.0.0.1", 0}, limits, handler, std::move(manners));
        REQUIRE(started.has_value());
        server_ = *std::move(started);
        port = server_->port();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Server() {
        asio::post(io_, [this] {
            server_->stop();
            work_.reset();
        });
        thread_.join();
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::string ask(const std::string& bytes) const { return Client(port).send(bytes).rest(); }

    void stop() {
        asio::post(io_, [this] { server_->stop(); });
    }

    std::uint16_t port = 0;
    std::atomic<int> streams = 0;

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::unique_ptr<HttpServer> server_;
    std::thread thread_;
};

std::string get(const std::string& target, const std::string& more = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + more + "\r\n";
}

const std::string last = "Connection: close\r\n";

HttpLimits short_limits() {
    HttpLimits limits;
    limits.header_ms = 200;
    limits.idle_ms = 200;
    return limits;
}

}  // namespace

TEST_CASE("http: GET and HEAD are answered, the same but for the body") {
    const Server server;
    const std::string got = server.ask(get("/a?b", last));
    CHECK(contains(got, "HTTP/1.1 200 OK\r\n"));
    CHECK(contains(got, "Content-Length: 8\r\n"));
    CHECK(contains(got, "X-Content-Type-Options: nosniff\r\n"));
    CHECK(got.ends_with("\r\n\r\n</a?b|h>"));
    const std::string head = server.ask("HEAD /a?b HTTP/1.1\r\nHost: h\r\n" + last + "\r\n");
    CHECK(contains(head, "Content-Length: 8\r\n"));
    CHECK(head.ends_with("\r\n\r\n"));
}

TEST_CASE("http: every other method is refused with 405") {
    const Server server;
    CHECK(contains(server.ask("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"), " 405 "));
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT"}) {
        const std::string got = server.ask(std::string(method) + " /a HTTP/1.1\r\nHost: h\r\n\r\n");
        CHECK_MESSAGE(contains(got, " 405 "), method);
        CHECK(contains(got, "Allow: GET, HEAD\r\n"));
    }
}

TEST_CASE("http: bodies, long headers and garbage are refused, and nothing of them is repeated") {
    const Server server;
    CHECK(contains(server.ask(get("/a", "Content-Length: 9\r\n") + "123456789"), " 413 "));
    CHECK(contains(
        server.ask(get("/a", "Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n"), " 413 "));
    CHECK(contains(server.ask(get("/" + std::string(20'000, 'x'))), " 431 "));
    CHECK(contains(server.ask(get("/a", "X: " + std::string(20'000, 'x') + "\r\n")), " 431 "));
    for (const std::string& garbage :
         {std::string("nonsense\r\n\r\n"),
          std::string("\x16\x03\x01\x02<script>\r\n\r\n"),
          std::string("GET /<script> HTTP/9.9\r\n\r\n"),
          std::string("GET /a HTTP/1.1\r\n<script>\r\n\r\n")}) {
        const std::string got = server.ask(garbage);
        CHECK_MESSAGE(contains(got, " 400 "), garbage);
        CHECK_FALSE(contains(got, "script"));
    }
    CHECK(contains(server.ask(get("/still", last)), "</still|h>"));
}

TEST_CASE("http: requests one behind the other on one connection, and a half-closed one") {
    const Server server;
    const std::string got = server.ask(get("/1") + get("/2") + get("/3", last) + get("/4"));
    CHECK(contains(got, "</1|h>"));
    CHECK(contains(got, "</2|h>"));
    CHECK(got.ends_with("</3|h>"));
    CHECK(Client(server.port).send(get("/5")).close_sending().rest().ends_with("</5|h>"));
    CHECK(Client(server.port).close_sending().rest().empty());
    CHECK(
        Client(server.port).send("GET /6 HT").close_sending().rest().find("200") ==
        std::string::npos);
}

TEST_CASE("http: whoever is silent, slow or idle is given up") {
    const Server server(short_limits());
    CHECK(Client(server.port).rest().empty());                              // says nothing
    CHECK(Client(server.port).send("GET /a HTTP/1.1\r\n").rest().empty());  // never ends
    const std::string once = Client(server.port).send(get("/a")).rest();    // and then nothing more
    CHECK(once.ends_with("</a|h>"));
}

TEST_CASE("http: a byte now and then does not keep a request alive") {
    const Server server(short_limits());
    Client slow(server.port);
    std::thread drip([&slow] {
        for (const char c : get("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")) {
            slow.send(std::string(1, c));
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    CHECK(slow.rest().empty());
    drip.join();
}

TEST_CASE("http: a full server drops the one that has waited longest, never the newest") {
    HttpLimits limits;
    limits.connections_max = 3;
    const Server server(limits);
    std::list<Client> silent;
    for (int i = 0; i < 50; ++i) {
        silent.emplace_back(server.port);
    }
    CHECK(contains(server.ask(get("/a", last)), "</a|h>"));
    for (int i = 0; i < 47; ++i) {
        CHECK(silent.front().rest().empty());  // would hang if it were still open
        silent.pop_front();
    }
}

TEST_CASE("http: a connection that was just used is not the one to go") {
    HttpLimits limits;
    limits.connections_max = 2;
    const Server server(limits);
    Client used(server.port);
    Client silent(server.port);
    const std::string first = used.send(get("/a")).read(8);
    REQUIRE(first == "HTTP/1.1");
    CHECK(contains(server.ask(get("/c", last)), "</c|h>"));
    CHECK(silent.rest().empty());
    CHECK(contains(used.send(get("/b", last)).rest(), "</b|h>"));
}

TEST_CASE("http: a stream comes in parts, without a length, until somebody ends it") {
    HttpLimits limits = short_limits();
    limits.stream_ms = 10;
    Server server(limits);
    Client viewer(server.port);
    viewer.send(get("/count"));
    std::string got;
    while (!contains(got, "\n9\n")) {
        got += viewer.read(1);
        REQUIRE(got.size() < 2'000);
    }
    CHECK(contains(got, "HTTP/1.1 200 OK\r\n"));
    CHECK(contains(got, "Connection: close\r\n"));
    CHECK_FALSE(contains(got, "Content-Length"));
    CHECK(contains(got, "\r\n\r\n1\n3\n5\n7\n9\n"));
    CHECK(server.streams == 1);
    // Others are served meanwhile; whoever only wants the header gets no stream.
    CHECK(contains(server.ask(get("/a", last)), "</a|h>"));
    CHECK(contains(server.ask("HEAD /count HTTP/1.1\r\nHost: h\r\n\r\n"), "200 OK"));
    server.stop();
    viewer.rest();  // would hang if it were still open
}

TEST_CASE(
    "http: the stream of a viewer who has gone is destroyed, and so is one that is pushed out") {
    HttpLimits limits;
    limits.stream_ms = 5;
    limits.connections_max = 2;
    const Server server(limits);
    const auto becomes = [&server](int count) {
        for (int i = 0; i < 1'000 && server.streams != count; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return server.streams == count;
    };
    {
        Client viewer(server.port);
        viewer.send(get("/count")).read(20);
        CHECK(becomes(1));
    }
    CHECK(becomes(0));
    std::list<Client> viewers;
    for (int i = 0; i < 5; ++i) {
        viewers.emplace_back(server.port).send(get("/count")).read(20);
    }
    CHECK(becomes(2));
}

TEST_CASE("http: fields of the request that a handler may need, and those of its answer") {
    const Server server;
    const std::string got = server.ask(get(
        "/fields",
        "Origin: o\r\nIf-None-Match: n\r\nLast-Event-ID: e\r\nSec-Gang-Scheduler: u\r\n" + last));
    CHECK(got.ends_with("\r\n\r\no|n|e|u"));
    CHECK(contains(got, "ETag: \"7\"\r\n"));
}

TEST_CASE("http: a server's manners are in every answer, and refusals are told in its way") {
    HttpManners manners;
    manners.fields = {{"X-Manners", "good"}};
    manners.refuse = [](int status, const std::string& why) {
        return HttpReply{status, "{\"why\":\"" + why + "\"}"};
    };
    const Server server(HttpLimits(), manners);
    CHECK(contains(server.ask(get("/a", last)), "X-Manners: good\r\n"));
    const std::string refused = server.ask("POST /a HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(contains(refused, "X-Manners: good\r\n"));
    CHECK(contains(refused, "Allow: GET, HEAD\r\n"));
    CHECK(contains(refused, "Content-Type: application/json\r\n"));
    CHECK(refused.ends_with("{\"why\":\"only GET and HEAD are answered\"}"));
    CHECK(contains(server.ask(get("/" + std::string(20'000, 'x'))), "{\"why\":\"the request's header"));
}

TEST_CASE("http: a handler may answer later, or never, and the next request is taken meanwhile") {
    HttpLimits limits;
    limits.answer_ms = 200;
    asio::io_context io(1);
    HttpAnswer kept;
    auto server = HttpServer::listen_later(
        io, {"127.0.0.1", 0}, limits, [&kept](const HttpAsk& ask, HttpAnswer answer) {
            if (ask.target == "/later") {
                kept = std::move(answer);
            } else if (ask.target == "/now") {
                answer(HttpReply{200, "now", plain_text});
                kept(HttpReply{200, "later", plain_text});
            }
        });
    REQUIRE(server.has_value());
    const std::uint16_t port = (*server)->port();
    std::thread loop([&io] { io.run(); });
    Client first(port);
    first.send(get("/later", last));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(Client(port).send(get("/now", last)).rest().ends_with("now"));
    CHECK(first.rest().ends_with("later"));
    CHECK(contains(Client(port).send(get("/never", last)).rest(), " 504 "));
    asio::post(io, [&] {
        (*server)->stop();
        io.stop();
    });
    loop.join();
    kept(HttpReply{});  // too late, and no harm
}

TEST_CASE("http: a port that is taken is an error") {
    const Server server;
    asio::io_context io;
    CHECK_FALSE(HttpServer::listen(io, {"127.0.0.1", server.port}, {}, {}).has_value());
}

TEST_CASE("http: every address is IPv4's loopback, too") {
    asio::io_context io;
    const auto server = HttpServer::listen(io, {"", 0}, {}, {});
    REQUIRE(server.has_value());
    CHECK_NOTHROW(Client((*server)->port()));
}

TEST_CASE("http: EXT-18: bodies of POST are taken where a server takes them, up to a length") {
    HttpLimits limits;
    limits.body_max = 100'000;
    limits.body_ms = 200;
    const Server server(limits);
    const auto post = [](std::size_t length, const std::string& body) {
        return "POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: x/y\r\nConnection: close\r\n"
               "Content-Length: " +
               std::to_string(length) + "\r\n\r\n" + body;
    };
    CHECK(contains(server.ask(post(3, "abc")), "x/y:abc"));
    CHECK(contains(server.ask(post(0, "")), "x/y:"));
    const std::string large(100'000, 'x');
    CHECK(contains(server.ask(post(large.size(), large)), "x/y:" + large));
    CHECK(contains(server.ask(post(large.size() + 1, large + "x")), " 413 "));
    CHECK(
        contains(server.ask("POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: x/y\r\nConnection: close\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
            "x/y:abc"));
    CHECK(contains(server.ask(post(3, "ab")), " 408 "));
    CHECK(contains(server.ask("PUT /a HTTP/1.1\r\nHost: h\r\n\r\n"), " 405 "));
    CHECK(contains(server.ask(get("/a", last)), "</a|h>"));
}
