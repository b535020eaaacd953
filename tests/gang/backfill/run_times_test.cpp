#include "gang/durations/expected_run.hpp"
#include "gang/durations/outlook_text.hpp"
#include "gang/durations/run_time_book.hpp"
#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("run times: from five samples on, by nearest rank") {
    gang::RunTimeBook book;
    for (int i = 1; i <= 4; ++i) {
        book.learn("etl", i, i * 100);
    }
    CHECK_FALSE(book.find("etl"));
    book.learn("etl", 5, 500);
    CHECK(book.find("etl") == gang::RunTime{300, 500, 5});
    for (int i = 6; i <= 10; ++i) {
        book.learn("etl", i, i * 100);
    }
    CHECK(book.find("etl") == gang::RunTime{500, 900, 10});
    CHECK_FALSE(book.find("other"));
}

TEST_CASE("run times: what is said twice counts once, and old runs make room for new ones") {
    gang::RunTimeBook book;
    for (int round = 0; round < 3; ++round) {
        for (int i = 1; i <= 5; ++i) {
            book.learn("etl", i, 100);
        }
    }
    CHECK(book.find("etl")->samples == 5);
    for (int i = 6; i < 200; ++i) {
        book.learn("etl", i, 900);
    }
    CHECK(book.find("etl") == gang::RunTime{900, 900, 32});
    book.learn("etl", 300, 0);
    book.learn("etl", 301, -5);
    CHECK(book.find("etl")->samples == 32);
    CHECK(book.find("etl")->median_ms == 900);
}

TEST_CASE("run times: names are bounded, and the longest silent one is forgotten first") {
    gang::RunTimeBook book;
    for (std::size_t name = 0; name < gang::RunTimeBook::names_max; ++name) {
        for (int i = 1; i <= 5; ++i) {
            book.learn("app-" + std::to_string(name), i, 100);
        }
    }
    book.learn("app-0", 6, 100);
    book.learn("new", 1, 100);
    CHECK(book.size() == gang::RunTimeBook::names_max);
    CHECK(book.find("app-0"));
    CHECK_FALSE(book.find("app-1"));
    CHECK(book.find("app-2"));
}

TEST_CASE("run times: names without what tells runs apart") {
    core::Pod pod = tests::pod("nightly-etl-8f3a21-driver", 1000, 100);
    CHECK(gang::run_name(pod) == "nightly-etl");
    pod.name = "nightly-etl-20261125-3-driver";
    CHECK(gang::run_name(pod) == "nightly-etl");
    pod.name = "42";
    CHECK(gang::run_name(pod) == "42");
    pod.name = "report";
    CHECK(gang::run_name(pod) == "report");
    pod.labels = {{"spark-app-name", "daily"}};
    CHECK(gang::run_name(pod) == "daily");
}

TEST_CASE("run times: a driver's own word") {
    CHECK(gang::read_expected_run("30m") == 1'800'000);
    CHECK(gang::read_expected_run("1h30m") == 5'400'000);
    CHECK_FALSE(gang::read_expected_run("0s"));
    CHECK_FALSE(gang::read_expected_run("30"));
    CHECK_FALSE(gang::read_expected_run("-5m"));
    CHECK_FALSE(gang::read_expected_run("soon"));
}

TEST_CASE("outlook: in words") {
    const std::int64_t now_ms = 1'800'000'000'000;  // 08:00 UTC
    gang::Outlook outlook;
    CHECK(gang::outlook_text(outlook, now_ms, 12).empty());
    outlook.bypasses = 3;
    CHECK(gang::outlook_text(outlook, now_ms, 12) == "passed by 3 gangs, 12 at most");
    outlook.start_ms = now_ms + 305'000;
    outlook.spread_ms = 240'000;
    CHECK(
        gang::outlook_text(outlook, now_ms, 12) ==
        "expected to start about 08:05 UTC, +- 4 min; passed by 3 gangs, 12 at most");
    outlook.bypasses = 0;
    outlook.start_ms = now_ms + 26LL * 3'600'000;
    CHECK(
        gang::outlook_text(outlook, now_ms, 12) ==
        "expected to start about 10:00 (+1d) UTC, +- 1 min");
}
