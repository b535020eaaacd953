// Executors whose slots are where rules between pods do not let them go.

#include "tests/core/domain/domain_world.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tests::World;

namespace {

/// A gang that runs on the one node there is, of so many executors.
struct OneNode {
    explicit OneNode(int executors) {
        world.add_node(tests::node_in_zone("n1", "a", executors + 1));
        driver = world.submit("d", executors, 1);
        world.settle();
        REQUIRE(world.is_bound(driver));
        world.set_phase(driver, core::PodPhase::running);
    }

    /// One that keeps apart from all others.
    std::string create_apart(const std::string& name, std::int64_t memory_mi = 1408) {
        core::Pod pod = tests::executor(name, world.pod(driver));
        pod.requests.memory_bytes = memory_mi * tests::mebibyte;
        pod.rules = core::PodRules{
            {},
            {tests::term("kubernetes.io/hostname", {{"spark-role", "executor"}}, world.pod(driver).namespace_name)},
            {}};
        return world.create(std::move(pod));
    }

    World world;
    std::string driver;
};

}  // namespace

TEST_CASE("slot rules: an executor that may not go to any node is told which rule is in its way") {
    OneNode one(2);
    World& world = one.world;
    const auto first = one.create_apart("e1");
    const auto second = one.create_apart("e2");
    world.advance(5'000);
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    INFO(world.condition(second));
    CHECK(world.condition(second).find("executor etl/e2") != std::string::npos);
    CHECK(world.condition(second).find("didn't match pod anti-affinity rules") != std::string::npos);
    CHECK(world.condition(second).ends_with("[PodRulesNotMet]"));
    CHECK(world.view(one.driver).slots_open == 1);
    SUBCASE("a node comes") {
        world.add_node(tests::node_in_zone("n2", "a", 4));
        world.advance(5'000);
        CHECK(world.node_of(second) == "n2");
    }
    SUBCASE("the other one ends") {
        world.set_phase(first, core::PodPhase::failed);
        world.advance(5'000);
        CHECK(world.node_of(second) == "n1");
    }
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("slot rules: all of them are told, however many there are and of whatever sizes") {
    OneNode one(8);
    World& world = one.world;
    one.create_apart("e0");
    world.advance(5'000);
    std::vector<std::string> others;
    SUBCASE("all alike") {
        for (int i = 1; i < 7; ++i) others.push_back(one.create_apart("e" + std::to_string(i)));
    }
    SUBCASE("each of its own size") {
        for (int i = 1; i < 7; ++i) others.push_back(one.create_apart("e" + std::to_string(i), 1400 + i));
    }
    world.advance(5'000);
    CHECK(world.bound_count(others) == 0);
    for (const std::string& uid : others) {
        CAPTURE(uid);
        CHECK(world.condition(uid).ends_with("[PodRulesNotMet]"));
    }
    world.remove_application(one.driver);
    world.settle();
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("slot rules: executors larger than their slots are all told, and go when there is room") {
    OneNode one(8);
    World& world = one.world;
    const auto plain = world.create_executors(one.driver, 1);  // from now on the shape is known
    world.settle();
    REQUIRE(world.is_bound(plain[0]));
    std::vector<std::string> large;
    for (int i = 1; i < 8; ++i) {
        core::Pod pod = tests::executor("large-" + std::to_string(i), world.pod(one.driver));
        pod.requests.cpu_milli = 8'500 + i / 2;
        large.push_back(world.create(std::move(pod)));
    }
    world.advance(2'000);
    CHECK(world.bound_count(large) == 0);
    for (const std::string& uid : large) {
        CAPTURE(world.condition(uid));
        CHECK_FALSE(world.condition(uid).empty());
    }
    int told = 0;
    for (const auto& event : world.events) told += event.reason == "ExecutorsLargerThanDeclared" ? 1 : 0;
    CHECK(told == 1);
    for (int i = 2; i < 9; ++i) world.add_node(tests::node_in_zone("n" + std::to_string(i), "a", 9));
    world.advance(10'000);
    CHECK(world.bound_count(large) == 7);
    CHECK(world.violations.empty());
    world.remove_application(one.driver);
    world.settle();
    world.check_accounts();
}
