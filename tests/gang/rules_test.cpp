// Rows of the table of bind outcomes and rules of k8s that the scheduler itself must keep
// (tests/k8s/README.md).
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using gang::BindOutcome;
using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

std::int64_t binds_of(const World& world, const std::string& uid) {
    return std::count_if(world.binds.begin(), world.binds.end(), [&](const gang::BindPod& bind) {
        return bind.pod.uid == uid;
    });
}

void answer_once(World& world, const std::string& uid, BindOutcome outcome) {
    world.on_bind = [&world, uid, outcome](const gang::BindPod& bind) {
        const bool is_it = bind.pod.uid == uid && binds_of(world, uid) == 1;
        return is_it ? std::optional(outcome) : std::nullopt;
    };
}

/// A new leader decides nothing before the watch has shown a write of its own.
void pass_fence(World& world) {
    const std::string uid = world.create(tests::pod("first", 100, 100));
    world.settle();
    world.remove_pod(uid);
    world.settle();
}

}  // namespace

TEST_CASE("BIND-1: what was bound stays counted however long the watch says nothing of it") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    pass_fence(world);
    const auto driver = world.submit("a", 3, 1);
    const auto next = world.submit("b", 3, 2);
    while (world.deliver_one()) {
    }
    world.hold_watch = true;
    world.advance(3'600'000);
    CHECK(world.is_bound(driver));
    CHECK(world.view(driver).state == GangState::running);
    CHECK(binds_of(world, driver) == 1);
    CHECK(binds_of(world, next) == 0);
    world.hold_watch = false;
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.violations.empty());
}

TEST_CASE("BIND-3: what another scheduler took is released, and the gang decided anew") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    world.add_node(tests::node("n2", 1, 16 * 1024));
    world.on_bind = [&](const gang::BindPod& bind) -> std::optional<BindOutcome> {
        if (bind.pod.uid != executors[0]) return std::nullopt;
        world.change_pod(executors[0], [](core::Pod& pod) { pod.node_name = "n2"; });
        world.hold_watch = true;  // the answer alone must do
        return BindOutcome::taken;
    };
    world.settle();
    CHECK(world.view(driver).slots_open == 1);
    world.hold_watch = false;
    world.settle();
    CHECK(binds_of(world, executors[0]) == 1);
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("BIND-4: a uid that is gone is never bound again, its successor is") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    answer_once(world, driver, BindOutcome::gone);
    world.advance(3'600'000);
    CHECK(binds_of(world, driver) == 1);
    CHECK_FALSE(world.is_bound(driver));
    world.remove_pod(driver);
    const auto again = world.submit("a", 3, 2);
    world.settle();
    CHECK(world.is_bound(again));
}

TEST_CASE("BIND-8: a refused bind is said on the pod and not repeated hotly") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.on_bind = [](const gang::BindPod&) { return std::optional(BindOutcome::refused); };
    world.advance(600'000);
    CHECK(world.view(driver).code == ReasonCode::bind_failed);
    CHECK(world.condition(driver).ends_with("[BindFailed]"));
    const auto told = [](const gang::RecordEvent& event) {
        return event.warning && event.message.ends_with("[BindFailed]");
    };
    CHECK(std::count_if(world.events.begin(), world.events.end(), told) == 1);
    CHECK(binds_of(world, driver) < 12);
    CHECK(binds_of(world, driver) > 1);
}

TEST_CASE("D2: decisions include what was bound before the watch shows it") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) world.add_node(tests::node(name, 8, 64 * 1024));
    pass_fence(world);
    std::vector<std::string> drivers;
    for (int i = 0; i < 12; ++i) drivers.push_back(world.submit("app" + std::to_string(i), 3, i));
    while (world.deliver_one()) {
    }
    world.hold_watch = true;  // and nothing is heard of any pod for half a minute
    for (int second = 0; second < 30; ++second) world.advance(1'000);
    CHECK(world.bound_count(drivers) == 6);
    CHECK(world.violations.empty());
    world.hold_watch = false;
    for (const auto& driver : drivers) {
        if (world.is_bound(driver)) world.create_executors(driver, 3);
    }
    world.settle();
    CHECK(world.bound_count(drivers) == 6);
    CHECK(world.violations.empty());
}
