#include "k8s/protocol/flow/circuit_breaker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace k8s::protocol;

namespace {

BackoffOptions options() {
    BackoffOptions made;
    made.ms_min = 250;
    made.ms_max = 5'000;
    return made;
}

// `workers` jobs that ask the breaker whenever they may, on a server that is dead for an hour.
std::vector<std::int64_t> requests_of_an_hour(int workers, std::uint32_t seed) {
    CircuitBreaker breaker(options());
    std::mt19937 random(seed);
    std::vector<std::int64_t> sent;
    std::multimap<std::int64_t, int> wakes;
    for (int i = 0; i < workers; ++i) wakes.emplace(0, i);
    while (!wakes.empty() && wakes.begin()->first < 3'600'000) {
        const auto [now, worker] = *wakes.begin();
        wakes.erase(wakes.begin());
        const std::int64_t wait = breaker.wait_ms(now);
        if (wait == 0) {
            sent.push_back(now);
            breaker.unreachable(now, static_cast<std::uint32_t>(random()));
        }
        wakes.emplace(now + std::max<std::int64_t>(wait, 1), worker);
    }
    return sent;
}

}  // namespace

TEST_CASE(
    "B7: circuit breaker: a server that is dead for an hour is asked as by one, however many "
    "wait") {
    const auto one = requests_of_an_hour(1, 1);
    const auto many = requests_of_an_hour(1'000, 1);
    CHECK(one.size() > 400);
    CHECK(one.size() < 1'000);
    CHECK(many.size() < 1'000);
}

TEST_CASE("B7: circuit breaker: two replicas do not ask at the same moments") {
    const auto a = requests_of_an_hour(10, 1);
    const auto b = requests_of_an_hour(10, 2);
    int together = 0;
    for (const std::int64_t time : a) {
        const auto near = std::lower_bound(b.begin(), b.end(), time - 10);
        together += near != b.end() && *near <= time + 10 ? 1 : 0;
    }
    CHECK(together < static_cast<int>(a.size()) / 20);
}

TEST_CASE("B7: circuit breaker: the first answer opens it, and the next trouble begins anew") {
    CircuitBreaker breaker(options());
    CHECK(breaker.wait_ms(0) == 0);
    CHECK(breaker.unreachable(0, 0));
    CHECK_FALSE(breaker.unreachable(1, 0));  // what was under way with it
    CHECK(breaker.wait_ms(100) == 150);
    CHECK(breaker.wait_ms(250) == 0);
    CHECK(breaker.wait_ms(251) > 0);  // one probe at a time
    CHECK_FALSE(breaker.unreachable(260, 0));
    CHECK(breaker.wait_ms(260) == 500);
    CHECK(breaker.wait_ms(760) == 0);
    breaker.answered();
    CHECK(breaker.is_closed());
    CHECK(breaker.wait_ms(761) == 0);
    CHECK(breaker.wait_ms(761) == 0);
    CHECK(breaker.unreachable(800, 0));
    CHECK(breaker.wait_ms(800) == 250);
}

TEST_CASE("B7: circuit breaker: a probe that never says how it went does not close it for ever") {
    CircuitBreaker breaker(options());
    breaker.unreachable(0, 0);
    REQUIRE(breaker.wait_ms(250) == 0);
    CHECK(breaker.wait_ms(15'249) > 0);
    CHECK(breaker.wait_ms(15'250) == 0);
}
