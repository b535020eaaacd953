#include "k8s/protocol/flow/gate.hpp"

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

// `workers` jobs that ask for the gate whenever they may, on a server that is dead for an hour.
std::vector<std::int64_t> requests_of_an_hour(int workers, std::uint32_t seed) {
    Gate gate(options());
    std::mt19937 random(seed);
    std::vector<std::int64_t> sent;
    std::multimap<std::int64_t, int> wakes;
    for (int i = 0; i < workers; ++i) wakes.emplace(0, i);
    while (!wakes.empty() && wakes.begin()->first < 3'600'000) {
        const auto [now, worker] = *wakes.begin();
        wakes.erase(wakes.begin());
        const std::int64_t wait = gate.wait_ms(now);
        if (wait == 0) {
            sent.push_back(now);
            gate.unreachable(now, static_cast<std::uint32_t>(random()));
        }
        wakes.emplace(now + std::max<std::int64_t>(wait, 1), worker);
    }
    return sent;
}

}  // namespace

TEST_CASE("B7: gate: a server that is dead for an hour is asked as by one, however many wait") {
    const auto one = requests_of_an_hour(1, 1);
    const auto many = requests_of_an_hour(1'000, 1);
    CHECK(one.size() > 400);
    CHECK(one.size() < 1'000);
    CHECK(many.size() < 1'000);
}

TEST_CASE("B7: gate: two replicas do not ask at the same moments") {
    const auto a = requests_of_an_hour(10, 1);
    const auto b = requests_of_an_hour(10, 2);
    int together = 0;
    for (const std::int64_t time : a) {
        const auto near = std::lower_bound(b.begin(), b.end(), time - 10);
        together += near != b.end() && *near <= time + 10 ? 1 : 0;
    }
    CHECK(together < static_cast<int>(a.size()) / 20);
}

TEST_CASE("B7: gate: the first answer opens it, and the next trouble begins anew") {
    Gate gate(options());
    CHECK(gate.wait_ms(0) == 0);
    CHECK(gate.unreachable(0, 0));
    CHECK_FALSE(gate.unreachable(1, 0));  // what was under way with it
    CHECK(gate.wait_ms(100) == 150);
    CHECK(gate.wait_ms(250) == 0);
    CHECK(gate.wait_ms(251) > 0);  // one probe at a time
    CHECK_FALSE(gate.unreachable(260, 0));
    CHECK(gate.wait_ms(260) == 500);
    CHECK(gate.wait_ms(760) == 0);
    gate.answered();
    CHECK(gate.is_open());
    CHECK(gate.wait_ms(761) == 0);
    CHECK(gate.wait_ms(761) == 0);
    CHECK(gate.unreachable(800, 0));
    CHECK(gate.wait_ms(800) == 250);
}

TEST_CASE("B7: gate: a probe that never says how it went does not close it for ever") {
    Gate gate(options());
    gate.unreachable(0, 0);
    REQUIRE(gate.wait_ms(250) == 0);
    CHECK(gate.wait_ms(15'249) > 0);
    CHECK(gate.wait_ms(15'250) == 0);
}
