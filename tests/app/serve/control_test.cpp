#include "gang/app/cli/control_client.hpp"
#include "gang/app/serve/control_http.hpp"
#include "gang/app/serve/http_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace gang::app;
namespace asio = boost::asio;

namespace {

ControlSource source() {
    return ControlSource{
        [] { return std::string("{\"gangs\":[]}"); },
        [](const std::string& question) {
            return question == "etl/a b" ? std::optional<std::string>("{\"driver\":\"a b\"}")
                                         : std::nullopt;
        },
        [](bool check_consistency) {
            return std::string(check_consistency ? R"({"now":1})" : R"({"now":0})");
        },
        [] { return std::string("{\"queues\":[]}"); }};
}

HttpReply get(const std::string& target, const std::string& host = "127.0.0.1:10351") {
    return control_reply(HttpAsk{target, host}, source());
}

/// A served endpoint on a thread of its own.
class Served {
public:
    explicit Served(const config::ListenAddress& address = {"127.0.0.1", 0})
        : work_(asio::make_work_guard(io_)) {
        auto started = HttpServer::listen(io_, address, control_limits(), [](const HttpAsk& ask) {
            return control_reply(ask, source());
        });
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

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::unique_ptr<HttpServer> server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace

TEST_CASE("control: the ledger is audited only when that is asked for") {
    CHECK(get("/ledger").body == R"({"now":0})");
    CHECK(get("/ledger?audit=now").body == R"({"now":1})");
    CHECK(get("/ledger?audit=later").body == R"({"now":0})");
    CHECK(get("/queues").body == R"({"queues":[]})");
}

TEST_CASE("control: the two questions") {
    CHECK(get("/gangs") == HttpReply{200, "{\"gangs\":[]}"});
    CHECK(get("/explain?q=etl%2Fa%20b") == HttpReply{200, "{\"driver\":\"a b\"}"});
    CHECK(get("/explain?x=1&q=etl%2fa%20b").status == 200);
}

TEST_CASE("control: wrong questions are answered, too") {
    CHECK(get("/explain").status == 400);
    CHECK(get("/explain?q=").status == 400);
    CHECK(get("/explain?q=%zz").status == 400);
    CHECK(get("/explain?q=%2").status == 400);
    CHECK(get("/explain?q=nobody").status == 404);
    CHECK(get("/").status == 404);
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

TEST_CASE("control: over a Unix socket that only its owner may open") {
    const std::string path = "/tmp/gang-scheduler-test-" + std::to_string(::getpid()) + ".sock";
    {
        const Served served({"", 0, path});
        struct stat found {};
        REQUIRE(::stat(path.c_str(), &found) == 0);
        CHECK((found.st_mode & 0777) == 0600);
        const auto answer = ask_daemon({"", 0, path}, "/gangs");
        REQUIRE(answer.has_value());
        CHECK(answer->status == 200);
        asio::io_context io;
        const auto second = HttpServer::listen(
            io, {"", 0, path}, control_limits(), [](const HttpAsk&) { return HttpReply{}; });
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().message == path + " is in use");
    }
    CHECK(::access(path.c_str(), F_OK) != 0);  // taken away at the end
}

TEST_CASE("control: a socket that a killed process left is taken over, a file is not touched") {
    const std::string path = "/tmp/gang-scheduler-test-" + std::to_string(::getpid()) + ".left";
    {
        asio::io_context io;
        asio::local::stream_protocol::acceptor left(io);
        left.open(asio::local::stream_protocol());
        left.bind(asio::local::stream_protocol::endpoint(path));
    }
    {
        const Served served({"", 0, path});
        CHECK(ask_daemon({"", 0, path}, "/gangs").has_value());
    }
    std::ofstream(path) << "precious";
    asio::io_context io;
    CHECK_FALSE(HttpServer::listen(io, {"", 0, path}, control_limits(), [](const HttpAsk&) {
                    return HttpReply{};
                }).has_value());
    CHECK(::access(path.c_str(), F_OK) == 0);
    ::unlink(path.c_str());
}

TEST_CASE("control: asking where nobody listens is an error at once") {
    CHECK_FALSE(ask_daemon({"127.0.0.1", 1}, "/gangs").has_value());
}
