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
    world.advance(5'000);  // what is summed up stays
    CHECK(
        world.scheduler->totals(world.now_ms).idle_milli_ms -
            (totals.idle_milli_ms - 2'000 * 1'000) ==
        5'000 * 1'000);
    CHECK(totals.pending_pods == gang::PendingPods{0, 0, 3, 0});
    CHECK(totals.fence_outstanding == 0);
}

TEST_CASE("views: who holds the room that a gang lacks, and what would give it room") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto ended = world.submit("ended", 2, 1);
    world.settle();
    const auto left = world.create_executors(ended, 2);
    world.settle();
    const auto running = world.submit("running", 1, 2);
    world.settle();
    world.create_executors(running, 1);
    world.settle();
    world.set_phase(ended, core::PodPhase::succeeded);
    world.settle();
    REQUIRE(world.bound_count(left) == 2);
    const auto waiting = world.submit("waiting", 5, 3);
    world.advance(5'000);
    REQUIRE(world.view(waiting).code == ReasonCode::waiting_for_capacity);

    const std::string name = "etl/" + world.pod(left[0]).name;
    CHECK(has_note(world, waiting, "executors whose driver has ended hold 2 cpu"));
    CHECK(has_note(world, waiting, name + " on n1"));
    CHECK(has_note(world, waiting, "kubectl delete pod -n etl " + world.pod(left[0]).name));
    CHECK(has_note(world, waiting, "held by running gangs: etl/running (2 cpu, "));
    CHECK(has_note(world, waiting, "with 3 executors instead of 5 it would fit now"));
    CHECK_FALSE(has_note(world, running, "held by running gangs"));
    // Nobody else is told: the condition has no names of others' pods.
    CHECK(world.condition(waiting).find(name) == std::string::npos);

    for (const auto& executor : left) {
        world.remove_pod(executor);
    }
    world.advance(5'000);
    CHECK(world.is_bound(waiting));
}

TEST_CASE("views: executors of a driver that is gone, and that never ran") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto gone = world.submit("gone", 2, 1);
    world.settle();
    const auto left = world.create_executors(gone, 2);
    world.settle();
    world.remove_pod(gone);
    world.settle();
    const auto waiting = world.submit("waiting", 2, 3);
    world.advance(5'000);
    CHECK(has_note(world, waiting, "executors whose driver has ended hold 2 cpu"));
    CHECK(has_note(world, waiting, "(not running)"));
}

TEST_CASE("views: what would be of a gang that does not exist changes nothing") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 2, 16 * 1024));
    const auto running = world.submit("running", 1, 1);
    world.settle();
    world.create_executors(running, 1);
    world.settle();
    gang::WhatIf question;
    question.driver.cpu_milli = 1'000;
    question.executor.cpu_milli = 1'000;
    question.executors = 3;
    const gang::WhatIfAnswer fits = world.scheduler->what_if(question);
    CHECK(fits.fits_now);
    CHECK(fits.fits_empty);
    CHECK(fits.executors_fit_now == 3);
    CHECK(fits.now.empty());
    CHECK_FALSE(fits.driver_node.empty());
    std::int64_t placed = 0;
    for (const auto& [node, count] : fits.executors_per_node) {
        placed += count;
    }
    CHECK(placed == 3);

    question.executors = 5;
    const gang::WhatIfAnswer waits = world.scheduler->what_if(question);
    CHECK_FALSE(waits.fits_now);
    CHECK(waits.fits_empty);
    CHECK(waits.executors_fit_now == 3);
    CHECK(waits.now.find("short of 2 cpu") != std::string::npos);
    question.executors = 50;
    const gang::WhatIfAnswer never = world.scheduler->what_if(question);
    CHECK_FALSE(never.fits_empty);
    CHECK(never.executors_fit_empty == 5);
    question.executors = 1;
    question.constraints.node_selector = {{"pool", "none"}};
    CHECK_FALSE(world.scheduler->what_if(question).fits_empty);

    CHECK(never.waiting == 0);
    world.submit("parked", 40, 4);  // is not in line
    const auto in_line = world.submit("in-line", 4, 4);
    world.advance(5'000);
    question.constraints = {};
    CHECK(world.scheduler->what_if(question).waiting == 1);
    world.remove_pod(in_line);
    world.settle();

    // What was said is what then happens.
    const auto real = world.submit("real", 3, 5);
    world.settle();
    CHECK(world.is_bound(real));
    for (const core::Account& account : world.scheduler->accounts()) {
        CHECK(account.held == account.owned);
    }
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

TEST_CASE("views: a gang that is shown can be asked about, also when its driver's pod is gone") {
    World world;
    world.add_node(tests::node("n1", 6, 16 * 1024));
    const auto driver = world.submit("leaves-one", 1, 1);
    world.settle();
    const auto executor = world.create_executors(driver, 1)[0];
    world.settle();
    REQUIRE(world.is_bound(executor));
    world.remove_pod(driver);
    world.settle();
    REQUIRE(world.view(driver).state == GangState::ended);
    for (const std::string_view question : {std::string_view(driver), std::string_view("leaves-one"), std::string_view("etl/leaves-one")}) {
        CAPTURE(question);
        const auto explanation = world.scheduler->explain(question);
        REQUIRE(explanation);
        CHECK(explanation->gang.driver_uid == driver);
        CHECK(explanation->gang.state == GangState::ended);
        CHECK_FALSE(explanation->is_executor);
    }
    CHECK_FALSE(world.scheduler->explain("leaves-two"));
    CHECK(world.scheduler->explain(executor)->is_executor);
    world.remove_pod(executor);
    world.settle();
    CHECK_FALSE(world.scheduler->explain("leaves-one"));
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

TEST_CASE("views: places are those of the line as it is, each once") {  // D29
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    std::vector<std::string> gangs;
    for (int i = 0; i < 6; ++i) {
        gangs.push_back(world.submit("g" + std::to_string(i), 3, i + 1));
    }
    world.advance(5'000);
    REQUIRE(world.is_bound(gangs[0]));
    // Those ahead go, and nobody has looked at the others since.
    world.remove_pod(gangs[1]);
    world.remove_pod(gangs[3]);
    world.step(gang::PodDeleted{gangs[1]});
    world.step(gang::PodDeleted{gangs[3]});
    CHECK(world.view(gangs[2]).position == 1);
    CHECK(world.view(gangs[4]).position == 2);
    CHECK(world.view(gangs[5]).position == 3);
}

TEST_CASE("views: a gang whose conf has come does not wait for it any more") {  // D30
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.hold_conf_answers = true;
    const auto driver = world.submit("late", 9, 1);
    world.advance(20'000);
    REQUIRE(world.view(driver).state == GangState::waiting_for_conf);
    world.step(gang::SparkConfFound{driver, tests::conf(9)});
    const gang::GangView view = world.view(driver);
    CHECK(view.executors == 9);
    CHECK(view.code != ReasonCode::waiting_for_spark_conf);
}

TEST_CASE("views: the ledger says for which gangs a node's pods are bound") {  // D35
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.create_executors(driver, 2);
    core::Pod other = tests::pod("other", 500, 100);
    other.scheduler_name = "somebody";
    other.node_name = "n1";
    world.create(other);
    world.settle();
    const auto nodes = world.scheduler->ledger();
    REQUIRE(nodes.size() == 1);
    CHECK(nodes[0].pods_bound == 4);
    REQUIRE(nodes[0].bound_by.size() == 1);
    CHECK(nodes[0].bound_by[0].gang == "etl/a");
    CHECK(nodes[0].bound_by[0].pods == 3);
    CHECK(nodes[0].bound_by[0].requests.cpu_milli == 3'000);
    CHECK(nodes[0].units.size() == 1);
}

TEST_CASE("views: the sums of all nodes are those of the ledger") {
    World world(World::sealed_schema());
    for (int i = 0; i < 3; ++i) {
        core::Node node = tests::node("n" + std::to_string(i), 8, 16 * 1024);
        if (i > 0) node.allocatable.extended = {{"nvidia.com/gpu", i}};
        world.add_node(std::move(node));
    }
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.create_executors(driver, 2);
    core::Pod large = tests::pod("large", 9'000, 100);  // more than its node has
    large.scheduler_name = "somebody";
    large.node_name = "n2";
    large.requests.extended = {{"nvidia.com/gpu", 1}};
    world.create(large);
    core::Pod elsewhere = tests::pod("elsewhere", 1'000, 100);
    elsewhere.scheduler_name = "somebody";
    elsewhere.node_name = "gone";
    world.create(elsewhere);
    world.settle();
    core::Resources allocatable;
    core::Resources free;
    for (const gang::NodeLedger& node : world.scheduler->ledger()) {
        if (node.is_present) {
            core::add_times(allocatable, node.allocatable, 1);
            core::add_times(free, node.free, 1);
        }
    }
    const gang::NodeSums sums = world.scheduler->node_sums();
    CHECK(sums.allocatable == allocatable);
    CHECK(sums.free == free);
    CHECK(sums.allocatable.extended_amount("nvidia.com/gpu") == 3);
    CHECK(sums.free.extended_amount("nvidia.com/gpu") == 2);
    CHECK(sums.free.cpu_milli == 24'000 - 4'000 - 9'000);
}

TEST_CASE("views: conditions name nobody of another namespace where that is not wanted") {  // D36
    for (const bool names_others : {true, false}) {
        config::Schema schema = World::sealed_schema();
        schema.names_other_namespaces = names_others;
        World world(schema);
        world.add_node(tests::node("n1", 4, 16 * 1024));
        world.submit("runs", 3, 1);
        world.settle();
        world.submit("secret", 3, 2);
        const auto same = world.submit("same", 3, 3);
        core::Pod pod = tests::driver("waits");
        pod.namespace_name = "adhoc";
        pod.created = 4;
        const auto other = world.submit(pod, tests::conf(3));
        world.advance(10'000);
        const auto tells = [&world](const std::string& uid, const std::string& text) {
            return world.condition(uid).find(text) != std::string::npos;
        };
        CHECK(tells(same, "ehind etl/secret"));
        CHECK(tells(other, "ehind etl/secret") == names_others);
        CHECK(tells(other, "ehind a gang of another namespace") != names_others);
        // Who asks the daemon is told all.
        CHECK(
            world.scheduler->explain(other)->gang.message.find("ehind etl/secret") !=
            std::string::npos);
    }
}

TEST_CASE("views: an application is found by its name, unless several are called so") {  // D27
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto named = [](const std::string& name, std::int64_t created) {
        core::Pod pod = tests::driver(name);
        pod.created = created;
        pod.labels.emplace_back("spark-app-name", "nightly");
        std::sort(pod.labels.begin(), pod.labels.end());
        return pod;
    };
    const auto first = world.submit(named("a", 1), tests::conf(1));
    world.settle();
    REQUIRE(world.is_bound(first));
    const auto found = world.scheduler->explain("nightly");
    REQUIRE(found);
    CHECK(found->gang.driver == "a");
    CHECK(found->gang.app_name == "nightly");
    // Also once it is remembered in short.
    world.set_phase(first, core::PodPhase::running);
    world.create_executors(first, 1);
    world.advance(60'000);
    REQUIRE(world.scheduler->explain("nightly"));
    CHECK(world.view(first).app_name == "nightly");
    world.submit(named("b", 2), tests::conf(40));
    world.settle();
    CHECK_FALSE(world.scheduler->explain("nightly"));
    CHECK(world.scheduler->explain("b")->gang.app_name == "nightly");
    CHECK_FALSE(world.scheduler->explain(""));
}

TEST_CASE("views: what waits for another reason than room says how large it is") {  // D4
    World world;
    world.add_node(tests::node("n1", 5, 16 * 1024));
    world.submit("running", 2, 1);
    world.settle();
    const auto large = world.submit("large", 3, 2);
    const auto behind = world.submit("behind", 0, 3);
    world.advance(10'000);
    CHECK(world.condition(large).find("needs 1 driver + 3 executors (4 cpu") != std::string::npos);
    const std::string said = world.condition(behind);
    CHECK(said.find("; needs 1 driver + ") == std::string::npos);  // alone
    const auto second = world.submit("second", 1, 4);
    world.advance(10'000);
    const std::string text = world.condition(second);
    CAPTURE(text);
    CHECK(text.ends_with("[WaitingInQueue]"));
    CHECK(text.find("; needs 1 driver + 1 executor (2 cpu, 2816Mi memory)") != std::string::npos);
}
