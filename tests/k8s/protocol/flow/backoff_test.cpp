#include "k8s/protocol/flow/backoff.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace k8s::protocol;

TEST_CASE("backoff: doubles from the minimum to the maximum") {
    Backoff backoff(BackoffOptions{});
    std::int64_t now = 1'000'000;
    for (std::int64_t expected : {800, 1'600, 3'200, 6'400, 12'800, 25'600, 30'000, 30'000}) {
        const std::int64_t delay = backoff.failed(now, 0);
        CHECK(delay == expected);
        now += delay;
    }
}

TEST_CASE("backoff: jitter stretches a wait by at most its own length") {
    for (std::uint32_t random : {0u, 1u, 999u, 1'000u, 123'456'789u, 0xFFFFFFFFu}) {
        const std::int64_t ms = with_jitter(800, random);
        CHECK(ms >= 800);
        CHECK(ms <= 1'600);
    }
    CHECK(with_jitter(800, 500) == 1'200);
    CHECK(with_jitter(800, 1'000) == 1'600);
    CHECK(with_jitter(800, 1'001) == 800);
}

TEST_CASE("backoff: two healthy minutes are a new beginning, less is not") {
    Backoff backoff(BackoffOptions{});
    CHECK(backoff.failed(0, 0) == 800);
    CHECK(backoff.failed(800, 0) == 1'600);
    CHECK(backoff.failed(2'400 + 119'999, 0) == 3'200);
    CHECK(backoff.failed(2'400 + 119'999 + 3'200 + 120'000, 0) == 800);
}

TEST_CASE("B7: backoff: a server that is dead for an hour gets a bounded number of requests") {
    Backoff backoff(BackoffOptions{});
    std::int64_t now = 0;
    int requests = 0;
    for (; now < 3'600'000; ++requests)
        now += backoff.failed(now, static_cast<std::uint32_t>(requests));
    CHECK(requests < 3'600 / 4);
}
