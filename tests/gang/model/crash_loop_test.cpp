#include "gang/model/crash_loop.hpp"

#include <doctest/doctest.h>

using gang::CrashLoop;

TEST_CASE("crash loop: so many failures at once are none, the next one is") {
    CrashLoop loop;
    for (int i = 0; i < 10; ++i) {
        loop.note_failure(2, 1'000);
    }
    CHECK(loop.crash_backoff_until_ms(2) <= 1'000);
    loop.note_failure(2, 1'000);
    CHECK(loop.crash_backoff_until_ms(2) == 6'000);
}

TEST_CASE("crash loop: a large gang may lose twice its executors") {
    CrashLoop loop;
    for (int i = 0; i < 200; ++i) {
        loop.note_failure(100, 0);
    }
    CHECK(loop.crash_backoff_until_ms(100) <= 0);
    CHECK(loop.crash_backoff_until_ms(2) > 0);
}

TEST_CASE("crash loop: time empties the bucket") {
    CrashLoop loop;
    for (int i = 0; i < 10; ++i) {
        loop.note_failure(1, 0);
    }
    loop.note_failure(1, 60'000);
    CHECK(loop.level_ms == 5'000);
}

TEST_CASE("crash loop: the pause is bounded, however many fail") {
    CrashLoop loop;
    for (int i = 0; i < 10'000; ++i) {
        loop.note_failure(1, 7);
    }
    CHECK(loop.crash_backoff_until_ms(1) == 7 + gang::crash_loop_pause_ms_max);
}

TEST_CASE("crash loop: the driver is told once in a while") {
    CrashLoop loop;
    CHECK(loop.is_to_be_told(1));
    CHECK_FALSE(loop.is_to_be_told(599'999));
    CHECK(loop.is_to_be_told(600'001));
}
