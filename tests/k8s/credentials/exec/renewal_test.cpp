#include "k8s/credentials/exec/renewal.hpp"

#include "k8s/base/time.hpp"
#include "tests/k8s/credentials/exec/scripts.hpp"

#include <doctest/doctest.h>

#include <poll.h>
#include <string>

using namespace k8s;

namespace {

constexpr std::int64_t start = 1'800'000'000'000;

ExecCredential token(const std::string& text, std::optional<std::int64_t> expires_ms) {
    ExecCredential made;
    made.token = text;
    made.expires_ms = expires_ms;
    return made;
}

/// Waits for the run in progress, and takes what it gave.
bool finish(Renewal& renewal, std::int64_t now_ms) {
    REQUIRE(renewal.under_way() >= 0);
    pollfd done{renewal.under_way(), POLLIN, 0};
    REQUIRE(::poll(&done, 1, 10'000) == 1);
    return renewal.step(now_ms);
}

}  // namespace

TEST_CASE("renewal: the plugin is asked again shortly before the end, and the old token serves") {
    const scripts::Folder folder;
    const std::int64_t end = start + 900'000;
    Renewal renewal(folder.plugin(), token("first", end), start);
    folder.write("answer", scripts::token_answer("second", format_time(end + 900'000)));
    CHECK_FALSE(renewal.step(end - renewal_ahead_ms_max - 1));
    CHECK(renewal.under_way() == -1);
    CHECK_FALSE(renewal.step(end - renewal_ahead_ms_max));
    CHECK(renewal.under_way() >= 0);
    CHECK(renewal.credential().token == "first");
    CHECK_FALSE(renewal.is_expired(end - 1));
    CHECK(renewal.is_expired(end));
    CHECK(finish(renewal, end));
    CHECK(renewal.credential().token == "second");
    CHECK(renewal.number() == 1);
    CHECK_FALSE(renewal.is_expired(end));
    CHECK(renewal.under_way() == -1);
    CHECK(folder.runs() == 1);
}

TEST_CASE("renewal: without an expiry only a refusal asks again") {
    const scripts::Folder folder;
    Renewal renewal(folder.plugin(), token("first", std::nullopt), start);
    folder.write("answer", scripts::token_answer("second"));
    CHECK_FALSE(renewal.step(start + 1'000'000'000));
    CHECK(renewal.under_way() == -1);
    renewal.refused(0, start);
    CHECK(finish(renewal, start));
    // Others that were refused with the old one have the new one already.
    renewal.refused(0, start + renewal_refused_ms_min);
    CHECK(renewal.under_way() == -1);
    CHECK(folder.runs() == 1);
}

TEST_CASE("renewal: a server that refuses everybody does not make us ask for each request") {
    const scripts::Folder folder;
    Renewal renewal(folder.plugin(), token("only", std::nullopt), start);
    folder.write("answer", scripts::token_answer("only"));
    for (std::int64_t at = 0; at < 3 * renewal_refused_ms_min; at += 500) {
        renewal.refused(renewal.number(), start + at);
        if (renewal.under_way() >= 0) CHECK_FALSE(finish(renewal, start + at));
    }
    CHECK(folder.runs() == 3);
    CHECK(renewal.number() == 0);
}

TEST_CASE("renewal: a failure keeps what was good, is said, and is tried again after a pause") {
    const scripts::Folder folder;
    const std::int64_t end = start + 900'000;
    Renewal renewal(folder.plugin(), token("first", end), start);
    std::int64_t now = end - renewal_ahead_ms_max;
    renewal.step(now);
    CHECK_FALSE(finish(renewal, now));
    CHECK(renewal.credential().token == "first");
    CHECK(renewal.problem().find("exit code 1") != std::string::npos);
    CHECK_FALSE(renewal.step(now + renewal_retry_ms - 1));
    CHECK(renewal.under_way() == -1);
    folder.write("answer", scripts::token_answer("second"));
    now += renewal_retry_ms;
    renewal.step(now);
    CHECK(finish(renewal, now));
    CHECK(renewal.problem().empty());
}

TEST_CASE("renewal: the same token once more is asked for again, less and less early") {
    const scripts::Folder folder;
    const std::int64_t end = start + 100'000;
    Renewal renewal(folder.plugin(), token("same", end), start);
    folder.write("answer", scripts::token_answer("same", format_time(end)));
    std::int64_t now = start;
    while (now < end) {
        renewal.step(now);
        if (renewal.under_way() >= 0) CHECK_FALSE(finish(renewal, now));
        now += 250;
    }
    CHECK(folder.runs() >= 3);
    CHECK(folder.runs() <= 12);
}

TEST_CASE("renewal: what comes expired, by a wrong clock, is not asked for without end") {
    const scripts::Folder folder;
    Renewal renewal(folder.plugin(), token("old", start - 1), start);
    CHECK_FALSE(renewal.step(start + renewal_retry_ms - 1));
    CHECK(renewal.under_way() == -1);
    renewal.step(start + renewal_retry_ms);
    CHECK(renewal.under_way() >= 0);
}

TEST_CASE("renewal: its end does not wait for a plugin that hangs") {
    const scripts::Folder folder;
    ExecPlugin plugin = folder.plugin();
    plugin.command = folder.script("hanging", "sleep 100");
    const std::int64_t began = monotonic_ms();
    {
        Renewal renewal(plugin, token("first", std::nullopt), start);
        renewal.refused(0, start);
        CHECK(renewal.under_way() >= 0);
        CHECK_FALSE(renewal.step(start));
    }
    CHECK(monotonic_ms() - began < 5'000);
}
