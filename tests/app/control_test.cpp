#include "gang/app/control_client.hpp"
#include "gang/app/control_http.hpp"
#include "gang/app/control_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

using namespace gang::app;
namespace asio = boost::asio;

namespace {

ControlSource source(bool ready = true) {
    return ControlSource{
        [] { return std::string("{\"gangs\":[]}"); },
        [](const std::string& question) {
            return question == "etl/a b" ? std::optional<std::string>("{\"driver\":\"a b\"}")
                                         : std::nullopt;
        },
        [ready] { return ready; }};
}

ControlReply get(const std::string& target, const std::string& host = "127.0.0.1:10351") {
    return control_reply(ControlRequest{true, target, host}, source());
}

/// A served endpoint on a thread of its own.
class Served {
public:
    Served() : work_(asio::make_work_guard(io_)) {
        auto started = ControlServer::listen(io_, {"127.0.0.1", 0}, source());
        REQUIRE(started.has_value());
        server_ = *std::move(started);
        port_ = server_->port();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Served() {
        asio::post(io_, [this] {
            server_->stop();
            work_.reset();
        });
        thread_.join();
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    std::uint16_t port() const { return port_; }

    /// Sends bytes as they are; what comes back until the end.
    std::string raw(const std::string& bytes) const {
        asio::io_context io;
        asio::ip::tcp::socket socket(io);
        socket.connect({asio::ip::make_address("127.0.0.1"), port_});
        boost::system::error_code ec;
        asio::write(socket, asio::buffer(bytes), ec);
        std::string out;
        asio::read(socket, asio::dynamic_buffer(out), ec);
        return out;
    }

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::unique_ptr<ControlServer> server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace

TEST_CASE("control: the four questions") {
    CHECK(get("/gangs") == ControlReply{200, "{\"gangs\":[]}"});
    CHECK(get("/explain?q=etl%2Fa%20b") == ControlReply{200, "{\"driver\":\"a b\"}"});
    CHECK(get("/explain?x=1&q=etl%2fa%20b").status == 200);
    CHECK(get("/livez").status == 200);
    CHECK(get("/readyz").status == 200);
    CHECK(control_reply(ControlRequest{true, "/readyz", "localhost"}, source(false)).status == 503);
}

TEST_CASE("control: wrong questions are answered, too") {
    CHECK(get("/explain").status == 400);
    CHECK(get("/explain?q=").status == 400);
    CHECK(get("/explain?q=%zz").status == 400);
    CHECK(get("/explain?q=%2").status == 400);
    CHECK(get("/explain?q=nobody").status == 404);
    CHECK(get("/").status == 404);
    CHECK(control_reply(ControlRequest{false, "/gangs", "localhost"}, source()).status == 405);
}

TEST_CASE("control: a web page whose name points at us gets nothing") {
    for (const char* host : {"evil.example", "evil.example:10351", "127.0.0.1.evil.example", ""}) {
        CHECK_MESSAGE(get("/gangs", host).status == 403, host);
    }
    for (const char* host : {"localhost:1", "127.0.0.1", "127.0.0.2:9", "[::1]:10351"}) {
        CHECK_MESSAGE(get("/gangs", host).status == 200, host);
    }
}

TEST_CASE("control: client and server understand each other") {
    const Served served;
    const auto answer = ask_daemon({"127.0.0.1", served.port()}, explain_target("etl/a b"));
    REQUIRE(answer.has_value());
    CHECK(answer->status == 200);
    CHECK(answer->body == "{\"driver\":\"a b\"}");
    CHECK(ask_daemon({"127.0.0.1", served.port()}, "/nothing")->status == 404);
}

TEST_CASE("control: what is no request, or too long, ends its connection and nothing else") {
    const Served served;
    const std::string end = "\r\n\r\n";
    CHECK(served.raw("nonsense" + end).empty());
    CHECK(
        served.raw("GET /gangs HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') + end)
            .empty());
    CHECK(
        served.raw("GET /gangs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n123456789")
            .find("200 OK") == std::string::npos);
    CHECK(
        served.raw("GET /livez HTTP/1.1\r\nHost: localhost" + end).find("200 OK") !=
        std::string::npos);
}

TEST_CASE("control: other addresses than loopback, and a port that is taken, are refused") {
    asio::io_context io;
    CHECK_FALSE(ControlServer::listen(io, {"0.0.0.0", 0}, source()).has_value());
    CHECK_FALSE(ControlServer::listen(io, {"10.1.2.3", 0}, source()).has_value());
    const auto first = ControlServer::listen(io, {"127.0.0.1", 0}, source());
    REQUIRE(first.has_value());
    CHECK_FALSE(ControlServer::listen(io, {"127.0.0.1", (*first)->port()}, source()).has_value());
}

TEST_CASE("control: asking where nobody listens is an error at once") {
    CHECK_FALSE(ask_daemon({"127.0.0.1", 1}, "/gangs").has_value());
}
