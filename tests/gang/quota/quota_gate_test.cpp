// Whom an overdue gang that lacks quota, and not room, keeps from what others are evicted for.
#include "tests/gang/preempt/evicting.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using tests::queue;
using tests::World;

namespace {

constexpr std::int64_t gate_minute_s = 60;

/// Queue "teams" may hold so much. In "teams.b" something low runs; in "teams.a" nobody passes who is overdue.
struct Gate {
    explicit Gate(bool is_strict) : world(schema(is_strict)) {
        world.add_node(tests::node("n1", 6, 64 * 1024));
        tests::running(world, "low", "teams.b", 3, 1, 1);  // four cores
        tests::running(world, "filler", "c", 1, 1, 100);   // two
    }

    static config::Schema schema(bool is_strict) {
        config::Queue strict = queue("teams.a");
        strict.max_wait_ms = 60 * gate_minute_s * 1'000;
        strict.is_max_wait_strict = is_strict;
        return tests::with_queues(
            {tests::limited("teams", 8), strict, tests::by_priority("teams.b"), tests::by_priority("c")},
            World::sealed_schema());
    }

    std::string add(const std::string& name, const std::string& in, std::int64_t cores, std::int64_t minutes_ago,
                    std::int32_t priority) {
        core::Pod pod = tests::driver(name);
        pod.created = world.now_ms / 1'000 - minutes_ago * gate_minute_s;
        pod.priority = priority;
        pod.annotations = {{"gang-scheduler/queue", in}};
        const std::string uid = world.submit(std::move(pod), tests::conf(cores - 1));
        world.advance(3'000);
        return uid;
    }

    World world;
};

}  // namespace

TEST_CASE("quota gate: nobody is evicted for one who uses the quota that an overdue gang waits for") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        Gate gate(is_strict);
        const auto overdue = gate.add("overdue", "teams.a", 6, 90, 0);  // four of eight are in use
        const auto high = gate.add("high", "teams.b", 4, 1, 9);
        CHECK_FALSE(gate.world.is_bound(overdue));
        CHECK_FALSE(gate.world.is_bound(high));
        CHECK(gate.world.evictions.empty() == is_strict);
    }
}

TEST_CASE("quota gate: who uses other quota is evicted for, whoever is overdue and lacks his") {
    Gate gate(true);
    gate.add("overdue", "teams.a", 6, 90, 0);
    gate.add("high", "c", 2, 1, 1'000);
    CHECK_FALSE(gate.world.evictions.empty());
}

TEST_CASE("quota gate: an overdue gang whose limit is too small for ever keeps nobody from it") {
    Gate gate(true);
    const auto overdue = gate.add("overdue", "teams.a", 9, 90, 0);
    CHECK_FALSE(gate.world.is_bound(overdue));
    gate.add("high", "teams.b", 4, 1, 9);
    CHECK_FALSE(gate.world.evictions.empty());
}
