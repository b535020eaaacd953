// Much at once, and odd orders of events: work per tick is bounded, nobody is forgotten, and no
// room is lost or promised twice.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using tests::World;

std::size_t count_events(const World& world, const std::string& reason) {
    return static_cast<std::size_t>(
        std::count_if(world.events.begin(), world.events.end(), [&reason](const auto& event) {
            return event.reason == reason;
        }));
}

std::int64_t slots_on(const World& world, const std::string& driver, const std::string& node) {
    const auto answer = world.scheduler->explain(driver);
    for (const auto& [name, slots] : answer->slots_per_node) {
        if (name == node) {
            return slots;
        }
    }
    return 0;
}

core::Pod on_node(core::Pod pod, const std::string& node) {
    pod.node_name = node;
    return pod;
}

core::Pod other_pod(const std::string& name, std::int64_t cpu_milli, const std::string& node) {
    core::Pod pod = tests::pod(name, cpu_milli, 10);
    pod.scheduler_name = "default-scheduler";
    return on_node(pod, node);
}

}  // namespace

TEST_CASE("pressure: a tick binds a bounded number of executors, the next ones the rest") {
    World world;
    core::Node large = tests::node("n1", 4000, 16 * 1024 * 1024);
    large.pods = 5000;
    world.add_node(large);
    const auto first = world.submit("a", 1500, 1);
    const auto second = world.submit("b", 1500, 2);
    world.settle();
    auto executors = world.create_executors(first, 1500);
    const auto more = world.create_executors(second, 1500);
    executors.insert(executors.end(), more.begin(), more.end());
    world.settle();
    CHECK(world.bound_count(executors) == 3000);
    CHECK(world.most_binds_in_a_step > 100);
    CHECK(world.most_binds_in_a_step <= 600);
}

TEST_CASE("pressure: a tick admits a bounded number of pods, the next ones the rest") {
    World world;
    core::Node large = tests::node("n1", 4000, 16 * 1024 * 1024);
    large.pods = 5000;
    world.add_node(large);
    std::vector<std::string> pods;
    for (int i = 0; i < 3000; ++i) {
        pods.push_back(world.create(tests::pod("lone-" + std::to_string(i), 100, 10)));
    }
    world.settle();
    CHECK(world.bound_count(pods) == 3000);
    CHECK(world.most_binds_in_a_step > 100);
    CHECK(world.most_binds_in_a_step <= 600);
}

TEST_CASE("pressure: a pod of ours that somebody else binds moves the slots whose room it took") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const std::string home = world.node_of(driver);
    REQUIRE(slots_on(world, "a", home) == 3);
    const auto intruder = world.create(on_node(tests::pod("intruder", 1000, 10), home));
    world.settle();
    CHECK(slots_on(world, "a", home) == 2);
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.violations.empty());

    // A pod that grows in place does the same.
    const auto later = world.submit("b", 1, 2);
    world.settle();
    const auto before = *world.reservation(later);
    const std::string there = before.shapes[0].slots_per_node[0].first;
    REQUIRE(world.node_of(later) == there);
    world.change_pod(later, [](core::Pod& pod) { pod.requests.cpu_milli = 2500; });
    world.remove_pod(intruder);
    world.settle();
    const auto held = *world.reservation(later);
    CHECK(held.shapes[0].slots_per_node[0].first != there);
}

TEST_CASE("pressure: of several gangs on an overrun node only as many slots leave as must") {
    World world;
    core::Node first = tests::node("n1", 8, 32 * 1024);
    core::Pod intruder = other_pod("intruder", 1000, "n1");
    SUBCASE("by cpu") {}
    SUBCASE("by memory") {
        first = tests::node("n1", 64, std::int64_t{8} * 1408);
        intruder.requests.memory_bytes = 1408 * tests::mebibyte;
    }
    SUBCASE("by the number of pods") {
        first.pods = 8;
        first.allocatable.cpu_milli = 64'000;
    }
    world.add_node(first);
    world.add_node(tests::node("n2", 8, 32 * 1024));
    world.change_node("n2", [](core::Node& node) { node.unschedulable = true; });
    std::vector<std::string> drivers;
    for (const char* name : {"a", "b", "c", "d"}) {
        drivers.push_back(world.submit(name, 1, 1));
    }
    world.settle();
    world.change_node("n2", [](core::Node& node) { node.unschedulable = false; });
    world.settle();
    world.create(intruder);
    world.settle();
    std::int64_t left = 0;
    for (const auto& driver : drivers) {
        left += slots_on(world, driver, "n1");
    }
    CHECK(left == 3);
    CHECK(world.updates.size() == 1);
    CHECK(count_events(world, "GangDegraded") == 0);
}

TEST_CASE("pressure: a slot that is not written yet leaves an overrun node before one that is") {
    World world;
    world.add_node(tests::node("n1", 5, 32 * 1024));
    const auto elder = world.submit("elder", 1, 1);
    const auto younger = world.submit("younger", 1, 2);
    world.settle();
    std::string unwritten;
    SUBCASE("of the younger gang") {
        unwritten = younger;
    }
    SUBCASE("of the elder gang") {
        unwritten = elder;
    }
    world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
    world.settle();
    world.on_decision = [&](const gang::Decision& decision) {
        const auto* update = std::get_if<gang::UpdateReservation>(&decision);
        world.fail_status_writes = update != nullptr && update->driver.uid == unwritten;
    };
    world.change_node("n1", [](core::Node& node) { node.unschedulable = false; });
    world.settle();
    REQUIRE(slots_on(world, "elder", "n1") + slots_on(world, "younger", "n1") == 2);
    REQUIRE(world.reservation(unwritten)->shapes.at(0).unplaced == 1);
    world.create(other_pod("intruder", 2000, "n1"));
    world.settle();
    CHECK(slots_on(world, "elder", "n1") == (unwritten == elder ? 0 : 1));
    CHECK(slots_on(world, "younger", "n1") == (unwritten == younger ? 0 : 1));
    world.on_decision = nullptr;
    world.fail_status_writes = false;
    world.advance(60'000);
    CHECK(world.reservation(unwritten)->shapes.at(0).unplaced == 1);
    CHECK(world.violations.empty());
}

TEST_CASE("pressure: an executor larger than its slot grows whichever slot has room beside it") {
    World world;
    world.add_node(tests::node("n1", 3, 16 * 1024));
    world.add_node(tests::node("n2", 3, 16 * 1024));
    world.change_node("n2", [](core::Node& node) { node.allocatable.cpu_milli = 3'200; });
    const auto driver = world.submit("a", 5, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.create_executors(driver, 1);
    world.settle();
    core::Pod large = tests::executor("large", world.pod(driver));
    large.requests.cpu_milli = 1'100;  // with a sidecar that somebody's webhook adds
    const auto first = world.create(large);
    world.settle();
    CHECK(world.node_of(first) == "n2");
    large.name = "large-2";
    const auto second = world.create(large);
    large.name = "large-3";
    const auto third = world.create(large);
    world.settle();
    CHECK(world.node_of(second) == "n2");
    CHECK_FALSE(world.is_bound(third));
    CHECK(world.violations.empty());
}

TEST_CASE(
    "pressure: room held for a moved slot is free again although the lead changed meanwhile") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) {
        world.add_node(tests::node(name, 4, 16 * 1024));
    }
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto cordon = [&world](const std::string& node) {
        world.change_node(node, [](core::Node& changed) { changed.unschedulable = true; });
        world.settle();
    };
    REQUIRE(slots_on(world, "a", "n1") == 2);
    world.hold_status_answers = true;
    cordon("n1");
    REQUIRE(slots_on(world, "a", "n2") == 2);
    cordon("n2");  // the first move is stored, but not answered: the second one has to wait
    REQUIRE(slots_on(world, "a", "n3") == 2);
    world.lose_lead();
    world.settle();
    world.hold_status_answers = false;
    world.release_answers();
    world.lead();
    world.advance(60'000);
    CHECK(world.scheduler->explain("a")->notes.empty());
    const auto held = *world.reservation(driver);
    CHECK(held.shapes[0].slots_per_node == decltype(held.shapes[0].slots_per_node){{"n3", 2}});
}

TEST_CASE("pressure: a gang keeps its slots if the lead changes before its bind is seen") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.settle();
    const auto driver = world.submit("a", 3, 1);
    while (world.binds.empty()) {
        if (!world.deliver_one()) {
            world.step(gang::Tick{});
        }
    }
    world.hold_watch = true;
    world.settle();
    REQUIRE(world.view(driver).slots_open == 3);
    world.lose_lead();
    world.settle();
    world.lead();
    world.settle();
    CHECK(world.view(driver).slots_open == 3);
    world.hold_watch = false;
    world.settle();
    CHECK(world.view(driver).slots_open == 3);
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("pressure: a driver whose later state lacks its conf's place is still asked for by it") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Pod pod = tests::driver("a");
    const auto driver = world.create(pod);
    world.settle();
    world.change_pod(driver, [](core::Pod& changed) { changed.spark_properties.reset(); });
    world.advance(16'000);
    CHECK(world.fetches.size() > 2);
    CHECK(world.condition(driver).find("spark-drv-a-conf-map") != std::string::npos);
}

TEST_CASE("pressure: hundreds of gangs that cannot run now keep nobody behind them from running") {
    World world;
    core::Node large = tests::node("large", 2'000, 8 * 1024 * 1024);
    large.pods = 5'000;
    world.add_node(large);
    for (int i = 0; i < 1'000; ++i) {
        core::Node small = tests::node("small-" + std::to_string(i), 0, 1'024);
        small.allocatable.cpu_milli = 100;
        world.add_node(small);
    }
    world.create(other_pod("most-of-it", 1'500'000, "large"));
    world.settle();
    for (int i = 0; i < 600; ++i) {  // each another size, so that each is a question of its own
        world.submit("big-" + std::to_string(i), 1'000 + i, 1);
    }
    const auto last = world.submit("small", 3, 2);
    while (!world.queues_empty()) {
        world.deliver_one();
    }
    for (int round = 0; round < 60 && !world.is_bound(last); ++round) {
        world.create(other_pod("passer-by-" + std::to_string(round), 1, "small-7"));
        while (!world.queues_empty()) {
            world.deliver_one();
        }
        world.step(gang::Tick{});
    }
    CHECK(world.is_bound(last));
}

TEST_CASE("pressure: what is said behind a blocked head is found out a bit per second, for all") {
    World world;
    core::Node large = tests::node("large", 2'000, 8 * 1024 * 1024);
    large.pods = 5'000;
    world.add_node(large);
    for (int i = 0; i < 1'000; ++i) {
        core::Node small = tests::node("small-" + std::to_string(i), 0, 1'024);
        small.allocatable.cpu_milli = 100;
        world.add_node(small);
    }
    const auto runs = world.submit("runs", 1'500, 1);
    world.settle();
    REQUIRE(world.is_bound(runs));
    for (int i = 0; i < 600; ++i) {
        world.submit("next-" + std::to_string(i), 1'000 + i, 2);
    }
    const auto last = world.submit("last", 3, 3);
    int busy = 0;
    for (int round = 0; round < 60; ++round) {
        world.now_ms += 100;
        const auto uid = world.create(other_pod("passer-by", 1, "small-7"));
        world.remove_pod(uid);
        while (!world.queues_empty()) {
            world.deliver_one();
        }
        world.step(gang::Tick{});
        busy += world.take_due_wake() ? 1 : 0;
    }
    CHECK(busy <= 50);  // a look at so many takes forty ticks, then there is a pause of a second
    CHECK_FALSE(world.is_bound(last));
    CHECK(world.condition(last).find("first etl/next-0") != std::string::npos);
}

TEST_CASE("pressure: a gang is not judged by one that was there before it") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    core::Pod large = tests::driver("too-large");
    SUBCASE("its executors were too large") {
        const auto before =
            world.submit(large, tests::with(tests::conf(3), "spark.executor.cores", "9"));
        world.settle();
        REQUIRE(world.view(before).code == gang::ReasonCode::exceeds_cluster);
        world.remove_pod(before);
    }
    SUBCASE("its driver was too large") {
        large.requests.cpu_milli = 9'000;
        const auto before = world.submit(large, tests::conf(3));
        world.settle();
        REQUIRE(world.view(before).code == gang::ReasonCode::exceeds_cluster);
        world.remove_pod(before);
    }
    SUBCASE("it was a pod") {
        large = tests::pod("too-large", 9'000, 10);
        const auto before = world.create(large);
        world.settle();
        REQUIRE(world.view(before).code == gang::ReasonCode::exceeds_cluster);
        world.remove_pod(before);
        const auto next = world.create(tests::pod("small", 100, 10));
        world.settle();
        CHECK(world.is_bound(next));
    }
    const auto next = world.submit("small", 3, 2);
    world.settle();
    CHECK(world.is_bound(next));
}

TEST_CASE("pressure: what is left of a tick's work is asked for at once") {
    World world;
    core::Node large = tests::node("n1", 4'000, 16 * 1024 * 1024);
    large.pods = 5'000;
    world.add_node(large);
    const auto driver = world.submit("a", 1'500, 1);
    world.settle();
    SUBCASE("executors") {
        world.create_executors(driver, 1'500);
    }
    SUBCASE("gangs and pods") {
        for (int i = 0; i < 1'500; ++i) {
            world.create(tests::pod("lone-" + std::to_string(i), 100, 10));
        }
    }
    while (!world.queues_empty()) {
        world.deliver_one();
    }
    const std::size_t before = world.binds.size();
    int ticks = 0;
    bool again = true;
    for (; again && ticks < 100; ++ticks) {
        world.take_due_wake();
        world.step(gang::Tick{});
        again = world.take_due_wake();
    }
    CHECK(world.binds.size() == before + 1'500);
    CHECK(ticks >= 3);
    CHECK(ticks < 20);
}

TEST_CASE("pressure: room that a grown slot left is nobody's before the new place is written") {
    World world;
    world.add_node(tests::node("n1", 3, 16 * 1024));
    world.add_node(tests::node("n2", 2, 16 * 1024));
    world.change_node("n2", [](core::Node& node) { node.unschedulable = true; });
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    REQUIRE(slots_on(world, "a", "n1") == 2);
    world.change_node("n2", [](core::Node& node) { node.unschedulable = false; });
    world.create_executors(driver, 1);
    world.settle();
    world.hold_status_answers = true;
    world.late_watch = true;
    core::Pod large = tests::executor("large", world.pod(driver));
    large.requests.cpu_milli = 2'000;
    const auto executor = world.create(large);
    world.settle();
    REQUIRE(world.node_of(executor) == "n2");
    const auto waiting = world.create(tests::pod("waiting", 1'000, 10));
    world.settle();
    CHECK_FALSE(world.is_bound(waiting));
    world.release_answers();
    world.settle();
    CHECK(world.node_of(waiting) == "n1");
    CHECK(world.violations.empty());
}

TEST_CASE("pressure: a slot that opens again on a node closed meanwhile goes elsewhere") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    REQUIRE(slots_on(world, "a", "n1") == 2);
    const auto cordon = [&world] {
        world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
        world.settle();
    };
    SUBCASE("its executor has failed") {
        const auto executors = world.create_executors(driver, 2);
        world.settle();
        cordon();
        CHECK(slots_on(world, "a", "n1") == 2);
        world.set_phase(executors[0], core::PodPhase::failed);
    }
    SUBCASE("its executor was deleted") {
        const auto executors = world.create_executors(driver, 2);
        world.settle();
        cordon();
        world.remove_pod(executors[0]);
    }
    SUBCASE("its executor's bind has failed") {
        world.hold_bind_answers = true;
        world.on_bind = [](const gang::BindPod&) { return gang::BindOutcome::not_sent; };
        world.create_executors(driver, 1);
        world.settle();
        cordon();  // the other slot leaves, this one has its executor on the way
        CHECK(slots_on(world, "a", "n1") == 1);
        world.on_bind = [](const gang::BindPod&) { return gang::BindOutcome::refused; };
        world.release_answers();
        world.settle();
        CHECK(slots_on(world, "a", "n1") == 0);
    }
    world.settle();
    const auto on_n1 = slots_on(world, "a", "n1");
    CHECK(on_n1 <= 1);
    CHECK(on_n1 + slots_on(world, "a", "n2") == 2);
    CHECK(world.reservation(driver)->generation > 1);
}

TEST_CASE("pressure: a node that is usable again keeps the room of a slot that is written there") {
    World world;
    world.add_node(tests::node("n1", 1, 16 * 1024));
    world.add_node(tests::node("n2", 1, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    const std::string slot_node = world.node_of(driver) == "n1" ? "n2" : "n1";
    REQUIRE(slots_on(world, "a", slot_node) == 1);
    world.fail_status_writes = true;
    const auto cordon = [&](bool closed) {
        world.change_node(slot_node, [closed](core::Node& node) { node.unschedulable = closed; });
    };
    std::function<void()> leave;
    std::function<void()> come_back;
    SUBCASE("closed, and opened") {
        leave = [&] { cordon(true); };
        come_back = [&] { cordon(false); };
    }
    SUBCASE("gone, and back") {
        leave = [&] { world.remove_node(slot_node); };
        come_back = [&] { world.add_node(tests::node(slot_node, 1, 16 * 1024)); };
    }
    leave();
    world.settle();
    world.add_node(tests::node("n3", 1, 16 * 1024));
    world.settle();
    REQUIRE(slots_on(world, "a", "n3") == 1);
    come_back();
    world.settle();
    // A restart now would look for the slot where the driver's annotation says it is.
    const auto second = world.submit("b", 0, 2);
    world.settle();
    CHECK(!world.is_bound(second));
    world.fail_status_writes = false;
    world.advance(60'000);
    CHECK(world.is_bound(second));
    CHECK(world.reservation(driver)->shapes.at(0).slots_per_node.at(0).first == "n3");
    CHECK(world.violations.empty());
}

TEST_CASE(
    "pressure: a node that grows back is not given away while a slot is written to be there") {
    World world;
    world.add_node(tests::node("n1", 1, 16 * 1024));
    world.add_node(tests::node("n2", 2, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    REQUIRE(world.node_of(driver) == "n1");
    REQUIRE(slots_on(world, "a", "n2") == 2);
    world.fail_status_writes = true;
    const auto resize = [&](std::int64_t cpu_milli) {
        world.change_node(
            "n2", [cpu_milli](core::Node& node) { node.allocatable.cpu_milli = cpu_milli; });
        world.settle();
    };
    resize(1'500);
    CHECK(slots_on(world, "a", "n2") == 1);  // the slot beside it stays
    world.add_node(tests::node("n3", 1, 16 * 1024));
    world.settle();
    resize(2'000);
    // A restart now would look for both slots where the driver's annotation says they are.
    const auto second = world.submit("b", 0, 2);
    world.settle();
    CHECK(world.node_of(second) != "n2");
    world.fail_status_writes = false;
    world.advance(60'000);
    CHECK(world.is_bound(second));
    CHECK(world.violations.empty());
}

TEST_CASE("pressure: a node lost between a gang's bind and its answer costs it no slot") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.settle();
    world.hold_bind_answers = true;
    const auto driver = world.submit("a", 5, 1);
    while (world.binds.empty()) {
        if (!world.deliver_one()) {
            world.step(gang::Tick{});
        }
    }
    world.hold_watch = true;  // neither the watch nor the answer tells
    const std::string home = world.binds.front().node;
    const std::string other = home == "n1" ? "n2" : "n1";
    REQUIRE(slots_on(world, "a", other) >= 1);
    world.remove_node(other);
    world.add_node(tests::node("n3", 4, 16 * 1024));
    world.settle();
    world.hold_watch = false;
    world.release_answers();
    world.settle();
    CHECK(slots_on(world, "a", other) == 0);
    CHECK(slots_on(world, "a", home) + slots_on(world, "a", "n3") == 5);
    CHECK(gang::slot_count(*world.reservation(driver)) == 5);
}
