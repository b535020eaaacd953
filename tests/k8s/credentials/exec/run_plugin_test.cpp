#include "k8s/credentials/exec/run_plugin.hpp"

#include "tests/k8s/credentials/exec/scripts.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;

namespace {

std::string problem(const ExecPlugin& plugin) {
    const auto credential = run_plugin(plugin);
    return credential ? "accepted" : credential.error().message;
}

std::string named(const ExecPlugin& plugin) {
    return "credential plugin \"" + plugin.command + "\" of user \"u\": ";
}

}  // namespace

TEST_CASE("plugin: it is told what is wanted, and its answer is ours") {
    const scripts::Folder folder;
    ExecPlugin plugin = folder.plugin();
    plugin.command = folder.script(
        "told",
        "printf %s \"$KUBERNETES_EXEC_INFO\" >" + folder.path("info") + "; echo \"$1 $NAME\" >" +
            folder.path("words") + "; cat " + folder.path("answer"));
    plugin.arguments = {"get-token"};
    plugin.variables["NAME"] = "prod";
    // A kubeconfig's own word for it does not count.
    plugin.variables["KUBERNETES_EXEC_INFO"] = "forged";
    folder.write("answer", scripts::token_answer("abc"));
    const auto credential = run_plugin(plugin);
    REQUIRE(credential);
    CHECK(credential->token == "abc");
    CHECK(folder.read("words") == "get-token prod\n");
    CHECK(
        folder.read("info") ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
        R"("spec":{"interactive":false}})");
}

TEST_CASE("plugin: a client certificate") {
    const scripts::Folder folder;
    const ExecPlugin plugin = folder.plugin();
    folder.write(
        "answer", scripts::answer(R"("clientCertificateData":"CERT","clientKeyData":"KEY")"));
    const auto credential = run_plugin(plugin);
    REQUIRE(credential);
    CHECK(credential->client_certificate_pem == "CERT");
    CHECK(credential->client_key_pem == "KEY");
}

TEST_CASE("plugin: one that fails, that prints garbage or too much, in one sentence") {
    const scripts::Folder folder;
    ExecPlugin plugin = folder.plugin();
    plugin.command = folder.script("bad", "echo secret; exit 3");
    CHECK(problem(plugin) == named(plugin) + "it ended with exit code 3");
    plugin.command = folder.script("bad", "kill -KILL $$");
    CHECK(problem(plugin) == named(plugin) + "it was ended by signal 9");
    plugin.command = folder.script("bad", "echo secret");
    const std::string garbage = problem(plugin);
    CHECK(garbage.find(named(plugin) + "its answer: this is not JSON") == 0);
    CHECK(garbage.find("secret") == std::string::npos);
    plugin.command = folder.script("bad", "yes");
    CHECK(problem(plugin) == named(plugin) + "it printed more than 1048576 bytes and was ended");
    plugin.command = folder.write("bad", "no program");
    CHECK(problem(plugin) == named(plugin) + "it cannot be started: Permission denied");
}

TEST_CASE("plugin: one that is missing gives its hint") {
    ExecPlugin plugin;
    plugin.user = "u";
    plugin.command = "gang-scheduler-no-such";
    CHECK(problem(plugin) == named(plugin) + "there is no such command in PATH");
    plugin.install_hint = "brew install it,\nor \x1b[1mask\x1b[0m";
    CHECK(
        problem(plugin) == named(plugin) +
                               "there is no such command in PATH; brew install it, or "
                               " [1mask [0m");
    plugin.command = "/no/such";
    plugin.install_hint.clear();
    CHECK(problem(plugin) == named(plugin) + "there is no such command");
}

TEST_CASE("plugin: one that needs a terminal is not run without") {
    const scripts::Folder folder;
    ExecPlugin plugin = folder.plugin();
    folder.write("answer", scripts::token_answer("abc"));
    plugin.input = PluginInput::always;
    CHECK(
        problem(plugin) ==
        named(plugin) +
            "it needs a terminal (interactiveMode: Always), and standard input is none");
    CHECK(folder.runs() == 0);
}
