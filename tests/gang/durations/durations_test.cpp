// Run times as pods say them and as they are remembered, and what is told of them: both sides of
// every limit.

#include "gang/durations/expected_run.hpp"
#include "gang/durations/outlook_text.hpp"
#include "gang/durations/run_time_book.hpp"
#include "gang/durations/run_times.hpp"
#include "tests/gang/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace {

std::string told_run(const std::optional<gang::RunTime>& run) {
    return !run ? "unknown"
                : std::to_string(run->median_ms) + "/" + std::to_string(run->safe_ms) + " of " +
                      std::to_string(run->samples);
}

}  // namespace

TEST_CASE("durations: what pods say of their own run time") {
    std::string told;
    for (const char* text :
         {"",
          "0",
          "1",
          "s",
          "ms",
          "1ms",
          "0ms",
          "1s",
          "0s",
          "1m",
          "1h",
          "1d",
          "500ms",
          "1h30m",
          "30m1h",
          "1h 30m",
          " 1h",
          "1h ",
          "1hh",
          "h1",
          "-1h",
          "+1h",
          "1.5h",
          "1000000s",
          "1000001s",
          "1000000ms",
          "1000000h",
          "876000h",
          "876001h",
          "876000h1ms",
          "875999h60m",
          "875999h59m60s1ms",
          "0h1m",
          "1h0m",
          "1h-1m",
          "1h1",
          "99999999999999999999h",
          "1msx",
          "1mss",
          "1ms1s",
          "m",
          "1M",
          "soon",
          "0h0m0s0ms"}) {
        const auto run_ms = gang::read_expected_run(text);
        told += "'" + std::string(text) + "' " + (run_ms ? std::to_string(*run_ms) : "none") + "\n";
    }
    tests::check_transcript("gang/durations/transcripts/expected_runs", told);
    core::Pod pod = tests::pod("p", 1, 1);
    CHECK_FALSE(gang::expected_run_of(pod));
    pod.annotations = {{"gang-scheduler/expected-duration", "2s"}};
    CHECK(gang::expected_run_of(pod) == 2'000);
    pod.annotations = {{"gang-scheduler/expected-duration", "x"}};
    CHECK_FALSE(gang::expected_run_of(pod));
}

TEST_CASE("durations: names of runs, without what tells them apart") {
    std::string told;
    for (const char* name :
         {"",
          "-",
          "--",
          "a",
          "a-",
          "a--",
          "-a",
          "-1",
          "a-1",
          "a-1-2",
          "a-b",
          "a-b-1",
          "a-1-b",
          "a-x1",
          "a-driver",
          "-driver",
          "driver",
          "a-1-driver",
          "a-driver-1",
          "1-2",
          "1",
          "a1",
          "etl-20260101-daily",
          "a-b1c-d2-3",
          "a-driver-driver"}) {
        core::Pod pod = tests::pod(name, 1, 1);
        told += "'" + std::string(name) + "' '" + gang::run_name(pod) + "'";
        pod.labels = {{"spark-app-name", ""}};
        told += " '" + gang::run_name(pod) + "'";
        pod.labels = {{"spark-app-name", "daily-1"}};
        told += " '" + gang::run_name(pod) + "'\n";
    }
    tests::check_transcript("gang/durations/transcripts/run_names", told);
}

TEST_CASE("durations: a walk of runs that are learned") {
    tests::Walk walk(1);
    gang::RunTimeBook book;
    std::string told;
    for (int i = 0; i < 600; ++i) {
        const std::string name = "n" + std::to_string(walk.pick(4));
        const auto ended_ms = static_cast<std::int64_t>(walk.pick(60));
        const auto run_ms = static_cast<std::int64_t>(walk.pick(40)) - 1;
        book.learn(name, ended_ms, run_ms);
        told += name + " " + std::to_string(ended_ms) + " " + std::to_string(run_ms) + ": " +
                told_run(book.find(name)) + " of " + std::to_string(book.size()) + "\n";
    }
    tests::check_transcript("gang/durations/transcripts/book", told);
}

TEST_CASE(
    "durations: the book forgets the name that was silent the longest, and says nothing of it "
    "twice") {
    gang::RunTimeBook book;
    const auto learn = [&book](std::size_t name, std::int64_t ended_ms) {
        book.learn("n" + std::to_string(name), ended_ms, 10);
    };
    for (std::size_t name = 0; name < gang::RunTimeBook::names_max; ++name) {
        for (std::int64_t ended_ms = 1; ended_ms <= 5; ++ended_ms) learn(name, ended_ms);
    }
    CHECK(book.size() == gang::RunTimeBook::names_max);
    learn(0, 5);  // known already: nothing was heard
    learn(1, 6);
    learn(5'000, 1);
    CHECK(book.size() == gang::RunTimeBook::names_max);
    CHECK_FALSE(book.find("n0"));
    CHECK(book.find("n1"));
    CHECK(book.find("n2"));
    learn(5'001, 1);
    CHECK_FALSE(book.find("n2"));
    CHECK(book.find("n3"));
    book.learn("n5002", 1, 0);  // no run at all
    CHECK(book.find("n3"));
}

TEST_CASE("durations: of a run its own word counts before what is remembered") {
    gang::RunTimes times;
    CHECK(times.version() == 0);
    CHECK(times.find("a") == nullptr);
    CHECK_FALSE(times.expected("a"));
    times.ensure("a").name = "queue/etl";
    CHECK(times.version() == 1);
    CHECK(times.ensure("a").name == "queue/etl");
    CHECK(times.version() == 1);
    CHECK(times.size() == 1);
    CHECK_FALSE(times.expected("a"));
    for (std::int64_t ended_ms = 1; ended_ms <= 5; ++ended_ms) {
        times.book().learn("queue/etl", ended_ms, 100);
    }
    CHECK(times.expected("a") == gang::RunTime{100, 100, 5});
    times.find("a")->said_ms = 1;
    CHECK(times.expected("a") == gang::RunTime{1, 1, 0});
    const gang::RunTimes& seen = times;
    REQUIRE(seen.find("a") != nullptr);
    CHECK(seen.find("a")->said_ms == 1);
    CHECK(seen.find("b") == nullptr);
    times.erase("b");
    CHECK(times.version() == 1);
    times.erase("a");
    CHECK(times.version() == 2);
    CHECK(times.size() == 0);
    CHECK(times.book().size() == 1);
    times.note_change();
    CHECK(times.version() == 3);
}

TEST_CASE("durations: outlooks in words, near and far") {
    constexpr std::int64_t minute = 60'000;
    const std::int64_t now_ms = 1'800'000'000'000 + 61'000;
    std::string told;
    for (const std::int64_t away_ms :
         {-minute,
          std::int64_t{0},
          std::int64_t{1},
          minute / 2 - 1'000,
          minute / 2,
          minute,
          10 * minute - 1,
          10 * minute,
          10 * minute + 1,
          12 * minute + 29'000,
          120 * minute - 1,
          120 * minute,
          120 * minute + 1,
          16 * 60 * minute - 1,
          16 * 60 * minute,
          15 * 60 * minute + 44 * minute,
          40 * 60 * minute,
          24 * 60 * minute,
          100 * 60 * minute}) {
        for (const std::int64_t spread_ms :
             {std::int64_t{0},
              minute / 2,
              minute,
              minute + 1,
              7 * minute,
              29 * minute,
              90 * minute}) {
            gang::Outlook outlook;
            outlook.start_ms = now_ms + away_ms;
            outlook.spread_ms = spread_ms;
            told += std::to_string(away_ms) + " " + std::to_string(spread_ms) + ": " +
                    gang::outlook_text(outlook, now_ms, 5) + "\n";
        }
    }
    for (const std::int32_t bypasses : {-1, 0, 1, 2}) {
        for (const std::int64_t start_ms : {std::int64_t{0}, std::int64_t{1}, now_ms}) {
            gang::Outlook outlook;
            outlook.start_ms = start_ms;
            outlook.bypasses = bypasses;
            told += std::to_string(bypasses) + ": " + gang::outlook_text(outlook, now_ms, 5) + "\n";
        }
    }
    tests::check_transcript("gang/durations/transcripts/outlooks", told);
}
