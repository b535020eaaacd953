// The queue by kinds: how much is looked at when something happens, counted; and that nobody who
// could be helped is forgotten for it.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tests::World;

namespace {

/// Four nodes of 4 cpu, full of one gang, and many that wait: ten sizes, each of which would fit
/// the empty cluster.
struct Crowded {
    explicit Crowded(int gangs) {
        for (int i = 1; i <= 4; ++i) {
            world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
        }
        full = world.submit("full", 15, 1);
        world.settle();
        for (int i = 0; i < gangs; ++i) {
            drivers.push_back(world.submit("app-" + std::to_string(i), 6 + i * 7 % 10, 2 + i));
        }
        world.advance(10'000);
    }

    std::uint64_t placements_of(const std::function<void()>& event) {
        const auto before = world.scheduler->counters().placements;
        event();
        world.settle();
        return world.scheduler->counters().placements - before;
    }

    World world;
    std::string full;
    std::vector<std::string> drivers;
};

}  // namespace

TEST_CASE("queue: one node joins, and as much is looked at for many gangs as for few") {
    std::vector<std::uint64_t> looked_at;
    for (const int gangs : {20, 400}) {
        Crowded crowded(gangs);
        REQUIRE(crowded.world.is_bound(crowded.full));
        looked_at.push_back(crowded.placements_of(
            [&] { crowded.world.add_node(tests::node("n5", 4, 64 * 1024)); }));
        CHECK_FALSE(crowded.world.is_bound(crowded.drivers[0]));
    }
    CHECK(looked_at[0] == looked_at[1]);
    // The head once, and each size once in each view, for the words.
    CHECK(looked_at[1] <= 1 + 3 * 10);
}

TEST_CASE("queue: an event wakes nobody whom it cannot help") {
    Crowded crowded(50);
    // The look at everybody, for the words, is behind us, and comes no more within this second.
    crowded.placements_of([&] { crowded.world.add_node(tests::node("n5", 1, 64 * 1024)); });
    core::Node tainted = tests::node("n6", 64, 512 * 1024);
    tainted.taints = {{"dedicated", "x", core::TaintEffect::no_schedule}};
    CHECK(crowded.placements_of([&] { crowded.world.add_node(tainted); }) == 0);
    const auto tiny = [] {
        core::Node node = tests::node("n7", 64, 512);  // no pod of theirs asks so little memory
        return node;
    }();
    CHECK(crowded.placements_of([&] { crowded.world.add_node(tiny); }) == 0);
    SUBCASE("whom it can help is helped at once") {
        crowded.world.add_node(tests::node("n8", 16, 64 * 1024));
        crowded.world.settle();
        CHECK(crowded.world.is_bound(crowded.drivers[0]));
    }
}

TEST_CASE("queue: pools that share no node need not wait for each other, not even a second") {
    World world;
    for (const char* pool : {"a", "b"}) {
        core::Node node = tests::node(std::string("n-") + pool, 4, 64 * 1024);
        node.labels = {{"pool", pool}};
        world.add_node(node);
    }
    const auto submit =
        [&](const std::string& name, const std::string& pool, std::int64_t created) {
            core::Pod driver = tests::driver(name);
            driver.created = created;
            driver.constraints.node_selector = {{"pool", pool}};
            return world.submit(
                driver, tests::with(tests::conf(3), "spark.kubernetes.node.selector.pool", pool));
        };
    const auto first = submit("first", "a", 1);
    world.advance(5'000);
    const auto head = submit("head", "a", 2);
    world.settle();
    REQUIRE(world.is_bound(first));
    REQUIRE_FALSE(world.is_bound(head));
    const auto apart = submit("apart", "b", 3);
    world.settle();
    CHECK(world.is_bound(apart));
}

TEST_CASE("queue: of several gangs of a kind the smaller goes when the larger can never") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto large = world.submit("large", 30, 1);
    const auto larger = world.submit("larger", 40, 2);
    const auto small = world.submit("small", 3, 3);
    world.settle();
    CHECK(world.is_bound(small));
    CHECK(world.view(large).state == gang::GangState::parked);
    CHECK(world.view(larger).state == gang::GangState::parked);
    for (int i = 2; i < 10; ++i) {
        world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
    }
    world.settle();
    CHECK(world.is_bound(large));
    CHECK_FALSE(world.is_bound(larger));
}

TEST_CASE("queue: a driver's own packing counts more than its profile's") {
    config::Schema schema;
    schema.packings = {core::PackingPolicy::fewest_nodes};
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 8, 64 * 1024));
    const auto as_profile = world.submit("profile", 1, 1);
    world.settle();
    CHECK(world.node_of(as_profile) == "n2");
    core::Pod driver = tests::driver("own");
    driver.annotations = {{"gang-scheduler/packing", "tightest"}};
    const auto own = world.submit(driver, tests::conf(1));
    world.settle();
    CHECK(world.node_of(own) == "n1");
    REQUIRE(world.reservation(own));
    CHECK(world.reservation(own)->shapes[0].slots_per_node[0].first == "n1");
}
