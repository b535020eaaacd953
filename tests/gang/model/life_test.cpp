// The life of applications: executors that do not come, fail in a row, or belong to somebody else.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

std::int64_t count_events(const World& world, const std::string& reason) {
    return std::count_if(world.events.begin(), world.events.end(), [&reason](const auto& event) {
        return event.reason == reason;
    });
}

std::string last_event(const World& world, const std::string& reason) {
    std::string text;
    for (const auto& event : world.events) {
        text = event.reason == reason ? event.message : text;
    }
    return text;
}

/// A driver that runs with its room reserved, on a node of 4 cpu.
std::string run_small(World& world, int executors) {
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", executors, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    world.settle();
    return driver;
}

core::Pod executor_elsewhere(
    const World& world, const std::string& driver, const std::string& node) {
    core::Pod pod = tests::executor("stray", world.pod(driver));
    pod.scheduler_name = "default-scheduler";
    pod.node_name = node;
    return pod;
}

}  // namespace

TEST_CASE("life: slots whose executors never come are kept and said, or given back") {
    config::Schema schema;
    SUBCASE("keep") {}
    SUBCASE("release") {
        schema.gang.missing_executors_then = config::UnusedThen::release;
    }
    const bool release = schema.gang.missing_executors_then == config::UnusedThen::release;
    World world(schema);
    const auto driver = run_small(world, 3);
    const auto next = world.submit("b", 1, 2);
    world.advance(300'000);
    world.create_executors(driver, 1);
    world.advance(599'000);  // the one that came begins the wait anew
    CHECK(count_events(world, "ExecutorsMissing") == 0);
    CHECK_FALSE(world.is_bound(next));
    world.advance(2'000);
    CHECK(count_events(world, "ExecutorsMissing") == 1);
    CHECK(last_event(world, "ExecutorsMissing")
              .starts_with("2 of 3 slots have had no executor for 10m"));
    CHECK(world.is_bound(next) == release);
    CHECK(gang::slot_count(*world.reservation(driver)) == (release ? 1 : 3));
    // Those that come after all take what is left: their slots, or free room.
    const auto late = world.create_executors(driver, 2);
    world.advance(1'000);
    CHECK(world.bound_count(late) == (release ? 0 : 2));
    world.advance(3'600'000);
    CHECK(count_events(world, "ExecutorsMissing") == 1);
    CHECK(world.violations.empty());
}

TEST_CASE("life: however often executors come and go, one look at the missing ones is due") {
    World world;
    const auto driver = run_small(world, 3);
    world.create_executors(driver, 2);
    world.settle();
    const std::size_t before = world.scheduler->remembered();
    for (int i = 0; i < 50; ++i) {
        const auto executor = world.create_executors(driver, 1)[0];
        world.advance(1'000);
        world.remove_pod(executor);
        world.advance(1'000);
    }
    CHECK(world.scheduler->remembered() == before);
    // The wait begins anew with the last one that went.
    world.advance(598'000);
    CHECK(count_events(world, "ExecutorsMissing") == 0);
    world.advance(2'000);
    CHECK(count_events(world, "ExecutorsMissing") == 1);
    world.remove_application(driver);
    world.advance(3'600'000);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("life: the room of missing executors goes to nobody before that is written") {
    config::Schema schema;
    schema.gang.missing_executors_then = config::UnusedThen::release;
    World world(schema);
    const auto driver = run_small(world, 3);
    const auto next = world.submit("b", 1, 2);
    world.settle();
    world.hold_status_answers = true;
    world.hold_watch = true;  // which would show that it has been written
    world.advance(700'000);
    REQUIRE(gang::slot_count(*world.reservation(driver)) == 0);
    CHECK_FALSE(world.is_bound(next));
    world.hold_watch = false;
    world.release_answers();
    world.advance(1'000);
    CHECK(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("life: nothing is missing while the driver does not run yet, or executors wait") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.advance(700'000);
    CHECK(count_events(world, "ExecutorsMissing") == 0);
    world.set_phase(driver, core::PodPhase::running);
    world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::not_sent); };
    world.create_executors(driver, 3);
    world.advance(700'000);
    CHECK(count_events(world, "ExecutorsMissing") == 0);
}

TEST_CASE("life: an executor that another scheduler bound gives its slot back, and that is said") {
    World world;
    const auto driver = run_small(world, 3);
    world.add_node(tests::node("n2", 1, 16 * 1024));
    const auto waiting = world.submit("b", 1, 100);
    world.settle();
    REQUIRE_FALSE(world.is_bound(waiting));
    const auto stray = world.create(executor_elsewhere(world, driver, "n2"));
    world.settle();
    CHECK(world.view(driver).slots_open == 2);
    CHECK(world.view(driver).executors == 2);
    CHECK(gang::slot_count(*world.reservation(driver)) == 2);
    CHECK(count_events(world, "ExecutorsElsewhere") == 1);
    CHECK(last_event(world, "ExecutorsElsewhere").find("default-scheduler") != std::string::npos);
    // Seen again, changed, or listed by the next leader: it is counted once.
    world.change_pod(stray, [](core::Pod& pod) { pod.phase = core::PodPhase::running; });
    world.relist();
    world.settle();
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_open == 2);
    // The rest is the gang's as before.
    CHECK(world.bound_count(world.create_executors(driver, 2)) == 0);
    world.settle();
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("life: an executor that waits for another scheduler changes nothing yet") {
    World world;
    const auto driver = run_small(world, 3);
    const auto stray = world.create(executor_elsewhere(world, driver, ""));
    world.settle();
    CHECK(world.view(driver).slots_open == 3);
    core::Pod thief = executor_elsewhere(world, driver, "n1");
    thief.namespace_name = "other";
    world.create(thief);
    world.settle();
    CHECK(count_events(world, "ExecutorsElsewhere") == 0);
    world.remove_pod(stray);
}

TEST_CASE("life: executors that fail in a row are bound more slowly, which is said once") {
    World world;
    const auto driver = run_small(world, 3);
    std::size_t failed = 0;
    // Spark makes a new one within the second; no pod lives for long.
    for (int second = 0; second < 600; ++second) {
        for (const auto& uid : world.executors_of(driver)) {
            if (world.is_bound(uid)) {
                world.set_phase(uid, core::PodPhase::failed);
                ++failed;
            }
        }
        const auto there = static_cast<int>(world.executors_of(driver).size());
        world.create_executors(driver, 3 - there);
        world.advance(1'000);
    }
    CHECK(failed >= 600 / 60 * 3);      // it goes on trying
    CHECK(failed <= 10 + 600 / 5 + 3);  // the bucket, and what runs out of it
    CHECK(count_events(world, "ExecutorsFailing") == 1);
    CHECK(std::all_of(world.events.begin(), world.events.end(), [](const auto& event) {
        return event.warning || event.reason != "ExecutorsFailing";
    }));
    CHECK(world.events.size() < 20);
    CHECK(world.conditions.size() <= failed + 10);
    CHECK(world.view(driver).slots_open + world.view(driver).slots_bound == 3);
    // Another application is served at once all the while.
    world.add_node(tests::node("n2", 4, 16 * 1024));
    const auto other = world.submit("b", 3, 2);
    world.settle();
    const auto theirs = world.create_executors(other, 3);
    world.settle();
    CHECK(world.bound_count(theirs) == 3);
    // The crash loop ends: its executors run.
    world.advance(120'000);
    CHECK(world.bound_count(world.executors_of(driver)) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("life: while executors fail in a row, further ones wait and say so") {
    World world;
    const auto driver = run_small(world, 3);
    for (int i = 0; i < 4; ++i) {
        for (const auto& uid : world.create_executors(driver, 3)) {
            world.settle();
            world.set_phase(uid, core::PodPhase::failed);
        }
    }
    const auto next = world.create_executors(driver, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(next[0]));
    CHECK(world.condition(next[0]).ends_with("see driver etl/a [BackingOff]"));
    world.advance(60'000);
    CHECK(world.is_bound(next[0]));
}

TEST_CASE("life: a large gang may lose twice its executors at once before that is a storm") {
    World world;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto driver = world.submit("a", 10, 1);
    world.settle();
    const auto fail_all = [&](int count) {
        for (const auto& uid : world.create_executors(driver, count)) {
            world.settle();
            REQUIRE(world.is_bound(uid));
            world.set_phase(uid, core::PodPhase::failed);
            world.settle();
        }
    };
    fail_all(20);
    CHECK(count_events(world, "ExecutorsFailing") == 0);
    fail_all(1);
    const auto next = world.create_executors(driver, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(next[0]));
    CHECK(count_events(world, "ExecutorsFailing") == 1);
}

TEST_CASE("life: when the first executor was bound, and when all were, is remembered") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto milestones = [&] { return world.scheduler->explain(driver)->milestones; };
    CHECK(milestones().driver_bound_ms == world.now_ms);
    CHECK(milestones().first_executor_ms == 0);
    world.advance(1'000);
    world.create_executors(driver, 1);
    world.settle();
    const std::int64_t first_ms = world.now_ms;
    CHECK(milestones().first_executor_ms == first_ms);
    CHECK(milestones().all_executors_ms == 0);
    world.advance(1'000);
    world.create_executors(driver, 1);
    world.settle();
    CHECK(milestones().first_executor_ms == first_ms);
    CHECK(milestones().all_executors_ms == first_ms + 1'000);
    CHECK(milestones().executors_bound == 2);
}

TEST_CASE("life: executors that end well, or were never on a node, are no storm") {
    World world;
    const auto driver = run_small(world, 3);
    for (int i = 0; i < 30; ++i) {
        const auto uid = world.create_executors(driver, 1)[0];
        if (i % 2 == 0) {
            world.settle();
            REQUIRE(world.is_bound(uid));
            world.set_phase(uid, core::PodPhase::succeeded);
        } else {
            world.set_phase(uid, core::PodPhase::failed);
        }
        world.settle();
    }
    const auto next = world.create_executors(driver, 1);
    world.settle();
    CHECK(world.is_bound(next[0]));
    CHECK(count_events(world, "ExecutorsFailing") == 0);
}
