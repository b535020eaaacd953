// Nodes that an autoscaler brings are for the gang that it was asked for: not for who is smaller, nor
// for who would pass it by backfill.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>

using tests::World;

namespace {

config::Schema buying(config::AutoscalingMode mode = config::AutoscalingMode::capacity_buffer) {
    config::Schema schema = World::sealed_schema();
    schema.autoscaling.mode = mode;
    return schema;
}

/// Of four cpus.
void bring(World& world, int from, int count) {
    for (int i = from; i < from + count; ++i) {
        world.add_node(tests::node("bought-" + std::to_string(100 + i), 4, 64 * 1024));
    }
    world.settle();
}

std::string submit_lone(World& world, const std::string& name, std::int64_t created) {
    core::Pod pod = tests::pod(name, 1'000, 100);
    pod.created = created;
    return world.create(std::move(pod));
}

}  // namespace

TEST_CASE("bought nodes: they are for the gang that asked, not for a smaller one behind it") {
    for (const auto mode :
         {config::AutoscalingMode::capacity_buffer,
          config::AutoscalingMode::provisioning_request}) {
        World world(buying(mode));
        const std::string large = world.submit("large", 11, 1);
        world.advance(3'000);
        REQUIRE(world.capacity.contains(large));
        const std::string small = world.submit("small", 1, 2);
        bring(world, 0, 2);
        world.advance(20'000);
        CHECK_FALSE(world.is_bound(small));
        bring(world, 2, 1);
        world.advance(1'000);
        CHECK(world.is_bound(large));
        CHECK_FALSE(world.is_bound(small));
        bring(world, 3, 1);
        world.advance(1'000);
        CHECK(world.is_bound(small));
        CHECK(world.violations.empty());
        world.check_accounts();
    }
}

TEST_CASE("bought nodes: those of before are for everybody who may pass it") {
    World world(buying());
    world.add_node(tests::node("old", 4, 64 * 1024));
    const std::string large = world.submit("large", 11, 1);
    world.advance(3'000);
    const std::string small = world.submit("small", 1, 2);
    world.advance(1'000);
    CHECK(world.is_bound(small));
    CHECK(world.node_of(small) == "old");
    bring(world, 0, 3);
    world.advance(1'000);
    CHECK(world.is_bound(large));
    CHECK(world.violations.empty());
}

TEST_CASE("bought nodes: nobody is placed there by backfill before who asked for them") {
    config::Schema schema = buying();
    schema.backfill.mode = config::BackfillMode::easy;
    World world(schema);
    world.add_node(tests::node("old", 8, 64 * 1024));
    core::Pod runs = tests::driver("runs");
    runs.created = 1;
    runs.annotations = {{"gang-scheduler/expected-duration", "1h"}};
    const std::string running = world.submit(std::move(runs), tests::conf(7));
    world.advance(1'000);
    REQUIRE(world.is_bound(running));
    world.set_phase(running, core::PodPhase::running);
    world.create_executors(running, 7);
    world.advance(1'000);
    const std::string head = world.submit("head", 7, 2);  // fits when that has ended
    world.advance(3'000);
    REQUIRE(world.capacity.contains(head));
    core::Pod later = tests::driver("later");
    later.created = 3;
    later.annotations = {{"gang-scheduler/expected-duration", "10m"}};
    const std::string passes = world.submit(std::move(later), tests::conf(2));
    bring(world, 0, 1);  // one of two
    world.advance(20'000);
    CHECK_FALSE(world.is_bound(passes));
    bring(world, 1, 1);
    world.advance(1'000);
    CHECK(world.is_bound(head));
    CHECK_FALSE(world.is_bound(passes));
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("bought nodes: of two who asked the first is served first, and the next has the rest") {
    World world(buying());
    const std::string first = world.submit("first", 7, 1);
    const std::string second = world.submit("second", 7, 2);
    world.advance(5'000);
    REQUIRE(world.capacity.contains(second));
    const std::string small = world.submit("small", 0, 3);
    bring(world, 0, 1);
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(small));
    bring(world, 1, 2);
    world.advance(1'000);
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    CHECK_FALSE(world.is_bound(small));
    bring(world, 3, 1);
    world.advance(1'000);
    CHECK(world.is_bound(second));
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("bought nodes: room is not kept for ever, nor for who waits no more") {
    World world(buying());
    const std::string large = world.submit("large", 11, 1);
    world.advance(3'000);
    const std::string small = submit_lone(world, "small", 2);
    bring(world, 0, 1);
    world.advance(1'000);
    REQUIRE_FALSE(world.is_bound(small));
    SUBCASE("the rest does not come") {
        world.advance(4 * 60'000);
        CHECK_FALSE(world.is_bound(small));
        world.advance(60'000);
        CHECK(world.is_bound(small));
    }
    SUBCASE("another node comes: the time begins anew") {
        world.advance(4 * 60'000);
        bring(world, 1, 1);
        world.advance(4 * 60'000);
        CHECK_FALSE(world.is_bound(small));
        world.advance(61'000);
        CHECK(world.is_bound(small));
    }
    SUBCASE("it is deleted") {
        world.remove_pod(large);
        world.advance(1'000);
        CHECK(world.is_bound(small));
    }
    SUBCASE("it is held") {
        world.change_pod(large, [](core::Pod& pod) {
            pod.annotations.insert(pod.annotations.begin(), {"gang-scheduler/hold", "true"});
        });
        world.advance(2'000);
        CHECK(world.is_bound(small));
    }
    SUBCASE("the node goes") {
        world.remove_node("bought-100");
        world.advance(1'000);
        CHECK_FALSE(world.is_bound(small));
    }
    SUBCASE("another leads") {
        world.restart();
        world.advance(20'000);
        CHECK(world.is_bound(small));
    }
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("bought nodes: a node that becomes ready late is kept when it is") {
    World world(buying());
    const std::string large = world.submit("large", 7, 1);
    world.advance(3'000);
    core::Node late = tests::node("late", 4, 64 * 1024);
    late.ready = false;
    world.add_node(late);
    world.advance(10 * 60'000);
    const std::string small = world.submit("small", 0, 2);
    world.change_node("late", [](core::Node& node) { node.ready = true; });
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(small));
    bring(world, 0, 1);
    world.advance(1'000);
    CHECK(world.is_bound(large));
    CHECK_FALSE(world.is_bound(small));
}

TEST_CASE("bought nodes: nothing is kept where nobody was asked") {
    World world(World::sealed_schema());
    world.submit("large", 11, 1);
    world.advance(3'000);
    const std::string small = world.submit("small", 1, 2);
    bring(world, 0, 1);
    world.advance(1'000);
    CHECK(world.is_bound(small));
}

TEST_CASE("bought nodes: they are kept while the gang is looked at anew (seed 171 in queues)") {
    config::Schema schema = buying();
    schema.quota.preflight = true;
    World world(schema);
    const std::string large = world.submit("large", 11, 1);
    world.advance(3'000);
    REQUIRE(world.capacity.contains(large));
    const std::string small = submit_lone(world, "small", 2);
    bring(world, 0, 2);
    world.advance(5'000);
    REQUIRE_FALSE(world.is_bound(small));
    SUBCASE("another file") {
        schema.backfill.max_bypass = 7;
        world.reconfigure(schema);
        world.advance(1'000);
    }
    SUBCASE("a quota that has room for it") {
        world.quotas[world.pod(large).namespace_name] = {{{"team", {{"pods", 90, 2}}, {}}}, {}};
        world.advance(31'000);
    }
    CHECK_FALSE(world.is_bound(small));
    bring(world, 2, 1);
    world.advance(2'000);
    CHECK(world.is_bound(large));
    CHECK(world.violations.empty());
    world.check_accounts();
}
