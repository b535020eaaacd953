#include "tests/app/cli/verbs.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace gang::app;
using tests::cli;
using tests::contains;

namespace {

/// A file that is gone with its test.
class TemporaryFile {
public:
    TemporaryFile(const std::string& name, const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("gang-cli-test-" + name)) {
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("cli: help, no verb, wrong verb") {
    CHECK(cli({"--help"}).code == 0);
    CHECK(contains(cli({"help"}).out, "check-config"));
    CHECK(cli({}).code == 2);
    const auto wrong = cli({"gnags"});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "unknown verb \"gnags\""));
    CHECK(contains(wrong.err, "did you mean \"gangs\"?"));
}

TEST_CASE("cli: D19, D20: errors of addresses and files are sentences") {
    const auto nobody = cli({"gangs", "--control", "127.0.0.1:1"});
    CHECK(nobody.code == 1);
    CHECK(nobody.err == "gang-scheduler gangs: no daemon answers at 127.0.0.1:1: Connection refused\n");
    const auto folder = cli({"gangs", "--control", "none", "--kubeconfig", "/tmp"});
    CHECK(folder.code == 1);
    CHECK(folder.err == "gang-scheduler gangs: /tmp: it is a directory\n");
    CHECK(contains(cli({"check-config", "/tmp"}).err, "/tmp: it is a directory"));
}

TEST_CASE("cli: D24: help of one verb, and -v") {
    CHECK(cli({"help", "gangs"}).out == cli({"gangs", "--help"}).out);
    CHECK(cli({"help", "gnags"}).code == 2);
    CHECK(cli({"-v"}).out == cli({"version"}).out);
}

TEST_CASE("cli: D22: what is no recording is told on standard error") {
    const auto missing = cli({"replay", "/nonexistent/recording"});
    CHECK(missing.code == 1);
    CHECK(missing.out.empty());
    CHECK(
        missing.err ==
        "gang-scheduler replay: /nonexistent/recording: No such file or directory\n");
    const auto other = cli({"replay", "/etc/hostname"});
    CHECK(other.code == 1);
    CHECK(other.out.empty());
    CHECK(contains(other.err, "gang-scheduler replay: /etc/hostname: "));
}

TEST_CASE("cli: every verb has its help, with every flag") {
    for (const Verb& verb : verbs()) {
        const auto help = cli({verb.name, "--help"});
        CHECK(help.code == 0);
        CHECK(contains(help.out, "usage: gang-scheduler " + verb.name));
        for (const Flag& flag : verb.flags) {
            CHECK_MESSAGE(contains(help.out, "--" + flag.name), verb.name);
        }
    }
}

TEST_CASE("cli: unknown flags, missing values, stray arguments are usage errors") {
    const auto unknown = cli({"gangs", "--kubeconfg", "x"});
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "unknown flag --kubeconfg, did you mean \"kubeconfig\"?"));
    CHECK(cli({"gangs", "--kubeconfig"}).code == 2);
    CHECK(cli({"gangs", "--kube", "x"}).code == 2);
    CHECK(cli({"gangs", "stray"}).code == 2);
    CHECK(cli({"why"}).code == 2);
    CHECK(cli({"why", "a", "b"}).code == 2);
    CHECK(cli({"gangs", "-o", "xml"}).code == 2);
    CHECK(cli({"gangs", "-A", "-n", "etl"}).code == 2);
    CHECK(cli({"gangs", "-w", "-o", "json"}).code == 2);
    CHECK(cli({"completion"}).code == 2);
    CHECK(contains(cli({"completion", "bsh"}).err, "did you mean \"bash\"?"));
    CHECK(cli({"run", "--leader-elect=maybe"}).code == 2);
    CHECK(cli({"run", "--control", "0.0.0.0:1"}).code == 2);
    CHECK(cli({"gangs", "--control", "10.0.0.1:1"}).code == 2);
    CHECK(cli({"cluster", "--listen", "0.0.0.0:0"}).code == 2);
    CHECK(cli({"cluster", "--nodes", "many"}).code == 2);
    CHECK(cli({"cluster", "--node-cpu", "-1"}).code == 2);
    CHECK(cli({"size"}).code == 2);
}

TEST_CASE("cli: D25: every error begins alike, and that of a flag names the help") {
    const std::string hint = "`gang-scheduler gangs --help` shows its flags.\n";
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"gangs", "--control", "10.0.0.1:1"},
             {"gangs", "--context", "none"},
             {"gangs", "-A", "-n", "etl"},
             {"gangs", "--nosuch"}}) {
        const auto wrong = cli(arguments);
        CHECK(wrong.code == 2);
        CHECK_MESSAGE(wrong.err.starts_with("gang-scheduler gangs: "), wrong.err);
        CHECK_MESSAGE(wrong.err.ends_with(hint), wrong.err);
    }
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"size"},
             {"size", "-f", "/nowhere"},
             {"size", "--config", "/nowhere"},
             {"run", "--config", "/nowhere"},
             {"gangs", "--config", "/nowhere"},
             {"queues", "--control", "127.0.0.1:1"},
             {"demo", "--port", "1"}}) {
        const auto wrong = cli(arguments);
        CHECK(wrong.code != 0);
        CHECK_MESSAGE(
            wrong.err.starts_with("gang-scheduler " + arguments.front() + ": "), wrong.err);
    }
}

TEST_CASE("cli: the manual page has every verb, flag and example") {
    const auto manual = cli({"man"});
    CHECK(manual.code == 0);
    const auto dashed = [](const std::string& text) {
        std::string out;
        for (const char c : text) {
            out += c == '-' ? std::string("\\-") : std::string(1, c);
        }
        return out;
    };
    for (const Verb& verb : verbs()) {
        CHECK_MESSAGE(contains(manual.out, ".SS \"" + dashed(verb.name) + "\""), verb.name);
        for (const Flag& flag : verb.flags) {
            CHECK_MESSAGE(contains(manual.out, "\\-\\-" + dashed(flag.name)), flag.name);
        }
        for (const std::string& example : verb.examples) {
            CHECK_MESSAGE(contains(manual.out, dashed(example)), example);
        }
    }
}

TEST_CASE("cli: completion knows every verb and flag, for each shell") {
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const auto script = cli({"completion", shell});
        CHECK(script.code == 0);
        for (const Verb& verb : verbs()) {
            CHECK_MESSAGE(contains(script.out, verb.name), verb.name);
            for (const Flag& flag : verb.flags) {
                CHECK_MESSAGE(contains(script.out, flag.name), flag.name);
            }
        }
    }
}

TEST_CASE("cli: version, for people and machines") {
    CHECK(cli({"version"}).out.starts_with("gang-scheduler 0.1.0 ("));
    CHECK(contains(cli({"version", "-o", "yaml"}).out, "version: \"0.1.0\"\ncommit: "));
    CHECK(cli({"--version"}).code == 0);
    CHECK(contains(cli({"version", "-o", "json"}).out, "\"version\":\"0.1.0\""));
}

TEST_CASE("cli: check-config says valid, or where it is wrong") {
    const TemporaryFile good("good.yaml", "gang: {discovery: none}\n");
    CHECK(cli({"check-config", good.path()}).code == 0);
    CHECK(cli({"check-config", good.path()}).out == good.path() + ": valid\n");
    const TemporaryFile bad("bad.yaml", "gang:\n  discovry: none\n");
    const auto wrong = cli({"check-config", bad.path()});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, bad.path() + ":2:3: gang: found unknown key"));
    const auto json = cli({"check-config", bad.path(), "-o", "json"});
    CHECK(json.code == 2);
    CHECK(contains(json.out, "\"valid\":false"));
    CHECK(cli({"check-config", "/does/not/exist"}).code == 2);
}

TEST_CASE("cli: check-config prints the profiles that come out, and what has no effect") {
    const TemporaryFile ours(
        "profiles.yaml",
        "profiles:\n"
        "  - schedulerName: a\n"
        "    filters: [NodeResourcesFit, DynamicResources]\n"
        "    scores: [{name: TaintToleration, weight: 3}, {name: NodePreferAvoidPods}]\n");
    const auto json = cli({"check-config", ours.path(), "-o", "json"});
    CHECK(json.code == 0);
    CHECK(contains(
        json.out,
        R"("policyConfigMap":null,"profiles":[{"schedulerName":"a","filters":["NodeResourcesFit",)"
        R"("DynamicResources"],)"
        R"("filtersNotBuilt":["DynamicResources"],"scores":[{"name":"TaintToleration","weight":3,)"
        R"("built":true},{"name":"NodePreferAvoidPods","weight":1,"built":false}],"packing":null,)"
        R"("messages":"gang-scheduler","gangs":true}])"));
    const auto text = cli({"check-config", ours.path()});
    CHECK(contains(
        text.err, "warning: " + ours.path() + ":3:33: the filter DynamicResources is not"));
    CHECK(text.out == ours.path() + ": valid\n");
}

TEST_CASE("cli: check-config of a file whose policy is in the cluster says where") {
    const TemporaryFile theirs(
        "scheduler.yaml",
        "apiVersion: componentconfig/v1alpha1\n"
        "kind: KubeSchedulerConfiguration\n"
        "schedulerName: my-scheduler\n"
        "algorithmSource: {policy: {configMap: {namespace: kube-system, name: p}}}\n");
    CHECK(contains(cli({"check-config", theirs.path()}).err, "in the config map kube-system/p"));
    CHECK(contains(
        cli({"check-config", theirs.path(), "-o", "json"}).out,
        "\"policyConfigMap\":\"kube-system/p\""));
}

TEST_CASE("cli: run with a wrong file is 2, with a wrong kubeconfig 1, and says why") {
    const TemporaryFile bad("run.yaml", "events: 5\n");
    CHECK(cli({"run", "--config", bad.path()}).code == 2);
    const auto missing = cli({"run", "--kubeconfig", "/does/not/exist"});
    CHECK(missing.code == 1);
    CHECK(contains(missing.err, "/does/not/exist"));
    const TemporaryFile nonsense("kubeconfig", "apiVersion: v1\nkind: Config\n");
    const auto broken = cli({"run", "--kubeconfig", nonsense.path()});
    CHECK(broken.code == 1);
    CHECK_FALSE(broken.err.empty());
}

TEST_CASE("cli: asking nobody is an error, not an empty list") {
    const auto gangs = cli({"gangs", "--kubeconfig", "/does/not/exist", "--control", "none"});
    CHECK(gangs.code == 1);
    CHECK(gangs.out.empty());
    CHECK(contains(gangs.err, "/does/not/exist"));
}

TEST_CASE("cli: a context, cluster or user that there is not, with those that there are") {
    const TemporaryFile file(
        "contexts",
        "current-context: prod\n"
        "contexts: [{name: prod, context: {cluster: c, user: u}}, {name: staging, context: {}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: []\n");
    const auto ask = [&](const char* verb, const char* flag, const char* name) {
        return cli({verb, "--kubeconfig", file.path(), "--control", "none", flag, name});
    };
    for (const char* verb : {"gangs", "ledger", "run"}) {
        const auto context = ask(verb, "--context", "stagin");
        CHECK(context.code == 2);
        CHECK(contains(
            context.err,
            "--context: found \"stagin\", expected one of prod, staging, did you mean "
            "\"staging\"?"));
        CHECK(context.out.empty());
    }
    CHECK(
        contains(ask("gangs", "--cluster", "x").err, "--cluster: found \"x\", expected one of c"));
    CHECK(contains(
        ask("gangs", "--user", "x").err,
        "--user: found \"x\", expected none, for the kubeconfig has none"));
    // A name that is there is used: the context's user is missing, and the server away.
    CHECK(contains(ask("gangs", "--context", "prod").err, "users: there is none named \"u\""));
    const auto chosen = cli(
        {"gangs",
         "--kubeconfig",
         file.path(),
         "--control",
         "none",
         "--context",
         "staging",
         "--cluster",
         "c"});
    CHECK(chosen.code == 1);
    CHECK(contains(chosen.err, "cannot connect to 127.0.0.1:1"));
}

TEST_CASE("cli: a credential plugin that is missing is said with its hint") {
    const TemporaryFile file(
        "plugin",
        "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
        "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
        "command: gang-scheduler-no-such, interactiveMode: Never, installHint: get it}}}]\n");
    for (const char* verb : {"gangs", "ledger", "run"}) {
        const auto missing = cli({verb, "--kubeconfig", file.path(), "--control", "none"});
        CHECK(missing.code == 1);
        CHECK(contains(
            missing.err,
            "credential plugin \"gang-scheduler-no-such\" of user \"u\": there is no such "
            "command in PATH; get it"));
    }
}
