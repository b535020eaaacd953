#include "k8s/credentials/exec/command.hpp"

#include "k8s/base/time.hpp"
#include "tests/k8s/credentials/exec/scripts.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

using namespace k8s;
using End = CommandResult::End;

namespace {

CommandResult shell(const std::string& lines, const CommandLimits& limits = CommandLimits()) {
    Command command;
    command.name = "sh";
    command.arguments = {"-c", lines};
    return run_command(command, limits);
}

}  // namespace

TEST_CASE("command: what it prints, and its exit code") {
    const CommandResult good = shell("printf 'one\\ntwo'");
    CHECK(good.end == End::exited);
    CHECK(good.code == 0);
    CHECK(good.output == "one\ntwo");
    const CommandResult bad = shell("echo half; exit 7");
    CHECK(bad.end == End::exited);
    CHECK(bad.code == 7);
    CHECK(shell("kill -TERM $$").end == End::signalled);
}

TEST_CASE("command: arguments stay whole, variables win over ours, standard input is empty") {
    ::setenv("GANG_TEST_OURS", "ours", 1);
    ::setenv("GANG_TEST_BOTH", "ours", 1);
    Command command;
    command.name = "sh";
    command.arguments = {"-c", "echo \"$1|$GANG_TEST_OURS|$GANG_TEST_BOTH|$(cat)\"", "sh", "a  b"};
    command.variables["GANG_TEST_BOTH"] = "theirs";
    CHECK(run_command(command, CommandLimits()).output == "a  b|ours|theirs|\n");
    ::unsetenv("GANG_TEST_OURS");
    ::unsetenv("GANG_TEST_BOTH");
}

TEST_CASE("command: one that is not there, or cannot be started") {
    const scripts::Folder folder;
    Command command;
    for (const std::string& name : {std::string("gang-scheduler-no-such"), folder.path("absent")}) {
        command.name = name;
        CHECK(run_command(command, CommandLimits()).end == End::not_found);
    }
    command.name = folder.write("plain", "text");
    const CommandResult result = run_command(command, CommandLimits());
    CHECK(result.end == End::not_started);
    CHECK(result.code == EACCES);
}

TEST_CASE("command: it is ended after its time, and what it has started with it") {
    const scripts::Folder folder;
    CommandLimits limits;
    limits.time_ms = 300;
    const std::int64_t began = monotonic_ms();
    const CommandResult result =
        shell("sleep 100 & echo $! >" + folder.path("pid") + "; echo words; wait", limits);
    CHECK(result.end == End::late);
    CHECK(result.output == "words\n");
    CHECK(monotonic_ms() - began < 5'000);
    const int pid = std::stoi(folder.read("pid"));
    while (::kill(pid, 0) == 0 && monotonic_ms() - began < 5'000) {
        std::this_thread::yield();  // until somebody has waited for it
    }
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("command: one that has closed its output is waited for") {
    CommandLimits limits;
    limits.time_ms = 300;
    CHECK(shell("exec >&-; sleep 100", limits).end == End::late);
    const CommandResult result = shell("echo all; exec >&-; sleep 0.1; exit 3");
    CHECK(result.code == 3);
    CHECK(result.output == "all\n");
}

TEST_CASE("command: what it leaves behind holds up nobody") {
    const std::int64_t began = monotonic_ms();
    const CommandResult result = shell("sleep 8 & echo done");
    CHECK(result.end == End::exited);
    CHECK(result.output == "done\n");
    CHECK(monotonic_ms() - began < 5'000);
}

TEST_CASE("command: too much output ends it") {
    CommandLimits limits;
    limits.output_max = 100'000;
    CHECK(shell("yes", limits).end == End::too_long);
    CHECK(shell("head -c 100001 /dev/zero", limits).end == End::too_long);
    const CommandResult most = shell("head -c 100000 /dev/zero", limits);
    CHECK(most.end == End::exited);
    CHECK(most.output.size() == 100'000);
}

TEST_CASE("command: whoever started it may stop it") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    CommandLimits limits;
    limits.stop = ends[0];
    std::thread stopper([&] { ::close(ends[1]); });
    CHECK(shell("sleep 100", limits).end == End::stopped);
    stopper.join();
    ::close(ends[0]);
}

TEST_CASE("command: no descriptor of ours is inherited") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);  // without O_CLOEXEC
    const std::string path = "/proc/self/fd/" + std::to_string(ends[1]);
    CHECK(shell("test -e " + path + " && echo open").output.empty());
    ::close(ends[0]);
    ::close(ends[1]);
}
