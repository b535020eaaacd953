// What is shown of gangs and pods that are asked about by several names, and of pods without a place.

#include "gang/view/gang_views.hpp"

#include "tests/gang/preempt/evicting.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

/// The uid of the gang that the question finds; empty: none.
std::string found_by(const World& world, const std::string& question) {
    const auto explanation = world.scheduler->explain(question);
    return explanation ? explanation->gang.driver_uid : "";
}

std::vector<std::string> notes_of(const World& world, const std::string& question) {
    const auto explanation = world.scheduler->explain(question);
    REQUIRE(explanation);
    return explanation->notes;
}

bool notes_say(const World& world, const std::string& question, const std::string& part) {
    const auto notes = notes_of(world, question);
    return std::any_of(notes.begin(), notes.end(), [&part](const std::string& note) {
        return note.find(part) != std::string::npos;
    });
}

std::string submit_as(
    World& world,
    const std::string& name,
    const std::string& application,
    const std::string& app_name,
    std::int64_t created,
    const std::string& space = "etl") {
    core::Pod driver = tests::driver(name, application);
    driver.namespace_name = space;
    driver.created = created;
    if (!app_name.empty()) driver.labels.emplace_back("spark-app-name", app_name);
    std::sort(driver.labels.begin(), driver.labels.end());
    return world.submit(std::move(driver), tests::conf(1));
}

core::Pod member(const std::string& name, const std::string& group, std::int64_t cpu_milli = 1'000) {
    core::Pod pod = tests::pod(name, cpu_milli, 256);
    pod.labels = {{"scheduling.x-k8s.io/pod-group", group}};
    return pod;
}

}  // namespace

TEST_CASE("gang views: a name is a pod's before it is an application's id, and that before its name") {
    for (const bool is_pod_first : {true, false}) {
        World world;
        world.add_node(tests::node("n1", 64, 256 * 1024));
        const std::int64_t late = is_pod_first ? 10 : 30;
        const auto by_name = submit_as(world, "word", "spark-1", "other", 40 - late);
        const auto by_id = submit_as(world, "b", "word", "other-too", 20);
        const auto by_app_name = submit_as(world, "c", "spark-3", "word", late);
        world.settle();
        CHECK(found_by(world, "word") == by_name);
        CHECK(found_by(world, "etl/word") == by_name);
        world.remove_application(by_name);
        world.settle();
        CHECK(found_by(world, "word") == by_id);
        world.remove_application(by_id);
        world.settle();
        CHECK(found_by(world, "word") == by_app_name);
        CHECK(found_by(world, "wor") == "");
    }
}

TEST_CASE("gang views: of several pods with one name the first created is meant, whichever came first") {
    for (const bool is_late_first : {true, false}) {
        World world;
        world.add_node(tests::node("n1", 64, 256 * 1024));
        const auto one = submit_as(world, "same", "spark-1", "", is_late_first ? 20 : 10, "etl");
        const auto two = submit_as(world, "same", "spark-2", "", is_late_first ? 10 : 20, "ml");
        world.settle();
        CHECK(found_by(world, "same") == (is_late_first ? two : one));
        CHECK(found_by(world, "etl/same") == one);
        CHECK(found_by(world, "ml/same") == two);
    }
}

TEST_CASE("gang views: a name that names nobody's application finds one again when the other is gone") {
    World world;
    world.add_node(tests::node("n1", 64, 256 * 1024));
    const auto one = submit_as(world, "a", "spark-1", "nightly", 1);
    const auto two = submit_as(world, "b", "spark-2", "nightly", 2);
    world.settle();
    CHECK(found_by(world, "nightly") == "");
    CHECK(found_by(world, "spark-2") == two);
    world.remove_application(two);
    world.settle();
    CHECK(found_by(world, "nightly") == one);
}

TEST_CASE("gang views: of gangs whose drivers are gone the first in line is meant") {
    World world;
    world.add_node(tests::node("n1", 64, 256 * 1024));
    const auto late = submit_as(world, "same", "spark-1", "", 20, "etl");
    const auto early = submit_as(world, "same", "spark-2", "", 10, "ml");
    world.settle();
    std::vector<std::string> executors;
    for (const std::string& driver : {late, early}) {
        executors.push_back(world.create_executors(driver, 1).front());
    }
    world.settle();
    REQUIRE(world.bound_count(executors) == 2);
    for (const std::string& driver : {late, early}) world.remove_pod(driver);
    world.settle();
    CHECK(found_by(world, "same") == early);
    CHECK(found_by(world, "etl/same") == late);
    CHECK(found_by(world, "ml/same") == early);
    CHECK(found_by(world, late) == late);
    CHECK(found_by(world, "ml/") == "");
    // One whose driver is there is found by its pod.
    const auto there = submit_as(world, "same", "spark-3", "", 30, "adhoc");
    world.settle();
    CHECK(found_by(world, "same") == there);
    CHECK(found_by(world, "etl/same") == late);
}

TEST_CASE("gang views: what a gang that runs is bound to is said where nothing else is") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.groups["etl/g"] = core::PodGroup{2, {}, {}};
    std::vector<std::string> members;
    for (const char* name : {"g-0", "g-1"}) members.push_back(world.create(member(name, "g")));
    world.settle();
    CHECK(world.scheduler->explain(driver)->gang.message == "bound to n1");
    REQUIRE(world.bound_count(members) == 2);
    const auto group = world.scheduler->explain(members[0]);
    REQUIRE(group);
    CHECK(group->gang.application == "g");
    CHECK(group->gang.state == GangState::running);
    CHECK(group->gang.message.empty());  // of a group that is more than one node
}

TEST_CASE("gang views: a member of a group that is no gang yet is shown as one of its own") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.groups["etl/g"] = core::PodGroup{3, {}, {}};
    core::Pod pod = member("g-0", "g");
    pod.created = 7;
    const auto first = world.create(pod);
    const auto second = world.create(member("g-1", "g"));
    world.settle();
    const auto shown = world.scheduler->explain("g-0");
    REQUIRE(shown);
    CHECK(shown->gang.driver_uid == first);
    CHECK(shown->gang.driver == "g-0");
    CHECK(shown->gang.state == GangState::waiting);
    CHECK(shown->gang.code != ReasonCode::none);
    CHECK_FALSE(shown->gang.message.empty());
    CHECK(shown->gang.waiting_since_ms == 7'000);
    CHECK(shown->gang.needs.cpu_milli == 1'000);
    CHECK(shown->driver.cpu_milli == 1'000);
    CHECK_FALSE(shown->is_executor);
    const auto views = world.scheduler->gangs();
    CHECK(std::count_if(views.begin(), views.end(), [&](const gang::GangView& view) {
              return view.driver_uid == first || view.driver_uid == second;
          }) == 2);
    // With the third they are one gang.
    world.create(member("g-2", "g"));
    world.settle();
    CHECK(world.bound_count({first, second}) == 2);
    CHECK(world.scheduler->gangs().size() == 1);
    CHECK(found_by(world, "g-1") == found_by(world, "g-0"));
}

TEST_CASE("gang views: an executor beyond its gang's slots is told what it waits for") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    const auto in_slot = world.create_executors(driver, 1).front();
    core::Pod hungry = tests::executor("hungry", world.pod(driver));
    hungry.requests.cpu_milli = 3'000;
    const auto surplus = world.create(hungry);
    world.advance(5'000);
    REQUIRE_FALSE(world.is_bound(surplus));
    const std::string one_more =
        "this executor is one more than its gang has slots: it is placed in what nobody has reserved, after the "
        "gangs that came before it, and holds up none of those that came after it";
    CHECK(notes_say(world, surplus, one_more));
    CHECK(notes_say(world, surplus, one_more + "; 0/1 nodes can take executor etl/hungry now: "));
    CHECK(world.scheduler->explain(surplus)->is_executor);
    CHECK_FALSE(notes_say(world, in_slot, "one more than its gang has slots"));
    CHECK_FALSE(notes_say(world, driver, "this executor"));
}

TEST_CASE("gang views: an executor of a gang that waits, and a pod of a group, are told of their slot") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    world.groups["etl/g"] = core::PodGroup{3, {}, {}};
    std::vector<std::string> members;
    for (const char* name : {"g-0", "g-1", "g-2"}) {
        members.push_back(world.create(member(name, "g", 1'500)));
    }
    world.advance(5'000);
    REQUIRE(world.bound_count(members) == 0);
    const auto views = world.scheduler->gangs();
    int told = 0;
    for (const std::string& uid : members) {
        if (found_by(world, uid) == uid) continue;
        ++told;
        CHECK(notes_say(world, uid, "this pod asks 1500m cpu, 256Mi memory and waits for a slot of its gang"));
    }
    CHECK(told == 2);
}

TEST_CASE("gang views: notes say what is odd about a gang that runs, and nothing about one that is well") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto stuck = world.submit("stuck", 2, 1);
    world.settle();
    CHECK_FALSE(notes_say(world, stuck, "has never run"));
    world.advance(config::Schema{}.gang.never_running_after_ms + 1'000);
    CHECK(notes_say(world, stuck, "the driver is bound but has never run"));
    world.set_phase(stuck, core::PodPhase::running);
    world.advance(1'000);
    CHECK_FALSE(notes_say(world, stuck, "has never run"));
    const auto driver = world.submit("well", 2, 2);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    world.advance(1'000);
    CHECK(notes_of(world, driver) == std::vector<std::string>{"2 slots wait for executors that Spark has not created"});
    const auto executors = world.create_executors(driver, 2);
    world.advance(1'000);
    CHECK(notes_of(world, driver).empty());
    CHECK(notes_of(world, executors[0]).empty());
}

TEST_CASE("gang views: room that slots have left is kept, and said to be, until that is written") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.fail_status_writes = true;
    world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
    world.settle();
    CHECK(notes_say(world, driver, "room for 3 moved slots is kept until the new reservation is written"));
    const auto explanation = world.scheduler->explain(driver);
    CHECK(
        explanation->slots_per_node == std::vector<std::pair<std::string, std::int32_t>>{{"n2", 3}});
}

TEST_CASE("gang views: when a gang starts and ends, as backfill knows it") {
    config::Schema schema = World::sealed_schema();
    schema.backfill.mode = config::BackfillMode::easy;
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto submit = [&world](const std::string& name, const char* duration) {
        core::Pod driver = tests::driver(name);
        driver.created = world.now_ms / 1000;
        if (*duration != 0) driver.annotations = {{"gang-scheduler/expected-duration", duration}};
        const std::string uid = world.submit(std::move(driver), tests::conf(3));
        world.advance(1'200);
        return uid;
    };
    const auto runs = submit("runs", "10m");
    const auto head = submit("head", "10m");
    const auto second = submit("second", "");
    const auto last = submit("last", "10m");
    world.advance(5'000);
    const gang::GangView of_runs = world.view(runs);
    CHECK(of_runs.start_ms == 0);
    CHECK(of_runs.planned_ms == 0);
    CHECK(of_runs.end_ms > world.now_ms);
    CHECK(of_runs.end_ms <= world.now_ms + 600'000);
    CHECK_FALSE(of_runs.is_overdue);
    const gang::GangView of_head = world.view(head);
    CHECK(of_head.start_ms > world.now_ms);
    CHECK(of_head.end_ms == 0);
    CHECK(of_head.planned_ms > 0);
    CHECK(world.view(last).start_ms == 0);  // behind one of whom nobody knows how long it runs
    CHECK(world.view(last).start_spread_ms == 0);
    CHECK(world.view(second).start_ms >= of_head.start_ms);
    world.advance(700'000);
    CHECK(world.view(runs).is_overdue);
}

TEST_CASE("gang views: totals of open slots, in cores, bytes and numbers") {
    World world;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto driver = world.submit("a", 4, 1);
    world.settle();
    world.create_executors(driver, 1);
    world.settle();
    const gang::Totals totals = world.scheduler->totals(world.now_ms);
    CHECK(totals.slots_open == 3);
    CHECK(totals.slots_bound == 1);
    CHECK(totals.open_cpu_milli == 3'000);
    CHECK(totals.open_memory_bytes == 3 * 1408 * tests::mebibyte);
    CHECK(totals.nodes == 1);
    world.advance(5'000);
    const std::int64_t idle = world.scheduler->totals(world.now_ms).idle_milli_ms;
    CHECK(idle == totals.idle_milli_ms + 5'000 * 3'000);
    // A clock that goes back adds nothing.
    CHECK(world.scheduler->totals(world.now_ms - 5'000).idle_milli_ms == idle);
    CHECK(world.scheduler->totals(world.now_ms + 5'000).idle_milli_ms == idle + 5'000 * 3'000);
    world.lose_lead();
    world.settle();
    const gang::Totals of_follower = world.scheduler->totals(world.now_ms);
    CHECK(of_follower.slots_open == 0);
    CHECK(of_follower.nodes == 0);
    CHECK(of_follower.idle_milli_ms >= idle);
}

TEST_CASE("gang views: pending pods are told apart by what they wait for") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.hold_bind_answers = true;
    world.hold_watch = true;
    const auto executors = world.create_executors(driver, 1);
    world.step(gang::PodUpserted{world.pod(executors[0])});
    world.step(gang::Tick{});
    CHECK(world.scheduler->totals(world.now_ms).pending_pods == gang::PendingPods{1, 0, 0, 0});
    core::Pod gated = tests::pod("gated", 100, 100);
    gated.gated = true;
    gated.uid = "gated";
    world.step(gang::PodUpserted{gated});
    world.step(gang::Tick{});
    CHECK(world.scheduler->totals(world.now_ms).pending_pods == gang::PendingPods{1, 0, 0, 1});
    core::Pod leaves = tests::pod("leaves", 100, 100);
    leaves.deleting = true;
    leaves.uid = "leaves";
    world.step(gang::PodUpserted{leaves});
    core::Pod over = tests::pod("over", 100, 100);
    over.phase = core::PodPhase::failed;
    over.uid = "over";
    world.step(gang::PodUpserted{over});
    world.step(gang::Tick{});
    CHECK(world.scheduler->totals(world.now_ms).pending_pods == gang::PendingPods{1, 0, 0, 1});
}

TEST_CASE("gang views: a question about what would fit, of a driver alone and of what is spread over nodes") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 3, 16 * 1024));
    world.settle();
    gang::WhatIf question;
    question.driver.cpu_milli = 4'000;
    gang::WhatIfAnswer answer = world.scheduler->what_if(question);
    CHECK(answer.fits_now);
    CHECK(answer.driver_node == "n1");
    CHECK(answer.executors_per_node.empty());
    CHECK(answer.executors_fit_now == 0);
    question.executor.cpu_milli = 1'000;
    question.executors = 3;
    answer = world.scheduler->what_if(question);
    CHECK(answer.fits_now);
    CHECK(answer.executors_per_node == std::vector<std::pair<std::string, std::int64_t>>{{"n2", 3}});
    CHECK(answer.executors_fit_empty == 3);
    question.driver.cpu_milli = 5'000;
    answer = world.scheduler->what_if(question);
    CHECK_FALSE(answer.fits_now);
    CHECK_FALSE(answer.fits_empty);
    CHECK(answer.driver_node.empty());
    CHECK_FALSE(answer.empty.empty());
    CHECK_FALSE(answer.now.empty());
}
