// Rule C9: credential plugins, from the kubeconfig to the header of a request.
#include "k8s/base/time.hpp"
#include "k8s/credentials/access.hpp"
#include "k8s/json/json.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/net/endpoint.hpp"
#include "tests/k8s/credentials/exec/scripts.hpp"
#include "tests/k8s/fake_server.hpp"
#include "tests/k8s/tls_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace k8s;

namespace {

boost::asio::awaitable<void> call(
    Connection& connection, Request request, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), CallLimits(5'000));
}

boost::asio::awaitable<void> call_briefly(
    Connection& connection, Request request, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), CallLimits(500));
}

void rethrow(std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
}

std::string body(const std::optional<Reply>& reply) {
    REQUIRE(reply);
    if (const auto* failure = std::get_if<Failure>(&*reply)) return "!" + failure->message;
    const auto& response = std::get<Response>(*reply);
    return response.status == 200 ? response.body : std::to_string(response.status);
}

struct Client {
    explicit Client(std::shared_ptr<Endpoint> to) : connection(io, std::move(to)) {}
    std::string ask() {
        std::optional<Reply> reply;
        boost::asio::co_spawn(io, call(connection, Request("POST", "/"), reply), rethrow);
        fake::run_out(io);
        return body(reply);
    }
    boost::asio::io_context io;
    Connection connection;
};

/// A server that knows one token at a time, and answers with it.
struct Guard {
    Guard()
        : server([this](fake::Peer& peer, const fake::Request& request) {
              const auto shown = request.headers.find("authorization");
              const std::lock_guard lock(mutex);
              const std::string bearer =
                  shown == request.headers.end() ? std::string() : shown->second;
              const bool is_next = !next.empty() && bearer == "Bearer " + next;
              const bool is_good = is_next || bearer == "Bearer " + token;
              peer.reply(is_good ? 200 : 401, is_good ? (is_next ? next : token) : "{}");
          }) {}
    void expect(const std::string& now) {
        const std::lock_guard lock(mutex);
        token = now;
    }
    std::mutex mutex;
    std::string token = "first";
    std::string next;  ///< taken as well, if there is one
    fake::Server server;
};

std::shared_ptr<Endpoint> endpoint_for(Access access, std::vector<std::string>* notices = nullptr) {
    auto made = Endpoint::make(std::move(access), "gang-scheduler/test");
    INFO((made ? std::string() : made.error().message));
    REQUIRE(made);
    if (notices != nullptr) {
        (*made)->set_notice(
            [notices](NoticeLevel, const std::string& text) { notices->push_back(text); });
    }
    return *made;
}

Access with_plugin(Access access, const ExecPlugin& plugin) {
    access.plugin = plugin;
    return access;
}

std::string in_ms(std::int64_t ms) {
    return format_micro_time(unix_ms() + ms);
}

std::string kubeconfig(const std::string& user, const std::string& cluster = "") {
    return "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: 'https://h:6443'" +
           cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

}  // namespace

TEST_CASE("C9: reading a kubeconfig runs no plugin") {
    const scripts::Folder folder;
    const auto access = load_kubeconfig({folder.write(
        "config",
        kubeconfig(
            "exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, "
            "args: ['" +
            folder.path("ran") + "'], interactiveMode: Never}"))});
    REQUIRE(access);
    REQUIRE(access->plugin);
    CHECK(access->plugin->user == "u");
    CHECK(access->plugin->command == "touch");
    CHECK(folder.read("ran").empty());
    CHECK_FALSE(std::filesystem::exists(folder.path("ran")));
}

TEST_CASE("C9: in a pod no plugin is run") {
    const char* const variable = "KUBERNETES_SERVICE_HOST";
    const char* const before = std::getenv(variable);
    const std::string kept = before == nullptr ? "" : before;
    ::setenv(variable, "10.0.0.1", 1);
    Access access;
    access.tls = false;
    access.host = "127.0.0.1";
    access.plugin.emplace().command = "true";
    const auto refused = Endpoint::make(access, "test");
    before == nullptr ? ::unsetenv(variable) : ::setenv(variable, kept.c_str(), 1);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("in a pod no program of a kubeconfig is run") != std::string::npos);
}

TEST_CASE("C9: all that a kubeconfig says of a plugin") {
    const scripts::Folder folder;
    folder.write("ca.pem", "CA");
    const auto access = load_kubeconfig({folder.write(
        "config",
        kubeconfig(
            "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: bin/login, "
            "args: [get-token, --for, 7], env: [{name: A, value: b}], installHint: get it, "
            "provideClusterInfo: true}",
            ", certificate-authority: ca.pem, tls-server-name: k, disable-compression: true, "
            "extensions: [{name: other, extension: x}, {name: client.authentication.k8s.io/exec, "
            "extension: {audience: \"7\", n: 7, half: 0.5, on: true, none: null, all: [a]}}]"))});
    REQUIRE(access);
    REQUIRE(access->plugin);
    const ExecPlugin& plugin = *access->plugin;
    CHECK(plugin.command == folder.path("bin/login"));
    CHECK(plugin.arguments == std::vector<std::string>{"get-token", "--for", "7"});
    CHECK(plugin.variables == std::map<std::string, std::string>{{"A", "b"}});
    CHECK(plugin.install_hint == "get it");
    CHECK(plugin.input == PluginInput::if_available);
    CHECK_FALSE(plugin.is_attended);
    CHECK(
        plugin.cluster ==
        R"({"server":"https://h:6443","tls-server-name":"k","certificate-authority-data":"Q0E=",)"
        R"("disable-compression":true,"config":{"audience":"7","n":7,"half":0.5,"on":true,)"
        R"("none":null,"all":["a"]}})");
}

TEST_CASE("C9: what it gives is sent, and it is asked once for many requests") {
    const scripts::Folder folder;
    Guard guard;
    folder.write("answer", scripts::token_answer("first", in_ms(3'600'000)));
    const auto endpoint = endpoint_for(with_plugin(guard.server.access(), folder.plugin()));
    Client one(endpoint);
    Client other(endpoint);
    for (int i = 0; i < 3; ++i) {
        CHECK(one.ask() == "first");
        CHECK(other.ask() == "first");
    }
    CHECK(folder.runs() == 1);
    CHECK(guard.server.requests().size() == 6);
}

TEST_CASE("C9: one that gives nothing at the start is an error, not an anonymous client") {
    const scripts::Folder folder;
    Guard guard;
    const auto made =
        Endpoint::make(with_plugin(guard.server.access(), folder.plugin()), "gang-scheduler/test");
    REQUIRE_FALSE(made);
    CHECK(
        made.error().message.find("of user \"u\": it ended with exit code 1") != std::string::npos);
    CHECK(guard.server.requests().empty());
}

TEST_CASE("C9: a 401 asks it again, once for all connections, and no call fails") {
    const scripts::Folder folder;
    Guard guard;
    folder.write("answer", scripts::token_answer("first"));
    const auto endpoint = endpoint_for(with_plugin(guard.server.access(), folder.plugin()));
    boost::asio::io_context io;
    std::vector<std::unique_ptr<Connection>> connections;
    std::vector<std::optional<Reply>> replies(5);
    folder.write("answer", scripts::token_answer("second"));
    guard.expect("second");
    for (auto& reply : replies) {
        connections.push_back(std::make_unique<Connection>(io, endpoint));
        boost::asio::co_spawn(io, call(*connections.back(), Request("POST", "/"), reply), rethrow);
    }
    fake::run_out(io);
    for (const auto& reply : replies) CHECK(body(reply) == "second");
    CHECK(folder.runs() == 2);
    CHECK(guard.server.requests().size() == 10);
}

TEST_CASE("C9: a 401 that stays is an answer, and the plugin is asked once") {
    const scripts::Folder folder;
    Guard guard;
    folder.write("answer", scripts::token_answer("revoked"));
    const auto endpoint = endpoint_for(with_plugin(guard.server.access(), folder.plugin()));
    Client client(endpoint);
    for (int i = 0; i < 3; ++i) CHECK(client.ask() == "401");
    CHECK(folder.runs() == 2);
    CHECK(guard.server.requests().size() == 3);
}

TEST_CASE("C9: it is asked again before what it gave is over, and nothing waits for that") {
    const scripts::Folder folder;
    Guard guard;
    folder.write("answer", scripts::token_answer("first", in_ms(4'000)));
    ExecPlugin plugin = folder.plugin();
    plugin.command = folder.script(
        "slow", "test -e " + folder.path("later") + " && sleep 0.5; cat " + folder.path("answer"));
    const auto endpoint = endpoint_for(with_plugin(guard.server.access(), plugin));
    folder.write("later", "");
    folder.write("answer", scripts::token_answer("second", in_ms(3'600'000)));
    Client client(endpoint);
    guard.next = "second";  // the request itself may find that it is there
    const std::int64_t began = monotonic_ms();
    std::int64_t longest = 0;
    while (endpoint->token(0) == "first" && monotonic_ms() - began < 8'000) {
        const std::int64_t before = monotonic_ms();
        const std::string answer = client.ask();
        CHECK((answer == "first" || answer == "second"));
        longest = std::max(longest, monotonic_ms() - before);
        endpoint->refresh(monotonic_ms());
    }
    CHECK(monotonic_ms() - began < 4'500);
    CHECK(longest < 400);
    guard.expect("second");
    CHECK(client.ask() == "second");
}

TEST_CASE("C9: what is over waits for what comes, but not longer than the request may") {
    const scripts::Folder folder;
    Guard guard;
    folder.write("answer", scripts::token_answer("first", in_ms(2'200)));
    ExecPlugin plugin = folder.plugin();
    plugin.command = folder.script(
        "slow", "test -e " + folder.path("later") + " && sleep 2; cat " + folder.path("answer"));
    const auto endpoint = endpoint_for(with_plugin(guard.server.access(), plugin));
    folder.write("later", "");
    folder.write("answer", scripts::token_answer("second", in_ms(3'600'000)));
    guard.expect("second");
    // Nobody asked for anything meanwhile.
    std::this_thread::sleep_for(std::chrono::milliseconds(3'400));
    boost::asio::io_context io;
    Connection hasty(io, endpoint);
    Connection patient(io, endpoint);
    std::optional<Reply> early;
    std::optional<Reply> late;
    boost::asio::co_spawn(io, call_briefly(hasty, Request("POST", "/"), early), rethrow);
    boost::asio::co_spawn(io, call(patient, Request("POST", "/"), late), rethrow);
    fake::run_out(io);
    // Its time is over while it waits; what is sent in the last moment is refused.
    CHECK((body(early).front() == '!' || body(early) == "401"));
    CHECK(body(late) == "second");
}

TEST_CASE("C9: a failure is told once, without its output, and the old token stays") {
    const scripts::Folder folder;
    Guard guard;
    folder.write("answer", scripts::token_answer("first"));
    std::vector<std::string> notices;
    const auto endpoint =
        endpoint_for(with_plugin(guard.server.access(), folder.plugin()), &notices);
    folder.write("answer", "hunter2");
    guard.expect("second");
    Client client(endpoint);
    for (int i = 0; i < 3; ++i) CHECK(client.ask() == "401");
    REQUIRE(notices.size() == 1);
    CHECK(notices.front().find("credentials=plugin problem=\"credential plugin") == 0);
    CHECK(notices.front().find("hunter2") == std::string::npos);
    CHECK_FALSE(endpoint->problems().token.empty());
}

TEST_CASE("C9: a client certificate, and another one ends the connections that show the old one") {
    const scripts::Folder folder;
    fake_tls::TlsServer server("by-address");
    const auto show = [&](const std::string& name, const std::string& expiry) {
        const auto quoted = [](const std::string& text) {
            rapidjson::StringBuffer buffer;
            rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
            writer.String(text);
            return std::string(buffer.GetString());
        };
        folder.write(
            "answer",
            scripts::answer(
                "\"clientCertificateData\":" + quoted(fake_tls::read(name + ".pem")) +
                ",\"clientKeyData\":" + quoted(fake_tls::read(name + ".key")) +
                ",\"expirationTimestamp\":\"" + expiry + "\""));
    };
    show("client", in_ms(2'500));
    const auto endpoint = endpoint_for(with_plugin(fake_tls::trusting(server), folder.plugin()));
    Client client(endpoint);
    CHECK(client.ask() == "http/1.1||a-user");
    show("wrong-use", in_ms(3'600'000));
    const std::int64_t began = monotonic_ms();
    std::string answer;
    while (answer != "http/1.1||wrong-use" && monotonic_ms() - began < 8'000) {
        answer = client.ask();
    }
    CHECK(answer == "http/1.1||wrong-use");
    CHECK(server.connections() == 2);
    CHECK(endpoint->identity() == 1);
}
