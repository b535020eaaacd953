#include "gang/sim/replica/local_time.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

TEST_CASE("local time: Unix time goes on steadily while the wall clock jumps") {
    std::int64_t now_ms = 1'000;
    Clock clock;
    const LocalTime time(now_ms, clock);
    const std::int64_t begin_ms = time.unix_ms();
    CHECK(begin_ms == time.wall());
    clock.jump(3'600'000);
    now_ms += 500;
    CHECK(time.unix_ms() == begin_ms + 500);
    CHECK(time.wall() == begin_ms + 500 + 3'600'000);
}

TEST_CASE("local time: a clock that runs twice too fast is waited for half as long") {
    std::int64_t now_ms = 1'000;
    Clock clock;
    const LocalTime time(now_ms, clock);
    CHECK(time.true_ms_after(400) == 1'400);
    CHECK(time.was_right_since(0));
    clock.set_rate(now_ms, 2'000);
    CHECK(time.true_ms_after(400) == 1'200);
    CHECK_FALSE(time.was_right_since(0));
    const std::int64_t before_ms = time.mono();
    now_ms += 100;
    CHECK(time.mono() == before_ms + 200);
}
