// Rules C1 to C11: who we are, whom we trust, and that it stays between us. Handshakes with
// certificates that are not the server's are in tls_test.cpp, single kubeconfigs in
// access_test.cpp.
#include "k8s/base/time.hpp"
#include "k8s/credentials/access.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/net/endpoint.hpp"
#include "tests/k8s/fake_server.hpp"
#include "tests/k8s/tls_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace k8s;
namespace fs = std::filesystem;

namespace {

struct Folder {
    Folder() {
        char name[] = "/tmp/gang-scheduler-test-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        path = name;
    }
    ~Folder() { fs::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
    fs::path path;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

boost::asio::awaitable<void> call(
    Connection& connection, Request request, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), CallLimits(5'000));
}

boost::asio::awaitable<void> open_stream(Connection& connection, std::vector<std::string>& into) {
    Request request("GET", "/stream");
    Reply reply = co_await connection.open_stream(std::move(request), CallLimits(5'000));
    if (std::holds_alternative<Failure>(reply)) into.push_back("failed");
    StreamPart part = co_await connection.read(5'000);
    if (const auto* bytes = std::get_if<std::string>(&part)) into.push_back(*bytes);
}

boost::asio::awaitable<void> read_stream(Connection& connection, std::vector<std::string>& into) {
    StreamPart part = co_await connection.read(5'000);
    into.push_back(std::holds_alternative<StreamEnd>(part) ? "end" : "no end");
}

/// A client on an endpoint; answers as text, failures after "!".
struct Client {
    explicit Client(std::shared_ptr<Endpoint> to) : connection(io, std::move(to)) {}
    std::string ask(const char* method = "GET") {
        std::optional<Reply> reply;
        boost::asio::co_spawn(io, call(connection, Request(method, "/"), reply), rethrow);
        fake::run_out(io);
        REQUIRE(reply);
        if (const auto* failure = std::get_if<Failure>(&*reply)) return "!" + failure->message;
        return std::get<Response>(*reply).body;
    }
    static void rethrow(std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
    }
    boost::asio::io_context io;
    Connection connection;
};

std::shared_ptr<Endpoint> endpoint_for(Access access, std::vector<std::string>* notices = nullptr) {
    auto made = Endpoint::make(std::move(access), "gang-scheduler/test");
    REQUIRE(made);
    if (notices != nullptr) {
        (*made)->set_notice([notices](NoticeLevel level, const std::string& text) {
            if (level >= NoticeLevel::warning) notices->push_back(text);
        });
    }
    return *made;
}

/// A TLS server, and an access to it whose CA and client certificate are files.
struct Rotation {
    Rotation() : server("by-address") {
        access = fake_tls::trusting(server);
        access.ca_file = folder.write("ca.crt", access.ca_pem);
    }
    // The first question only says from when on the files count. The answer is when they are due;
    // what connections ask meanwhile, by the real clock, comes before that.
    static std::int64_t begin(Endpoint& endpoint) {
        const std::int64_t start = monotonic_ms();
        endpoint.refresh(start);
        return start + trust_reread_ms;
    }
    Folder folder;
    fake_tls::TlsServer server;
    Access access;
};

struct Environment {
    Environment(const char* variable, const char* value) : name(variable) {
        const char* old = std::getenv(variable);
        had = old != nullptr;
        if (had) before = old;
        value == nullptr ? ::unsetenv(variable) : ::setenv(variable, value, 1);
    }
    ~Environment() { had ? ::setenv(name, before.c_str(), 1) : ::unsetenv(name); }
    const char* name;
    std::string before;
    bool had = false;
};

}  // namespace

TEST_CASE("C1: a rotated token is in use within a minute, one that cannot be read is an alarm") {
    const Folder folder;
    const std::string file = folder.write("token", "first");
    Access access;
    access.tls = false;
    access.token_file = file;
    std::vector<std::string> notices;
    const auto endpoint = endpoint_for(access, &notices);
    CHECK(endpoint->token(0) == "first");
    folder.write("token", "second");
    CHECK(endpoint->token(60'000) == "second");
    fs::remove(file);
    CHECK(endpoint->token(120'000) == "second");
    CHECK(endpoint->token(180'000) == "second");
    CHECK_FALSE(endpoint->token_refused(0, 180'001));
    CHECK(endpoint->problems().token == "cannot read a token from " + file);
    CHECK(notices.size() == 1);
    CHECK(has(notices.front(), file));
    folder.write("token", "third");
    CHECK(endpoint->token_refused(0, 180'002));
    CHECK(endpoint->token(180'003) == "third");
    CHECK(endpoint->problems().token.empty());
}

TEST_CASE("C1: the old token is revoked, and no call fails") {
    const Folder folder;
    folder.write("token", "old");
    std::atomic<bool> revoked = false;
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        const bool good =
            request.headers.at("authorization") == (revoked ? "Bearer new" : "Bearer old");
        peer.reply(good ? 200 : 401, good ? "fine" : "{}");
    });
    Access access = server.access();
    access.token_file = (folder.path / "token").string();
    Client client(endpoint_for(access));
    CHECK(client.ask("POST") == "fine");
    folder.write("token", "new");
    revoked = true;
    CHECK(client.ask("POST") == "fine");
    CHECK(client.ask() == "fine");
    CHECK(server.requests().size() == 4);
}

TEST_CASE("C2: the mount is swapped by symlink, and the file is opened anew each time") {
    const Folder folder;
    for (const char* generation : {"..1", "..2"}) fs::create_directory(folder.path / generation);
    folder.write("..1/token", "first\n");
    folder.write("..2/token", " second \r\n");
    fs::create_symlink("..1", folder.path / "..data");
    fs::create_symlink("..data/token", folder.path / "token");
    Token token("", (folder.path / "token").string());
    CHECK(token.current(0) == "first");
    fs::create_symlink("..2", folder.path / "..tmp");
    fs::rename(folder.path / "..tmp", folder.path / "..data");
    fs::remove_all(folder.path / "..1");
    CHECK(token.current(60'000) == "second");
}

TEST_CASE(
    "C3: a CA is rotated over a bundle without an outage, and the old server is refused then") {
    Rotation now;
    const auto endpoint = endpoint_for(now.access);
    const std::int64_t due = Rotation::begin(*endpoint);
    const std::string both = fake_tls::read("ca.pem") + fake_tls::read("other-ca.pem");
    CHECK(Client(endpoint).ask() == "http/1.1||");

    now.folder.write("ca.crt", both);
    endpoint->refresh(due - 1);
    CHECK(endpoint->access().ca_pem == now.access.ca_pem);
    endpoint->refresh(due);
    CHECK(Client(endpoint).ask() == "http/1.1||");
    now.server.use("foreign");
    CHECK(Client(endpoint).ask() == "http/1.1||");

    now.folder.write("ca.crt", fake_tls::read("other-ca.pem"));
    endpoint->refresh(due + trust_reread_ms);
    CHECK(Client(endpoint).ask() == "http/1.1||");
    now.server.use("by-address");
    const std::string refused = Client(endpoint).ask();
    CAPTURE(refused);
    CHECK(has(refused, "TLS: "));
    CHECK(has(refused, "certificate"));
}

TEST_CASE("C3: bad content keeps the old trust, is said once, and is tried again soon") {
    Rotation now;
    std::vector<std::string> notices;
    const auto endpoint = endpoint_for(now.access, &notices);
    const std::int64_t due = Rotation::begin(*endpoint);
    const std::string half = fake_tls::read("other-ca.pem").substr(0, 200);
    std::int64_t time = due;
    for (const std::string& bad : {std::string(), std::string("canary"), half}) {
        CAPTURE(bad);
        now.folder.write("ca.crt", bad);
        endpoint->refresh(time);
        endpoint->refresh(time += trust_retry_ms);
        CHECK(Client(endpoint).ask() == "http/1.1||");
        CHECK_FALSE(endpoint->problems().trust.empty());
        CHECK_FALSE(has(endpoint->problems().trust, "canary"));
        time += trust_retry_ms;
    }
    fs::remove(now.access.ca_file);
    endpoint->refresh(time);
    CHECK(Client(endpoint).ask() == "http/1.1||");
    CHECK(notices.size() == 4);  // one for each kind of bad, none for its repetition
    now.folder.write("ca.crt", fake_tls::read("other-ca.pem"));
    endpoint->refresh(time + trust_retry_ms);
    CHECK(endpoint->problems().trust.empty());
    CHECK(Client(endpoint).ask().front() == '!');
}

TEST_CASE("C3: new trust is for new connections, open ones go on") {
    Rotation now;
    const auto endpoint = endpoint_for(now.access);
    const std::int64_t due = Rotation::begin(*endpoint);
    Client open(endpoint);
    CHECK(open.ask() == "http/1.1||");
    now.folder.write("ca.crt", fake_tls::read("other-ca.pem"));
    endpoint->refresh(due);
    CHECK(open.ask() == "http/1.1||");
    CHECK(now.server.connections() == 1);
    CHECK(Client(endpoint).ask().front() == '!');
}

TEST_CASE("C3: a handshake that fails has the files read again") {
    Rotation now;
    const auto endpoint = endpoint_for(now.access);
    endpoint->refresh(monotonic_ms() - trust_retry_ms);
    now.server.use("foreign");
    now.folder.write("ca.crt", fake_tls::read("other-ca.pem"));
    CHECK(Client(endpoint).ask().front() == '!');
    CHECK(Client(endpoint).ask() == "http/1.1||");
}

TEST_CASE("C3: another client certificate ends the connections that show the old one") {
    Rotation now;
    const auto show = [&](const std::string& name) {
        now.folder.write("client.crt", fake_tls::read(name + ".pem"));
        now.folder.write("client.key", fake_tls::read(name + ".key"));
    };
    show("client");
    now.access.client_certificate_file = (now.folder.path / "client.crt").string();
    now.access.client_key_file = (now.folder.path / "client.key").string();
    now.access.client_certificate_pem = fake_tls::read("client.pem");
    now.access.client_key_pem = fake_tls::read("client.key");
    const auto endpoint = endpoint_for(now.access);
    const std::int64_t due = Rotation::begin(*endpoint);
    Client client(endpoint);
    CHECK(client.ask() == "http/1.1||a-user");
    Client watching(endpoint);
    std::vector<std::string> parts;
    boost::asio::co_spawn(watching.io, open_stream(watching.connection, parts), Client::rethrow);
    fake::run_out(watching.io);
    REQUIRE(parts == std::vector<std::string>{"http/1.1||a-user"});

    // Half of a rotation: the key does not belong to the certificate, the old pair stays.
    now.folder.write("client.crt", fake_tls::read("wrong-use.pem"));
    endpoint->refresh(due);
    CHECK(client.ask() == "http/1.1||a-user");
    CHECK(now.server.connections() == 2);
    show("wrong-use");
    endpoint->refresh(due + trust_retry_ms);
    CHECK(client.ask() == "http/1.1||wrong-use");
    CHECK(now.server.connections() == 3);
    boost::asio::co_spawn(watching.io, read_stream(watching.connection, parts), Client::rethrow);
    fake::run_out(watching.io);
    CHECK(parts.back() == "end");
}

TEST_CASE("C5: in a pod a missing, empty or foreign CA is fatal, and so is a missing token") {
    const Environment host("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    const Environment port("KUBERNETES_SERVICE_PORT", "443");
    const Folder folder;
    const std::string mount = folder.path.string() + "/";
    const auto problem = [&] {
        const auto access = in_cluster_access(mount);
        if (!access) return access.error().message;
        const auto endpoint = Endpoint::make(*access, "gang-scheduler/test");
        return endpoint ? std::string() : endpoint.error().message;
    };
    folder.write("token", "t");
    CHECK(problem() == "cannot read " + mount + "ca.crt");
    folder.write("ca.crt", "");
    CHECK(problem() == "cannot read " + mount + "ca.crt");
    folder.write("ca.crt", "no certificate");
    CHECK(has(problem(), "cannot use the certificate authority"));
    folder.write("ca.crt", fake_tls::read("ca.pem"));
    CHECK(problem().empty());
    folder.write("token", "\n");
    CHECK(problem() == "cannot read " + mount + "token");
}

TEST_CASE("C6: unverified trust is said once, as a warning") {
    Access access;
    access.insecure_skip_verify = true;
    std::vector<std::string> notices;
    const auto endpoint = endpoint_for(access, &notices);
    for (int i = 0; i < 3; ++i) endpoint->refresh(i * trust_reread_ms);
    REQUIRE(notices.size() == 1);
    CHECK(has(notices.front(), "insecure-skip-tls-verify"));
    notices.clear();
    access.insecure_skip_verify = false;
    endpoint_for(access, &notices);
    CHECK(notices.empty());
}

TEST_CASE("C7: the environment and the mounts of a pod") {
    const Folder folder;
    folder.write("ca.crt", "CA");
    folder.write("token", "t");
    folder.write("namespace", "team");
    const std::string mount = folder.path.string() + "/";
    const auto with = [&](const char* host_value, const char* port_value) {
        const Environment host("KUBERNETES_SERVICE_HOST", host_value);
        const Environment port("KUBERNETES_SERVICE_PORT", port_value);
        return in_cluster_access(mount);
    };
    const auto access = with("10.96.0.1", "6443");
    REQUIRE(access);
    CHECK(access->host == "10.96.0.1");
    CHECK(access->port == 6443);
    CHECK(access->tls);
    CHECK(access->ca_file == mount + "ca.crt");
    CHECK(access->token_file == mount + "token");
    CHECK(access->namespace_name == "team");
    CHECK(with("fd00::1", "443")->host == "fd00::1");
    struct Bad {
        const char* host;
        const char* port;
    };
    for (const Bad& bad :
         {Bad{nullptr, "443"},
          Bad{"", "443"},
          Bad{"10.96.0.1", nullptr},
          Bad{"10.96.0.1", ""},
          Bad{"10.96.0.1", "https"},
          Bad{"10.96.0.1", "70000"},
          Bad{"10.96.0.1", "443x"},
          Bad{"10.96.0.1", "-1"},
          Bad{"10.96.0.1", "tcp://10.96.0.1:443"}}) {
        CHECK_FALSE(with(bad.host, bad.port));
    }
    fs::remove(folder.path / "namespace");
    CHECK(with("10.96.0.1", "443")->namespace_name == "default");
}

TEST_CASE("C7: an IPv6 address stands in brackets where a port follows") {
    Access access;
    access.tls = false;
    access.host = "::1";
    access.port = 1;
    CHECK(has(Client(endpoint_for(access)).ask(), "cannot connect to [::1]:1: "));
}

TEST_CASE("C10: a token is in no failure, problem or notice, whatever becomes of its request") {
    const std::string canary = "canary-9f3c1e";
    std::atomic<int> requests = 0;
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        REQUIRE(request.headers.at("authorization") == "Bearer " + canary);
        switch (++requests) {
            case 1:
                return peer.reset();
            case 2:
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
                return peer.hang_up();
            case 3:
                peer.send("nonsense " + request.headers.at("authorization") + "\r\n\r\n");
                return peer.hang_up();
            default:
                peer.reply(401, "{}");
        }
    });
    Access access = server.access();
    access.token = canary;
    std::vector<std::string> notices;
    Client client(endpoint_for(access, &notices));
    for (int i = 0; i < 4; ++i) CHECK_FALSE(has(client.ask("POST"), canary));
    for (const std::string& text : notices) CHECK_FALSE(has(text, canary));
    CHECK(requests == 4);
}
