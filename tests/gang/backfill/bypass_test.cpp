// Who counts as passed: those who wait, and could use the nodes of who passes.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using tests::minute_ms;
using tests::World;

namespace {

config::Schema bypass_schema(std::int32_t at_most = 100) {
    config::Schema schema = World::sealed_schema();
    schema.backfill.mode = config::BackfillMode::easy;
    schema.backfill.max_bypass = at_most;
    return schema;
}

void add_pool_node(World& world, const std::string& name, const std::string& pool, std::int64_t cpu) {
    core::Node node = tests::node(name, cpu, 64 * 1024);
    node.labels = {{"kubernetes.io/hostname", name}, {"pool", pool}};
    world.add_node(std::move(node));
}

/// One pod of so many cores, for so long, of this pool.
std::string submit_one(World& world, const std::string& name, const std::string& pool, std::int64_t cores, int minutes) {
    core::Pod pod = tests::pod(name, cores * 1'000, 100);
    pod.created = world.now_ms / 1'000 + static_cast<std::int64_t>(world.pods().size());
    pod.annotations = {{"gang-scheduler/expected-duration", std::to_string(minutes) + "m"}};
    pod.constraints.edit().node_selector = {{"pool", pool}};
    return world.create(std::move(pod));
}

std::int32_t passed(const World& world, const std::string& uid) {
    for (const gang::GangView& view : world.scheduler->gangs()) {
        if (view.driver_uid == uid) return view.bypasses;
    }
    return -1;
}

}  // namespace

TEST_CASE("backfill: who waits for other nodes is not passed by one, whoever stands before whom") {
    World world(bypass_schema(2));
    add_pool_node(world, "a1", "a", 4);
    add_pool_node(world, "b1", "b", 4);
    for (const char* pool : {"a", "b"}) submit_one(world, std::string("runs-") + pool, pool, 2, 60);
    world.advance(1'000);
    const std::string head_a = submit_one(world, "head-a", "a", 4, 10);
    world.advance(1'000);
    const std::string head_b = submit_one(world, "head-b", "b", 4, 10);
    world.advance(1'000);
    CHECK_FALSE(world.is_bound(head_a));
    CHECK_FALSE(world.is_bound(head_b));
    const std::string first = submit_one(world, "first", "b", 1, 5);
    world.advance(1'000);
    const std::string second = submit_one(world, "second", "b", 1, 5);
    world.advance(1'000);
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
    CHECK(world.scheduler->counters().backfilled == 2);
    CHECK(passed(world, head_a) == 0);
    CHECK(passed(world, head_b) == 2);
    const std::string of_a = submit_one(world, "of-a", "a", 1, 5);  // nobody has passed in this pool
    world.advance(1'000);
    CHECK(world.is_bound(of_a));
    CHECK(passed(world, head_a) == 1);
    CHECK(passed(world, head_b) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("backfill: of two who pass in one go neither passes the other") {
    World world(bypass_schema());
    add_pool_node(world, "a1", "a", 4);
    submit_one(world, "runs", "a", 2, 60);
    world.advance(1'000);
    const std::string head = submit_one(world, "head", "a", 4, 10);
    world.advance(1'000);
    REQUIRE_FALSE(world.is_bound(head));
    world.hold_bind_answers = true;
    const std::string first = submit_one(world, "first", "a", 1, 5);
    const std::string second = submit_one(world, "second", "a", 1, 5);
    world.advance(1'000);
    CHECK(world.scheduler->counters().backfilled == 2);
    CHECK(passed(world, head) == 2);
    CHECK(passed(world, first) <= 0);
    CHECK(passed(world, second) <= 0);
}

TEST_CASE("backfill: one that has been passed as often as may be is passed by nobody in the same go") {
    World world(bypass_schema(1));
    add_pool_node(world, "a1", "a", 4);
    submit_one(world, "runs", "a", 2, 60);
    world.advance(1'000);
    const std::string head = submit_one(world, "head", "a", 4, 10);
    world.advance(1'000);
    const std::string first = submit_one(world, "first", "a", 1, 5);
    const std::string second = submit_one(world, "second", "a", 1, 5);
    world.advance(5'000);
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    CHECK(passed(world, head) == 1);
    world.advance(minute_ms);
    CHECK_FALSE(world.is_bound(second));
}
