// What is shown of gangs, member by member: nobody decides anything by it, so nothing else would
// notice that it is wrong.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

bool has_note(const World& world, const std::string& question, const std::string& part) {
    const auto explanation = world.scheduler->explain(question);
    REQUIRE(explanation);
    const auto& notes = explanation->notes;
    return std::any_of(notes.begin(), notes.end(), [&part](const std::string& note) {
        return note.find(part) != std::string::npos;
    });
}

std::int64_t count(const gang::Totals& totals, GangState state) {
    return totals.gangs[static_cast<std::size_t>(state)];
}

core::Pod ownerless_executor(const std::string& name) {
    core::Pod pod = tests::pod(name, 500, 100);
    pod.created = 7;
    pod.labels = {{"spark-role", "executor"}};
    return pod;
}

}  // namespace

TEST_CASE("views: a gang that waits, one that runs, and one that never fits") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto running = world.submit("running", 3, 1);
    world.settle();
    const auto executors = world.create_executors(running, 2);
    const auto first = world.submit("first", 3, 2);
    const auto second = world.submit("second", 2, 3);
    const auto parked = world.submit("parked", 30, 4);
    world.advance(5'000);

    const gang::GangView waits = world.view(second);
    CHECK(waits.namespace_name == "etl");
    CHECK(waits.driver == "second");
    CHECK(waits.driver_uid == second);
    CHECK(waits.application == "spark-second");
    CHECK(waits.state == GangState::waiting);
    CHECK(waits.position == 2);
    CHECK(waits.executors == 2);
    CHECK(waits.needs.cpu_milli == 3'000);
    CHECK(waits.needs.memory_bytes == 3 * 1408 * tests::mebibyte);
    CHECK(waits.waiting_since_ms == 3'000);
    CHECK(waits.slots_open + waits.slots_assumed + waits.slots_bound == 0);
    CHECK_FALSE(waits.message.empty());
    CHECK(world.view(first).position == 1);
    CHECK(world.view(first).code == ReasonCode::waiting_for_capacity);

    const gang::GangView runs = world.view(running);
    CHECK(runs.state == GangState::running);
    CHECK(runs.code == ReasonCode::none);
    CHECK(runs.message.empty());
    CHECK(runs.position == 0);
    CHECK(runs.executors == 3);
    CHECK(runs.slots_open == 1);
    CHECK(runs.slots_assumed == 0);
    CHECK(runs.slots_bound == 2);
    CHECK(runs.needs.cpu_milli == 4'000);

    CHECK(world.scheduler->explain(running)->gang.message == "bound to n1");  // D33

    CHECK(world.view(parked).state == GangState::parked);
    CHECK(world.view(parked).code == ReasonCode::exceeds_cluster);
    CHECK(world.view(parked).position == 0);

    // Those who wait come first, in their order.
    const auto views = world.scheduler->gangs();
    REQUIRE(views.size() == 4);
    CHECK(views[0].driver_uid == first);
    CHECK(views[1].driver_uid == second);
    CHECK(views[2].driver_uid == parked);
    CHECK(views[3].driver_uid == running);

    const gang::Totals totals = world.scheduler->totals(world.now_ms + 2'000);
    CHECK(count(totals, GangState::waiting) == 2);
    CHECK(count(totals, GangState::parked) == 1);
    CHECK(count(totals, GangState::running) == 1);
    CHECK(totals.nodes == 1);
    CHECK(totals.slots_open == 1);
    CHECK(totals.slots_bound == 2);
    CHECK(totals.slots_assumed == 0);
    CHECK(totals.slots_unplaced == 0);
    CHECK(totals.open_cpu_milli == 1'000);
    CHECK(totals.open_memory_bytes == 1408 * tests::mebibyte);
    CHECK(
        totals.idle_milli_ms - world.scheduler->totals(world.now_ms).idle_milli_ms ==
        2'000 * 1'000);
    CHECK(totals.pending_pods == gang::PendingPods{0, 0, 3, 0});
    CHECK(totals.fence_outstanding == 0);
}

TEST_CASE("views: a gang without room for a slot, and one that has ended") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executor = world.create_executors(driver, 1)[0];
    world.settle();
    world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
    world.settle();
    CHECK(world.view(driver).state == GangState::degraded);
    CHECK(world.view(driver).code == ReasonCode::waiting_for_capacity);
    CHECK(world.view(driver).message == "no room now for 2 of 3 slots");
    const auto explanation = world.scheduler->explain(driver);
    REQUIRE(explanation);
    CHECK_FALSE(explanation->is_executor);
    CHECK(
        explanation->slots_per_node ==
        std::vector<std::pair<std::string, std::int32_t>>{{"n1", 1}});
    CHECK(world.scheduler->totals(world.now_ms).slots_unplaced == 2);
    CHECK(count(world.scheduler->totals(world.now_ms), GangState::degraded) == 1);

    const auto of_executor = world.scheduler->explain(executor);
    REQUIRE(of_executor);
    CHECK(of_executor->is_executor);
    CHECK(of_executor->gang.driver_uid == driver);
    CHECK(of_executor->driver.cpu_milli == 1'000);
    CHECK(of_executor->executor.cpu_milli == 1'000);

    const auto late = world.create_executors(driver, 1)[0];
    world.settle();
    world.set_phase(driver, core::PodPhase::succeeded);
    world.settle();
    CHECK(world.view(driver).state == GangState::ended);
    CHECK(world.view(driver).slots_open + world.view(driver).slots_bound == 0);
    CHECK(world.scheduler->explain(driver)->milestones.ended_ms == world.now_ms);
    CHECK(has_note(world, late, "this executor is not bound: its driver has ended"));
}

TEST_CASE("views: an executor of nobody is shown as one of its own") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto ownerless = world.create(ownerless_executor("orphan"));
    core::Pod bad = ownerless_executor("bad");
    bad.problem = "its requests cannot be read";
    const auto parked = world.create(bad);
    world.settle();
    const gang::GangView view = world.view(ownerless);
    CHECK(view.namespace_name == "etl");
    CHECK(view.driver == "orphan");
    CHECK(view.driver_uid == ownerless);
    CHECK(view.application == "orphan");
    CHECK(view.state == GangState::waiting);
    CHECK(view.code == ReasonCode::waiting_in_queue);
    CHECK_FALSE(view.message.empty());
    CHECK(view.waiting_since_ms == 7'000);
    CHECK(view.needs.cpu_milli == 500);
    CHECK(world.view(parked).state == GangState::parked);
    const gang::Totals totals = world.scheduler->totals(world.now_ms);
    CHECK(count(totals, GangState::waiting) == 1);
    CHECK(count(totals, GangState::parked) == 1);
}

TEST_CASE("views: a pod is found by uid, by name, and by its application's id, the first created") {
    World world;
    world.add_node(tests::node("n1", 1, 16 * 1024));
    core::Pod late = tests::driver("same", "spark-late");
    late.created = 20;
    core::Pod early = tests::driver("same", "spark-early");
    early.created = 10;
    early.namespace_name = "other";
    const auto in_etl = world.submit(late, tests::conf(5));
    const auto in_other = world.submit(early, tests::conf(5));
    world.settle();
    const auto found = [&world](const char* question) {
        const auto explanation = world.scheduler->explain(question);
        return explanation ? explanation->gang.driver_uid : "";
    };
    CHECK(found(in_etl.c_str()) == in_etl);
    CHECK(found("same") == in_other);
    CHECK(found("etl/same") == in_etl);
    CHECK(found("other/same") == in_other);
    CHECK(found("spark-late") == in_etl);
    CHECK(found("nobody") == "");
}

TEST_CASE("views: the last bind that was not carried out is named") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.on_bind = [](const gang::BindPod&) { return gang::BindOutcome::refused; };
    world.settle();
    CHECK(has_note(world, driver, "the last bind was not carried out: "));
    CHECK(world.view(driver).state == GangState::waiting);
    CHECK(world.scheduler->totals(world.now_ms).pending_pods == gang::PendingPods{0, 1, 0, 0});
    world.on_bind = nullptr;
    world.advance(60'000);
    REQUIRE(world.is_bound(driver));
    CHECK_FALSE(has_note(world, driver, "the last bind was not carried out: "));
}

TEST_CASE("views: what waits for its conf, for its gates, or for its bind's answer is told apart") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    world.hold_conf_answers = true;
    const auto unsized = world.submit("unsized", 3, 1);
    core::Pod gated = tests::pod("gated", 100, 100);
    gated.gated = true;
    world.create(gated);
    world.settle();
    CHECK(world.view(unsized).state == GangState::waiting_for_conf);
    CHECK(world.scheduler->totals(world.now_ms).pending_pods == gang::PendingPods{0, 0, 0, 2});
    world.hold_bind_answers = true;
    world.hold_watch = true;
    world.step(gang::SparkConfFound{unsized, tests::conf(3)});
    world.settle();
    CHECK(world.view(unsized).state == GangState::admitted);
    CHECK(world.view(unsized).slots_open == 3);
    CHECK(world.scheduler->totals(world.now_ms).pending_pods.active == 1);
}

TEST_CASE("views: totals say how long the oldest waits, and for how long executors are missing") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    CHECK(world.scheduler->totals(world.now_ms).oldest_waiting_ms == 0);
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const std::int64_t bound_ms = world.now_ms;
    CHECK(world.scheduler->totals(bound_ms + 60'000).oldest_open_slot_ms == 0);  // not running yet
    world.set_phase(driver, core::PodPhase::running);
    world.settle();
    world.submit("never", 30, 2);
    world.settle();
    const std::int64_t runs_ms = world.now_ms;
    CHECK(world.scheduler->totals(runs_ms + 60'000).oldest_open_slot_ms >= 60'000);
    CHECK(world.scheduler->totals(runs_ms).oldest_waiting_ms == 0);  // "never" is not waiting

    world.create_executors(driver, 1);
    world.advance(60'000);
    const std::int64_t since_last_ms = world.scheduler->totals(world.now_ms).oldest_open_slot_ms;
    CHECK(since_last_ms >= 59'000);
    CHECK(since_last_ms <= 61'000);
    world.create_executors(driver, 2);
    world.settle();
    CHECK(world.scheduler->totals(world.now_ms + 60'000).oldest_open_slot_ms == 0);

    const auto waits = world.submit("waits", 2, 5);
    world.submit("waits-too", 1, 9);
    world.settle();
    CHECK(world.view(waits).state == GangState::waiting);
    CHECK(world.scheduler->totals(world.now_ms).oldest_waiting_ms == world.now_ms - 5'000);
}

TEST_CASE("views: totals count drivers that were bound and have never run") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    CHECK(world.scheduler->totals(world.now_ms).stuck_drivers == 0);
    world.advance(config::Schema{}.gang.never_running_after_ms + 1'000);
    CHECK(world.scheduler->totals(world.now_ms).stuck_drivers == 1);
    world.set_phase(driver, core::PodPhase::running);
    world.settle();
    CHECK(world.scheduler->totals(world.now_ms).stuck_drivers == 0);
}
