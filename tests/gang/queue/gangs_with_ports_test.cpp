// Gangs whose driver wants a port of its node: whom they are in the way of while it is taken.

#include "core/value/exclusive.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>

using tests::World;

namespace {

/// One node of so many cpus, its port taken; a gang of 3 cpus that wants it, and one pod behind it.
struct TakenPort {
    explicit TakenPort(std::int64_t cpu) {
        world.add_node(tests::node("n1", cpu, 64 * 1024));
        core::Pod pod = tests::pod("holder", 1000, 64);
        core::add_host_ports(pod.requests, {{"", "TCP", 80}});
        holder = world.create(pod);
        world.settle();
        REQUIRE(world.is_bound(holder));
        core::Pod starter = tests::driver("a");
        core::add_host_ports(starter.requests, {{"", "TCP", 80}});
        driver = world.submit(starter, tests::conf(2));
        world.settle();
        REQUIRE_FALSE(world.is_bound(driver));
        core::Pod next = tests::pod("behind", 1000, 64);
        next.created = 9'000;
        behind = world.create(next);
        world.settle();
    }
    World world;
    std::string holder;
    std::string driver;
    std::string behind;
};

}  // namespace

TEST_CASE("gangs with ports: a gang that waits for a port alone is in nobody's way who wants none") {
    TakenPort taken(5);  // the holder, and room for the gang and one more
    CHECK(taken.world.is_bound(taken.behind));
    taken.world.remove_pod(taken.holder);
    taken.world.settle();
    CHECK(taken.world.is_bound(taken.driver));
    CHECK(taken.world.violations.empty());
    taken.world.check_accounts();
}

TEST_CASE("gangs with ports: one whose executors have no room besides is in the way of all") {
    TakenPort taken(3);  // the holder, and room for its driver and one executor
    World& world = taken.world;
    CHECK_FALSE(world.is_bound(taken.behind));
    world.remove_pod(taken.holder);
    world.settle();
    CHECK(world.is_bound(taken.driver));
    CHECK_FALSE(world.is_bound(taken.behind));
    world.remove_application(taken.driver);
    world.settle();
    CHECK(world.is_bound(taken.behind));
    CHECK(world.violations.empty());
    world.check_accounts();
}
