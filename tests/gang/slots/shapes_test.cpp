// Real executors that are not what was predicted: the shape of their gang is corrected.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

std::vector<std::string> events_of(const World& world, const std::string& reason) {
    std::vector<std::string> texts;
    for (const auto& event : world.events) {
        if (event.reason == reason) {
            texts.push_back(event.message);
        }
    }
    return texts;
}

/// Executors of that driver, changed as a webhook would do it.
std::vector<std::string> create_changed(
    World& world,
    const std::string& driver,
    int count,
    const std::function<void(core::Pod&)>& change) {
    std::vector<std::string> made;
    for (int i = 0; i < count; ++i) {
        core::Pod pod = tests::executor("changed-" + std::to_string(i), world.pod(driver));
        change(pod);
        made.push_back(world.create(pod));
    }
    return made;
}

std::function<void(core::Pod&)> asks_cpu(std::int64_t cpu_milli) {
    return [cpu_milli](core::Pod& pod) { pod.requests.cpu_milli = cpu_milli; };
}

std::string start_gang(World& world, int executors) {
    const auto driver = world.submit("a", executors, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    return driver;
}

std::int64_t reserved_cpu(const World& world, const std::string& driver) {
    return world.reservation(driver)->shapes[0].requests.cpu_milli;
}

}  // namespace

TEST_CASE("shapes: larger executors extend the whole reservation at once where there is room") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto executors = create_changed(world, driver, 1, asks_cpu(1500));
    // What is left after the correction, 8 - 1 - 4.5, is too small for this one.
    const auto next = world.submit("b", 2, 100);
    world.settle();
    CHECK(reserved_cpu(world, driver) == 1500);
    CHECK(gang::slot_count(*world.reservation(driver)) == 3);
    CHECK(world.is_bound(executors[0]));
    CHECK_FALSE(world.is_bound(next));
    CHECK(
        events_of(world, "ShapeCorrected") ==
        std::vector<std::string>{
            "predicted 1 cpu, 1408Mi memory for each executor, executors request 1500m cpu, "
            "1408Mi memory; room for all 3 is reserved"});
    CHECK(world.scheduler->explain("a")->executor.cpu_milli == 1500);
    CHECK(world.scheduler->explain("a")->notes[0].starts_with("predicted 1 cpu"));
    const auto rest = create_changed(world, driver, 2, asks_cpu(1500));
    world.settle();
    CHECK(world.bound_count(rest) == 2);
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(events_of(world, "ShapeCorrected").size() == 1);
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(reserved_cpu(world, driver) == 1500);
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: nothing relies on a larger reservation before it is written") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto driver = start_gang(world, 3);
    world.hold_status_answers = true;
    world.hold_watch = true;
    const auto executors = create_changed(world, driver, 3, asks_cpu(1500));
    world.hold_watch = false;
    world.fail_status_writes = true;
    world.settle();
    REQUIRE(world.updates.size() == 1);
    CHECK(world.bound_count(executors) == 0);
    world.fail_status_writes = false;
    world.hold_status_answers = false;
    world.release_answers();
    world.advance(2'000);
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: slots that cannot grow where they are move") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = start_gang(world, 3);
    world.add_node(tests::node("n2", 4, 64 * 1024));
    const auto executors = create_changed(world, driver, 3, asks_cpu(1500));
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.reservation(driver)->shapes[0].slots_per_node.size() == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: smaller executors give room back, once that is written") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto next = world.submit("b", 0, 2);
    world.settle();
    REQUIRE_FALSE(world.is_bound(next));
    world.hold_status_answers = true;
    world.hold_watch = true;
    const auto executors = create_changed(world, driver, 3, asks_cpu(500));
    world.hold_watch = false;
    world.fail_status_writes = true;
    world.settle();
    CHECK(world.bound_count(executors) == 3);  // less than they have
    CHECK_FALSE(world.is_bound(next));
    world.fail_status_writes = false;
    world.hold_status_answers = false;
    world.release_answers();
    world.advance(2'000);
    CHECK(reserved_cpu(world, driver) == 500);
    CHECK(world.is_bound(next));
    CHECK(events_of(world, "ShapeCorrected").size() == 1);
    // The slot of a lost executor is as large as its replacement.
    world.remove_pod(executors[0]);
    const auto replacement = create_changed(world, driver, 1, asks_cpu(500));
    world.settle();
    CHECK(world.is_bound(replacement[0]));
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: what does not fit is said, runs with what does, and harms nobody") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 4, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto other = world.submit("b", 3, 2);
    world.settle();
    REQUIRE(world.is_bound(other));
    const auto executors = create_changed(world, driver, 3, asks_cpu(1500));
    world.settle();
    // 3 cpu of its own: two executors of 1.5.
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.view(other).slots_open == 3);
    CHECK(world.view(driver).state == GangState::degraded);
    CHECK(world.view(driver).code == ReasonCode::waiting_for_capacity);
    CHECK(
        events_of(world, "ShapeCorrected")
            .at(0)
            .ends_with("there is room for 2 of 3, the rest gets room before any gang that waits"));
    CHECK(events_of(world, "GangDegraded").empty());
    CHECK(world.reservation(driver)->shapes[0].unplaced == 1);
    for (const auto& uid : executors) {
        if (!world.is_bound(uid)) {
            CHECK(
                world.condition(uid) ==
                "0/2 nodes have room for what its gang lacks, 1500m cpu, 1408Mi memory for each "
                "executor: see driver etl/a [WaitingForCapacity]");
            const auto notes = world.scheduler->explain(uid)->notes;
            CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
                return note.find("asks 1500m cpu") != std::string::npos;
            }));
        }
    }
    const auto theirs = world.create_executors(other, 3);
    world.settle();
    CHECK(world.bound_count(theirs) == 3);
    // The next room is for it, before any gang that waits.
    const auto waiting = world.submit("c", 1, 3);
    world.settle();
    world.add_node(tests::node("n3", 2, 64 * 1024));
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.view(driver).state == GangState::running);
    CHECK_FALSE(world.is_bound(waiting));
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: two gangs that were both predicted too small do not wait for each other") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto first = start_gang(world, 3);
    const auto second = world.submit("b", 3, 2);
    world.settle();
    REQUIRE(world.is_bound(second));
    const auto mine = create_changed(world, first, 3, asks_cpu(2000));
    const auto theirs = create_changed(world, second, 3, asks_cpu(2000));
    world.settle();
    CHECK(world.bound_count(mine) >= 1);
    CHECK(world.bound_count(theirs) >= 1);
    CHECK(world.bound_count(mine) + world.bound_count(theirs) == 3);  // of 6 cpu nothing is idle
    world.remove_application(first);
    world.settle();
    CHECK(world.bound_count(theirs) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: an executor that fits no node at all leaves the room to others") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto executors = create_changed(world, driver, 3, asks_cpu(5000));
    const auto next = world.submit("b", 1, 100);
    world.settle();
    CHECK(world.bound_count(executors) == 0);
    CHECK(events_of(world, "ShapeCorrected")
              .at(0)
              .ends_with(
                  "there is room for 0 of 3, and no node could take one even if it were empty"));
    CHECK(world.is_bound(next));
    world.remove_application(next);
    world.add_node(tests::node("big", 16, 64 * 1024));
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: other constraints than predicted move the slots to where executors may run") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = start_gang(world, 2);
    core::Node pool = tests::node("n2", 4, 64 * 1024);
    pool.labels = {{"pool", "batch"}};
    world.add_node(pool);
    const auto executors = create_changed(world, driver, 2, [](core::Pod& pod) {
        pod.constraints.edit().node_selector = {{"pool", "batch"}};
    });
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.node_of(executors[0]) == "n2");
    CHECK(
        world.reservation(driver)->shapes[0].slots_per_node ==
        std::vector<std::pair<std::string, std::int64_t>>{{"n2", 2}});
    CHECK(events_of(world, "ShapeCorrected")
              .at(0)
              .starts_with(
                  "executors have another node selector, affinity or tolerations than predicted"));
    // The room on n1 is everybody's again.
    const auto next = world.submit("b", 2, 2);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: the first executor counts, and those of another profile do not") {
    World world;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto staged = create_changed(world, driver, 1, [](core::Pod& pod) {
        pod.labels[1].second = "1";
        pod.requests.cpu_milli = 4000;
    });
    world.settle();
    CHECK(world.is_bound(staged[0]));  // elastic
    CHECK(reserved_cpu(world, driver) == 1000);
    const auto first = create_changed(world, driver, 1, asks_cpu(1200));
    world.settle();
    CHECK(reserved_cpu(world, driver) == 1200);
    const auto updates = world.updates.size();
    const auto others = create_changed(world, driver, 1, asks_cpu(2000));
    world.settle();
    CHECK(world.is_bound(others[0]));
    CHECK(reserved_cpu(world, driver) == 1200);
    CHECK(world.updates.size() == updates);
    CHECK(world.violations.empty());
}

TEST_CASE("shapes: executors that are as predicted change nothing") {
    World world;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto driver = start_gang(world, 3);
    world.create_executors(driver, 3);
    world.settle();
    CHECK(world.updates.empty());
    CHECK(events_of(world, "ShapeCorrected").empty());
}

TEST_CASE("shapes: what the API server adds to every pod is no difference") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto executors = create_changed(world, driver, 1, [](core::Pod& pod) {
        for (const char* taint : {"not-ready", "unreachable"}) {
            pod.constraints.edit().tolerations.push_back(
                {std::string("node.kubernetes.io/") + taint,
                 true,
                 "",
                 false,
                 core::TaintEffect::no_execute,
                 300});
        }
    });
    world.settle();
    CHECK(world.is_bound(executors[0]));
    CHECK(world.reservation(driver)->generation == 1);
    CHECK(events_of(world, "ShapeCorrected").empty());
}

TEST_CASE("shapes: executors of a set, known by labels alone, correct nothing") {
    World world;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto driver = start_gang(world, 3);
    const auto executors = world.create_set_executors(driver, 1);
    world.change_pod(executors[0], asks_cpu(100));
    world.settle();
    CHECK(world.is_bound(executors[0]));
    CHECK(reserved_cpu(world, driver) == 1000);
    CHECK(world.updates.empty());
}

TEST_CASE("shapes: a restart at any write of a correction keeps all that was bound, and no more") {
    for (int stop = 0; stop < 40; ++stop) {
        CAPTURE(stop);
        World world;
        world.add_node(tests::node("n1", 8, 64 * 1024));
        const auto driver = start_gang(world, 3);
        const auto executors = create_changed(world, driver, 3, asks_cpu(1500));
        world.submit("b", 1, 100);
        for (int i = 0; i < stop; ++i) {
            if (!world.deliver_one()) {
                world.step(gang::Tick{});
            }
        }
        world.restart();
        world.advance(5'000);
        CHECK(world.bound_count(executors) == 3);
        CHECK(world.view(driver).slots_bound == 3);
        CHECK(world.violations.empty());
    }
}

TEST_CASE("shapes: nor is it one that the prediction has it already") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const core::Toleration not_ready = {
        "node.kubernetes.io/not-ready", true, "", false, core::TaintEffect::no_execute, 300};
    auto conf = tests::conf(3);
    conf.executor_template.emplace().constraints.tolerations = {not_ready};
    core::Pod pod = tests::driver("a");
    const auto driver = world.submit(pod, conf);
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto executors = create_changed(world, driver, 1, [&](core::Pod& made) {
        core::Toleration unreachable = not_ready;
        unreachable.key = "node.kubernetes.io/unreachable";
        made.constraints.edit().tolerations = {unreachable};
    });
    world.settle();
    CHECK(world.is_bound(executors[0]));
    CHECK(world.reservation(driver)->generation == 1);
    CHECK(events_of(world, "ShapeCorrected").empty());
}
