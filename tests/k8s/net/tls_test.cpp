// Real handshakes: whom we trust, what we offer. The certificates are in pki/.
#include "k8s/net/connection.hpp"
#include "k8s/net/endpoint.hpp"
#include "tests/k8s/tls_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <functional>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace k8s;

using namespace fake_tls;

namespace {

void rethrow(std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
}

std::shared_ptr<Endpoint> endpoint_of(const Access& access) {
    auto endpoint = Endpoint::make(access, "gang-scheduler/test");
    REQUIRE(endpoint);
    return *endpoint;
}

boost::asio::awaitable<void> call(Connection& connection, std::optional<Reply>& into) {
    into = co_await connection.call(Request("GET", "/"), CallLimits(5'000));
}

/// By a connection of its own: the body, or the failure's text after "!".
std::string answer(const std::shared_ptr<Endpoint>& endpoint) {
    boost::asio::io_context io;
    Connection connection(io, endpoint);
    std::optional<Reply> reply;
    boost::asio::co_spawn(io, call(connection, reply), rethrow);
    io.run();
    REQUIRE(reply);
    if (const auto* failure = std::get_if<Failure>(&*reply)) {
        CHECK_FALSE(failure->maybe_sent);  // no request goes to a server that is not trusted
        return "!" + failure->message;
    }
    return std::get<Response>(*reply).body;
}

std::string answer(const Access& access) {
    return answer(endpoint_of(access));
}

bool refused(const std::string& text, const std::string& why) {
    return text.front() == '!' && text.find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("C4: a literal address is checked as an address, without SNI") {
    TlsServer server("by-address");
    CHECK(answer(trusting(server)) == "http/1.1||");
}

TEST_CASE("C4: tls-server-name is what is checked and sent") {
    TlsServer server("by-name");
    Access access = trusting(server);
    access.tls_server_name = "api.test";
    CHECK(answer(access) == "http/1.1|api.test|");
}

TEST_CASE("tls: the client certificate is shown") {
    TlsServer server("by-address");
    Access access = trusting(server);
    access.client_certificate_pem = read("client.pem");
    access.client_key_pem = read("client.key");
    CHECK(answer(access) == "http/1.1||a-user");
}

TEST_CASE("C4: certificates that are not the server's are refused, before a request is sent") {
    struct Case {
        const char* certificate;
        const char* why;
    };
    for (const Case& one :
         {Case{"by-name", "IP address mismatch"},
          Case{"cn-only", "IP address mismatch"},
          Case{"address-as-name", "IP address mismatch"},
          Case{"expired", "expired"},
          Case{"not-yet", "not yet valid"},
          Case{"wrong-use", "purpose"},
          Case{"foreign", "unable to get local issuer certificate"}}) {
        CAPTURE(one.certificate);
        TlsServer server(one.certificate);
        const std::string text = answer(trusting(server));
        CAPTURE(text);
        CHECK(refused(text, one.why));
    }
}

TEST_CASE("C3: several roots in one bundle are all trusted") {
    TlsServer server("foreign");
    Access access = trusting(server);
    access.ca_pem += read("other-ca.pem");
    CHECK(answer(access) == "http/1.1||");
}

TEST_CASE("tls: without a CA the system's roots decide, and ours is not among them") {
    TlsServer server("by-address");
    Access access = trusting(server);
    access.ca_pem.clear();
    CHECK(answer(access).front() == '!');
}

TEST_CASE("C6: verification is left out only when asked for") {
    TlsServer server("expired");
    Access access = trusting(server);
    access.ca_pem.clear();
    access.insecure_skip_verify = true;
    CHECK(answer(access) == "http/1.1||");
}

TEST_CASE("B1: HTTP/1.1 is what is agreed on, whatever else a server could speak") {
    TlsServer server("by-name");
    Access access = trusting(server);
    access.tls_server_name = "api.test";
    CHECK(answer(access).rfind("http/1.1|", 0) == 0);
}

TEST_CASE("tls: 1.1 is too old") {
    TlsServer server("by-address", TLS1_1_VERSION);
    CHECK(answer(trusting(server)).front() == '!');
}

TEST_CASE("tls: a plain HTTP server behind https is a failure") {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener, 1) == 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    std::thread server([&] {
        const int socket = ::accept(listener, nullptr, nullptr);
        const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
        ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        ::shutdown(socket, SHUT_WR);
        char byte = 0;
        while (::recv(socket, &byte, 1, 0) > 0) {
        }
        ::close(socket);
    });
    Access access;
    access.host = "127.0.0.1";
    access.port = ntohs(address.sin_port);
    access.ca_pem = read("ca.pem");
    CHECK(answer(access).front() == '!');
    server.join();
    ::close(listener);
}

TEST_CASE("C10: bad material is a start-up error that does not quote it") {
    Access access;
    access.host = "127.0.0.1";
    const auto problem = [&] {
        const auto endpoint = Endpoint::make(access, "gang-scheduler/test");
        return endpoint ? std::string("accepted") : endpoint.error().message;
    };
    access.ca_pem = "canary-not-a-certificate";
    CHECK(problem().find("certificate authority") != std::string::npos);
    CHECK(problem().find("canary") == std::string::npos);
    access.ca_pem = read("ca.pem");
    CHECK(problem() == "accepted");
    access.client_certificate_pem = read("client.pem");
    access.client_key_pem = "canary-not-a-key";
    CHECK(problem().find("client key") != std::string::npos);
    CHECK(problem().find("canary") == std::string::npos);
    access.client_key_pem = read("by-name.key");
    CHECK(problem() != "accepted");
}

TEST_CASE("C4: a name is not found in the CN, and no wildcard stands for half a label") {
    TlsServer server("by-address");  // its CN, and no name anywhere else in it
    Access access = trusting(server);
    access.tls_server_name = "by-address";
    CHECK(refused(answer(access), "hostname mismatch"));
    TlsServer named("by-name");
    for (const char* other : {"api.test.evil", "xapi.test", "test"}) {
        access = trusting(named);
        access.tls_server_name = other;
        CHECK(refused(answer(access), "hostname mismatch"));
    }
}

namespace {

/// A connection to a server that it trusts.
struct Client {
    TlsServer server{"by-address"};
    boost::asio::io_context io;
    Connection connection{io, endpoint_of(trusting(server))};

    void start(boost::asio::awaitable<void> what) {
        boost::asio::co_spawn(io, std::move(what), rethrow);
    }
};

boost::asio::awaitable<void> follow(
    Connection& connection, std::optional<Reply>& opened, std::string& heard, StreamPart& last) {
    opened = co_await connection.open_stream(Request("GET", "/stream"), CallLimits(5'000));
    for (;;) {
        last = co_await connection.read(50);
        const auto* bytes = std::get_if<std::string>(&last);
        if (bytes == nullptr) co_return;
        heard += *bytes;
    }
}

}  // namespace

TEST_CASE("tls: a server that falls silent is left at the deadline") {
    Client client;
    std::optional<Reply> opened;
    std::string heard;
    StreamPart last;
    client.start(follow(client.connection, opened, heard, last));
    client.io.run();
    REQUIRE(opened);
    CHECK(std::holds_alternative<Response>(*opened));
    CHECK(heard == "http/1.1||");
    REQUIRE(std::holds_alternative<Failure>(last));
    CHECK(std::get<Failure>(last).silent);
    CHECK_FALSE(client.connection.is_open());
}

namespace {

boost::asio::awaitable<void> drink(Connection& connection, std::size_t& heard, std::size_t& sum) {
    const Reply opened =
        co_await connection.open_stream(Request("GET", "/flood"), CallLimits(5'000));
    REQUIRE(std::holds_alternative<Response>(opened));
    while (heard < fake_tls::flood_size) {
        const StreamPart part = co_await connection.read(5'000);
        const auto* bytes = std::get_if<std::string>(&part);
        if (bytes == nullptr) co_return;
        heard += bytes->size();
        // As slow as a reader is that makes something of it: the server is always ahead.
        for (int pass = 0; pass < 50; ++pass) sum += std::hash<std::string>()(*bytes) % 2;
    }
}

}  // namespace

TEST_CASE("tls: a server that is always ahead leaves others their turns") {
    Client client;
    std::size_t heard = 0;
    std::size_t sum = 0;
    std::size_t turns = 0;
    std::function<void()> other = [&] {
        if (heard == 0) return boost::asio::post(client.io, other);
        if (heard < fake_tls::flood_size) {
            ++turns;
            boost::asio::post(client.io, other);
        }
    };
    boost::asio::post(client.io, other);
    client.start(drink(client.connection, heard, sum));
    client.io.run();
    REQUIRE(heard == fake_tls::flood_size);
    CHECK(turns >= 40);  // of 64 stretches
}

TEST_CASE("tls: close() ends what waits") {
    Client client;
    std::optional<Reply> reply;
    const auto call_stream = [&]() -> boost::asio::awaitable<void> {
        reply = co_await client.connection.call(Request("GET", "/stream"), CallLimits(60'000));
    };
    client.start(call_stream());
    while (!client.connection.is_open()) client.io.run_one();
    client.connection.close();
    client.io.run();
    REQUIRE(reply);
    REQUIRE(std::holds_alternative<Failure>(*reply));
    CHECK(std::get<Failure>(*reply).message.find("cancelled") != std::string::npos);
}

TEST_CASE("tls: the second connection goes without certificates") {
    TlsServer server("by-address");
    const auto endpoint = endpoint_of(trusting(server));
    CHECK(answer(endpoint) == "http/1.1||");
    CHECK(answer(endpoint) == "http/1.1||");
    CHECK(server.connections() == 2);
    CHECK(server.resumed() == 1);
}

TEST_CASE("tls: who is resumed is still known by the client certificate") {
    TlsServer server("by-address");
    Access access = trusting(server);
    access.client_certificate_pem = read("client.pem");
    access.client_key_pem = read("client.key");
    const auto endpoint = endpoint_of(access);
    CHECK(answer(endpoint) == "http/1.1||a-user");
    CHECK(answer(endpoint) == "http/1.1||a-user");
    CHECK(server.resumed() == 1);
}

TEST_CASE("tls: a server that cannot take up its own sessions is asked afresh at once") {
    TlsServer server("by-address", 0, false);
    const auto endpoint = endpoint_of(trusting(server));
    for (int call = 0; call < 3; ++call) CHECK(answer(endpoint) == "http/1.1||");
    CHECK(server.connections() == 4);  // one for nothing, and then no more of these
    CHECK(server.resumed() == 0);
}
