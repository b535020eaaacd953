// Binds that fail, nodes that go, drivers that never run.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

using gang::BindOutcome;
using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

/// Fails the next bind of this pod, the one after works.
void fail_once(World& world, const std::string& uid, BindOutcome outcome) {
    world.on_bind = [done = false, uid, outcome](
                        const gang::BindPod& bind) mutable -> std::optional<BindOutcome> {
        if (done || bind.pod.uid != uid) {
            return std::nullopt;
        }
        done = true;
        return outcome;
    };
}

std::size_t binds_of(const World& world, const std::string& uid) {
    return static_cast<std::size_t>(
        std::count_if(world.binds.begin(), world.binds.end(), [&uid](const auto& bind) {
            return bind.pod.uid == uid;
        }));
}

bool was_recorded(const World& world, const std::string& reason) {
    return std::any_of(world.events.begin(), world.events.end(), [&reason](const auto& event) {
        return event.reason == reason;
    });
}

}  // namespace

TEST_CASE("failure: a driver's bind that was not sent returns everything and is tried again") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    fail_once(world, driver, BindOutcome::not_sent);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.view(driver).slots_open == 0);
    CHECK(world.view(driver).code == ReasonCode::backing_off);
    world.advance(1'000);
    CHECK(world.is_bound(driver));
    CHECK(world.violations.empty());
}

TEST_CASE("failure: a refused bind parks the gang, backs off, and others go on") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto refused = world.submit("a", 3, 1);
    const auto next = world.submit("b", 3, 2);
    world.on_bind = [&refused](const gang::BindPod& bind) {
        return bind.pod.uid == refused ? std::optional(BindOutcome::refused) : std::nullopt;
    };
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.view(refused).code == ReasonCode::bind_failed);
    CHECK(world.condition(refused).ends_with("[BindFailed]"));
    world.remove_application(next);
    world.advance(60'000);
    CHECK(binds_of(world, refused) <= 4);
    world.on_bind = nullptr;
    world.advance(300'000);
    CHECK(world.is_bound(refused));
}

TEST_CASE("failure: a changed driver is bound on its next state, and keeps its place until then") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    const auto next = world.submit("b", 3, 2);
    fail_once(world, driver, BindOutcome::changed);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK_FALSE(world.is_bound(next));
    world.change_pod(driver, [](core::Pod& pod) { pod.labels.emplace_back("touched", "yes"); });
    world.settle();
    CHECK(world.is_bound(driver));
    CHECK_FALSE(world.is_bound(next));
}

TEST_CASE("failure: a pod that changes all the time does not hold up the queue") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto restless = world.submit("a", 3, 1);
    const auto next = world.submit("b", 3, 2);
    world.on_bind = [&restless](const gang::BindPod& bind) {
        return bind.pod.uid == restless ? std::optional(BindOutcome::changed) : std::nullopt;
    };
    world.advance(60'000);
    CHECK(world.is_bound(next));
}

TEST_CASE("failure: a driver taken by another scheduler gives its reservation back") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Node cordoned = tests::node("n2", 1, 16 * 1024);
    cordoned.unschedulable = true;
    world.add_node(cordoned);
    const auto driver = world.submit("a", 3, 1);
    world.on_bind = [&world, &driver](const gang::BindPod& bind) -> std::optional<BindOutcome> {
        if (bind.pod.uid != driver) {
            return std::nullopt;
        }
        world.change_pod(driver, [](core::Pod& pod) { pod.node_name = "n2"; });
        return BindOutcome::taken;
    };
    const auto next = world.submit("b", 3, 2);
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.view(driver).slots_open == 0);
    CHECK(world.is_bound(next));
    // Its executors have no slots: they are placed one by one, behind everybody else.
    const auto executors = world.create_executors(driver, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(executors[0]));
    world.remove_application(next);
    world.settle();
    CHECK(world.is_bound(executors[0]));
}

TEST_CASE("failure: an executor's failed bind opens its slot again") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    SUBCASE("not sent") {
        fail_once(world, executors[0], BindOutcome::not_sent);
    }
    SUBCASE("refused") {
        fail_once(world, executors[0], BindOutcome::refused);
    }
    SUBCASE("changed") {
        fail_once(world, executors[0], BindOutcome::changed);
    }
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.view(driver).slots_open == 1);
    world.advance(20'000);
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("failure: an executor that is gone leaves its slot to its replacement") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    fail_once(world, executors[0], BindOutcome::gone);
    world.settle();
    world.advance(10'000);
    CHECK(binds_of(world, executors[0]) == 1);
    const auto replacement = world.create_executors(driver, 1);
    world.settle();
    CHECK(world.is_bound(replacement[0]));
}

TEST_CASE("S3: a bind without an answer stays claimed, on its node, for as long as it takes") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    const auto next = world.submit("b", 3, 2);
    world.hold_bind_answers = true;
    world.on_bind = [](const gang::BindPod&) { return std::optional(BindOutcome::not_sent); };
    world.advance(600'000);
    CHECK(binds_of(world, driver) == 1);
    CHECK(binds_of(world, next) == 0);
    CHECK(world.view(driver).state == GangState::admitted);
    CHECK(world.view(driver).slots_open == 3);
    world.on_bind = nullptr;
    world.release_answers();
    world.advance(1'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("failure: the watch may confirm a bind before, or instead of, its answer") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.hold_bind_answers = true;
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    world.release_answers();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(binds_of(world, driver) == 1);
}

TEST_CASE("failure: open slots leave a node that is lost or cordoned, once that is written") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) {
        world.add_node(tests::node(name, 4, 16 * 1024));
    }
    const auto driver = world.submit("a", 4, 1);
    world.settle();
    const auto first = world.reservation(driver)->shapes[0].slots_per_node;
    const std::string lost = first.back().first;
    REQUIRE(lost != world.node_of(driver));
    world.hold_status_answers = true;
    world.late_watch = true;
    SUBCASE("deleted") {
        world.remove_node(lost);
    }
    SUBCASE("cordoned") {
        world.change_node(lost, [](core::Node& node) { node.unschedulable = true; });
    }
    SUBCASE("not ready") {
        world.change_node(lost, [](core::Node& node) { node.ready = false; });
    }
    world.settle();
    REQUIRE(world.updates.size() == 1);
    const auto moved = world.reservation(driver);
    CHECK(gang::slot_count(*moved) == 4);
    CHECK(moved->generation == 2);
    for (const auto& [node, count] : moved->shapes[0].slots_per_node) {
        CHECK(node != lost);
    }
    CHECK(world.view(driver).slots_open == 4);
    // The old room is not given to anybody before the new reservation is stored.
    const bool comes_back = world.nodes().contains(lost);
    if (comes_back) {
        world.change_node(lost, [](core::Node& node) {
            node.unschedulable = false;
            node.ready = true;
        });
        const auto next = world.submit("b", 6, 2);
        world.settle();
        CHECK_FALSE(world.is_bound(next));
        world.release_answers();
        world.hold_status_answers = false;
        world.settle();
        CHECK(world.is_bound(next));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("failure: a gang without other room is degraded, stops nobody, and is repaired first") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    const std::string other = world.node_of(driver) == "n1" ? "n2" : "n1";
    world.remove_node(other);
    world.settle();
    CHECK(world.view(driver).state == GangState::degraded);
    CHECK(world.view(driver).slots_open == 3);
    CHECK(was_recorded(world, "GangDegraded"));
    CHECK(world.reservation(driver)->shapes[0].unplaced == 4);
    const auto executors = world.create_executors(driver, 7);
    const auto next = world.submit("b", 3, 2);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    world.add_node(tests::node("n3", 4, 16 * 1024));
    world.settle();
    CHECK(world.bound_count(executors) == 7);
    CHECK(world.view(driver).state == GangState::running);
    CHECK_FALSE(world.is_bound(next));
    CHECK(was_recorded(world, "GangRepaired"));
    CHECK(world.violations.empty());
}

TEST_CASE("failure: a foreign pod that takes held room moves the slots it needs, no more") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    world.add_node(tests::node("n2", 8, 32 * 1024));
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    const std::string home = world.node_of(driver);
    core::Pod other_pod = tests::pod("intruder", 2000, 100);
    other_pod.scheduler_name = "default-scheduler";
    other_pod.node_name = home;
    world.create(other_pod);
    world.settle();
    const auto moved = world.reservation(driver)->shapes[0].slots_per_node;
    std::map<std::string, std::int64_t> counts(moved.begin(), moved.end());
    CHECK(counts[home] == 5);
    CHECK(gang::slot_count(*world.reservation(driver)) == 7);
    CHECK(world.view(driver).state == GangState::running);
}

TEST_CASE("failure: a reservation that cannot be written is tried again, its old room kept") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) {
        world.add_node(tests::node(name, 4, 16 * 1024));
    }
    const auto driver = world.submit("a", 4, 1);
    world.settle();
    const std::string lost = world.reservation(driver)->shapes[0].slots_per_node.back().first;
    world.fail_status_writes = true;
    world.change_node(lost, [](core::Node& node) { node.unschedulable = true; });
    world.advance(30'000);
    CHECK(world.updates.size() > 2);
    CHECK(world.updates.size() < 10);
    world.fail_status_writes = false;
    world.advance(30'000);
    CHECK(world.reservation(driver)->generation == 2);
    CHECK(world.scheduler->explain("a")->notes.empty());
}

TEST_CASE("failure: a driver that never runs gives its slots back, or keeps them") {
    config::Schema schema;
    SUBCASE("release") {}
    SUBCASE("keep") {
        schema.gang.never_running_then = config::UnusedThen::keep;
    }
    const bool release = schema.gang.never_running_then == config::UnusedThen::release;
    World world(schema);
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto stuck = world.submit("a", 2, 1);
    const auto next = world.submit("b", 2, 2);
    world.advance(14 * 60 * 1000);
    CHECK_FALSE(was_recorded(world, "GangStuck"));
    world.advance(2 * 60 * 1000);
    CHECK(was_recorded(world, "GangStuck"));
    CHECK(world.is_bound(next) == release);
    CHECK(gang::slot_count(*world.reservation(stuck)) == (release ? 0 : 2));
}

TEST_CASE("failure: a driver that runs in time keeps its slots") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.set_phase(driver, core::PodPhase::running);
    world.advance(3'600'000);
    CHECK(world.view(driver).slots_open == 2);
    CHECK(world.updates.empty());
}

TEST_CASE("failure: nothing is asked of anybody while nothing happens") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.submit("b", 3, 2);
    world.set_phase(driver, core::PodPhase::running);
    world.advance(660'000);  // until it has been said that its executors do not come
    const auto conditions = world.conditions.size();
    const auto binds = world.binds.size();
    const auto events = world.events.size();
    world.advance(3'600'000);
    CHECK(world.conditions.size() == conditions);
    CHECK(world.binds.size() == binds);
    CHECK(world.events.size() == events);
}

TEST_CASE("failure: who never runs is told so when it is explained") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto stuck = world.submit("a", 2, 1);
    world.advance(16 * 60 * 1000);
    REQUIRE(was_recorded(world, "GangStuck"));
    const auto notes = world.scheduler->explain(stuck)->notes;
    CHECK(std::count(notes.begin(), notes.end(), "the driver is bound but has never run") == 1);
}

TEST_CASE("failure: a bind that is refused for ever is tried every five minutes") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.submit("a", 3, 1);
    std::vector<std::int64_t> tried_ms;
    world.on_bind = [&](const gang::BindPod&) {
        tried_ms.push_back(world.now_ms);
        return BindOutcome::refused;
    };
    world.advance(3'600'000);
    REQUIRE(tried_ms.size() > 8);
    CHECK(tried_ms[1] - tried_ms[0] == 10'000);
    CHECK(tried_ms[2] - tried_ms[1] == 20'000);
    for (std::size_t i = tried_ms.size() - 3; i < tried_ms.size(); ++i) {
        CHECK(tried_ms[i] - tried_ms[i - 1] == 300'000);
    }
}

TEST_CASE("failure: an executor counts as bound once its bind is answered") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.create_executors(driver, 1);
    while (world.binds.size() < 2) {
        if (!world.deliver_one()) {
            world.step(gang::Tick{});
        }
    }
    CHECK(world.view(driver).slots_assumed == 1);
    CHECK(world.view(driver).slots_bound == 0);
    world.hold_watch = true;
    world.settle();
    CHECK(world.view(driver).slots_assumed == 0);
    CHECK(world.view(driver).slots_bound == 1);
}

TEST_CASE("failure: open slots leave a node whose kubelet refuses pods") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    const auto lone = world.create(tests::pod("lone", 1'000, 100));
    world.settle();
    REQUIRE(world.node_of(lone) == "n1");
    world.add_node(tests::node("n2", 8, 16 * 1024));
    world.settle();
    world.change_pod(lone, [](core::Pod& pod) {
        pod.phase = core::PodPhase::failed;
        pod.failure = "OutOfcpu";
    });
    world.settle();
    const auto slots = world.scheduler->explain(driver)->slots_per_node;
    CHECK(slots == std::vector<std::pair<std::string, std::int32_t>>{{"n2", 2}});
}

TEST_CASE("failure: a bind says since when its pod has waited") {
    World world;
    world.restart(false);
    const auto before = world.create(tests::pod("before", 100, 100));  // created at second 1000
    world.restart();
    world.settle();
    const auto after = world.create(tests::pod("after", 100, 100));
    const std::int64_t came_ms = world.now_ms;
    world.advance(5'000);
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.settle();
    REQUIRE(world.binds.size() == 2);
    CHECK(world.binds[0].pod.uid == before);
    CHECK(world.binds[0].pending_since_ms == 1'000'000);
    CHECK(world.binds[1].pod.uid == after);
    CHECK(world.binds[1].pending_since_ms == came_ms);
}
