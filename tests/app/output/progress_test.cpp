#include "gang/app/output/progress.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::app::Progress;

TEST_CASE("progress: nothing for two seconds, then twice a second, and gone at the end") {
    std::vector<std::string> shown;
    {
        Progress progress(
            "a\x1b.jsonl", 100, "KiB", [&shown](const std::string& text) { shown.push_back(text); });
        for (std::int64_t now = 1'000; now < 3'000; now += 100) {
            progress.update(10, now);
        }
        CHECK(shown.empty());
        for (std::int64_t now = 3'000; now <= 4'000; now += 100) {
            progress.update(50, now);
        }
        REQUIRE(shown.size() == 3);
        CHECK(shown[0] == "\r\x1b[Ka\\x1b.jsonl: 50%, 50 KiB, 25 KiB/s, 2s left");
    }
    CHECK(shown.size() == 4);
    CHECK(shown.back() == "\r\x1b[K");
}

TEST_CASE("progress: what is over soon shows nothing") {
    int shown = 0;
    {
        Progress progress("x", 0, "KiB", [&shown](const std::string&) { ++shown; });
        progress.update(1, 1'000);
        progress.update(2, 2'900);
    }
    CHECK(shown == 0);
}
