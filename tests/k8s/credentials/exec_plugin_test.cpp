// Programs that give credentials, as small shell scripts.
#include "k8s/credentials/exec_login.hpp"
#include "k8s/credentials/exec_plugin.hpp"

#include "k8s/base/time.hpp"
#include "k8s/credentials/command.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace k8s;

constexpr const char* v1 = "client.authentication.k8s.io/v1";

ExecPlugin shell(std::string script) {
    ExecPlugin plugin;
    plugin.api_version = v1;
    plugin.command = "sh";
    plugin.arguments = {"-c", std::move(script)};
    return plugin;
}

std::string credential(const std::string& status) {
    return R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": )" +
           status + "}";
}

std::string problem(const std::string& printed) {
    const auto read = decode_exec_credential(printed, v1);
    return read ? "" : read.error().message;
}

std::string failure(const ExecPlugin& plugin) {
    const auto given = run_exec_plugin(plugin, false);
    return given ? "" : given.error().message;
}

Command command(const char* script, std::int64_t limit_ms, std::size_t output_max) {
    Command made{"sh", {"-c", script}, {}};
    made.limit_ms = limit_ms;
    made.output_max = output_max;
    return made;
}

}  // namespace

TEST_CASE("exec plugin: D1: a token, with what the program is told") {
    ExecPlugin plugin = shell(
        "case $KUBERNETES_EXEC_INFO in"
        " *'\"interactive\":false'*'\"server\":\"https://x\"'*) ;; *) exit 3;; esac; read -r line;"
        " printf '%s' '" +
        credential(R"({"token": "t-'"$REGION"'", "expirationTimestamp": "2030-01-01T00:00:00Z"})") +
        "'");
    plugin.environment = {{"REGION", "eu"}};
    plugin.cluster_json = R"({"server":"https://x"})";
    const auto given = run_exec_plugin(plugin, false);
    REQUIRE_MESSAGE(given, (given ? "" : given.error().message));
    CHECK(given->token == "t-eu");
    CHECK(given->expires_unix_ms == parse_time("2030-01-01T00:00:00Z"));
}

TEST_CASE("exec plugin: what goes wrong is said") {
    ExecPlugin missing = shell("");
    missing.command = "no-such-program-anywhere";
    missing.install_hint = "It comes with the cloud's tools.";
    CHECK(
        failure(missing) ==
        "user: exec: no-such-program-anywhere: No such file or directory\n"
        "It comes with the cloud's tools.");
    CHECK(failure(shell("exit 7")) == "user: exec: sh: it ended with code 7");
    CHECK(failure(shell("kill -9 $$")) == "user: exec: sh: it was ended by signal 9");
    CHECK(failure(shell("echo secret")).find("something that is not JSON") != std::string::npos);
    CHECK(failure(shell("echo secret")).find("secret") == std::string::npos);
    ExecPlugin asks = shell("");
    asks.interactive = InteractiveMode::always;
    CHECK(failure(asks).find("standard input is no terminal") != std::string::npos);
}

TEST_CASE("exec plugin: an answer that is none") {
    CHECK(problem("[]") == "it printed no ExecCredential, but something that is not JSON");
    CHECK(problem("{}") == "it printed no ExecCredential");
    CHECK(
        problem(R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1"})") ==
        "it printed apiVersion \"client.authentication.k8s.io/v1beta1\", expected "
        "\"client.authentication.k8s.io/v1\" as in the kubeconfig");
    CHECK(problem(credential("null")) == "it printed an ExecCredential without status");
    CHECK(problem(credential("{}")) == "it gave neither a token nor a client certificate");
    CHECK(
        problem(credential(R"({"clientKeyData": "k"})")) ==
        "it gave only one of clientCertificateData and clientKeyData");
    CHECK(problem(credential(R"({"token": "a b"})")) == "its token is not printable");
    CHECK(problem(credential(R"({"token": 7})")).starts_with("its status has a wrong token"));
    CHECK(
        problem(credential(R"({"token": "t", "expirationTimestamp": "soon"})")) ==
        "its expirationTimestamp is no time of RFC 3339");
    CHECK(problem(credential(R"({"clientCertificateData": "c", "clientKeyData": "k"})")).empty());
}

TEST_CASE("command: its time and its output are bounded, and what it started goes with it") {
    const std::int64_t before_ms = monotonic_ms();
    const auto slow = run_command(command("sleep 100 & sleep 100; echo x", 1'000, 100));
    CHECK(monotonic_ms() - before_ms < 50'000);
    REQUIRE_FALSE(slow);
    CHECK(slow.error().message == "it took longer than 1 s");
    const auto loud = run_command(command("yes", 50'000, 1'000));
    REQUIRE_FALSE(loud);
    CHECK(loud.error().message == "it printed more than 1000 bytes");
    const auto plain = run_command(command("cat; echo done", 50'000, 1'000));
    REQUIRE(plain);
    CHECK(*plain == "done\n");
}

TEST_CASE("exec login: renewed before it expires, and after a 401") {
    int asked = 0;
    std::string next = "second";
    const std::int64_t life_ms = 600'000;
    const auto ask = [&]() -> core::Result<ExecCredential> {
        ++asked;
        if (next.empty()) return core::Error{"no"};
        return ExecCredential{next, "", "", unix_ms() + life_ms};
    };
    ExecLogin login({"first", "", "", unix_ms() + life_ms}, ask, 0);
    CHECK_FALSE(login.renew_if_due(500'000));
    CHECK(asked == 0);
    CHECK(login.credential().token == "first");
    // Past its end nobody goes on with the old one: the new one is waited for.
    CHECK(login.renew_if_due(600'001));
    CHECK(login.credential().token == "second");
    CHECK(asked == 1);
    SUBCASE("a 401 asks at once, but not again and again") {
        next = "third";
        CHECK_FALSE(login.refused(600'002));
        CHECK(login.refused(620'000));
        CHECK(login.credential().token == "third");
        CHECK_FALSE(login.refused(620'001));
        CHECK(asked == 2);
    }
    SUBCASE("a failure keeps the old one, is said, and is tried again later") {
        next.clear();
        CHECK_FALSE(login.renew_if_due(1'300'000));
        CHECK(login.problem() == "no");
        CHECK(login.credential().token == "second");
        CHECK_FALSE(login.renew_if_due(1'300'001));
        CHECK(asked == 2);
        next = "fourth";
        CHECK(login.renew_if_due(1'400'000));
        CHECK(login.problem().empty());
    }
}

TEST_CASE("exec login: without an expiry it is kept until the server refuses it") {
    int asked = 0;
    const auto ask = [&]() -> core::Result<ExecCredential> {
        ++asked;
        return ExecCredential{"same", "", "", {}};
    };
    ExecLogin login({"same", "", "", {}}, ask, 0);
    CHECK_FALSE(login.renew_if_due(1'000'000'000));
    CHECK(asked == 0);
    CHECK_FALSE(login.refused(1'000'000'000));
    CHECK(asked == 1);
}
