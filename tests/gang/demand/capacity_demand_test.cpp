// What an autoscaler is asked for, by what the edge is told to write: when, for how many executors,
// and that nothing stays behind.
#include "tests/core/domain/domain_world.hpp"
#include "tests/gang/in_queues.hpp"
#include "tests/gang/shares/trees.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using tests::says;
using tests::World;

namespace {

config::Schema asking(
    config::AutoscalingMode mode = config::AutoscalingMode::capacity_buffer,
    config::Schema schema = World::sealed_schema()) {
    schema.autoscaling.mode = mode;
    return schema;
}

/// Executors that the autoscaler is asked for now, of one gang.
std::int64_t asked(const World& world, const std::string& uid) {
    const auto found = world.capacity.find(uid);
    std::int64_t count = 0;
    if (found != world.capacity.end()) {
        for (const core::CapacityShape& shape : found->second.shapes) {
            count += shape.count;
        }
    }
    return count;
}

std::int64_t count_events(const World& world, const std::string& reason) {
    return std::count_if(
        world.events.begin(), world.events.end(), [&](const gang::RecordEvent& event) {
            return event.reason == reason;
        });
}

void add_nodes(World& world, int from, int count) {
    for (int i = from; i < from + count; ++i) {
        world.add_node(tests::node("n" + std::to_string(100 + i), 4, 64 * 1024));
    }
}

}  // namespace

TEST_CASE("demand: an empty cluster is asked for all executors at once, before the driver is seen") {
    World world(asking());
    world.advance(100);  // a new leader writes to each driver that waits
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(900);
    CHECK(world.capacity.empty());
    // Unschedulable, an autoscaler would buy a node for it alone.
    CHECK(world.pod(driver).scheduled->reason == "SchedulingSkipped");
    world.advance(300);
    REQUIRE(world.capacity.contains(driver));
    const gang::WantCapacity& request = world.capacity.at(driver);
    CHECK(request.driver.name == "etl");
    REQUIRE(request.shapes.size() == 1);
    CHECK(request.shapes.front().count == 20);
    CHECK(request.shapes.front().requests.cpu_milli == 1'000);
    says(world, driver, "Asked the autoscaler for 20 executors of 1 cpu");
    says(world, driver, ", at 08:00:0");
    says(world, driver, " UTC [WaitingForNodes]");
    CHECK(world.pod(driver).scheduled->reason == "Unschedulable");
    world.advance(33'000);
    const gang::GangView view = world.view(driver);
    CHECK(view.code == gang::ReasonCode::waiting_for_nodes);
    CHECK(view.state == gang::GangState::waiting);
    CHECK(view.message.find(", 34s ago") != std::string::npos);
    CHECK(world.capacity_asked.size() == 1);
    CHECK(world.scheduler->totals(world.now_ms).capacity_requests == 1);
    CHECK(world.scheduler->counters().capacity_written == 1);
}

TEST_CASE("demand: what is asked for stays until the executors are bound, and shrinks with them") {
    World world(asking());
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    REQUIRE(asked(world, driver) == 20);
    add_nodes(world, 0, 6);
    world.advance(100);
    REQUIRE(world.is_bound(driver));
    CHECK(asked(world, driver) == 20);  // its nodes look empty
    world.set_phase(driver, core::PodPhase::running);
    world.create_executors(driver, 12);
    world.advance(100);
    CHECK(asked(world, driver) == 8);
    world.create_executors(driver, 8);
    world.advance(100);
    CHECK(world.capacity.empty());
    CHECK(world.capacity_drops == 1);
    CHECK(world.scheduler->totals(world.now_ms).capacity_requests == 0);
    CHECK(world.scheduler->counters().capacity_dropped == 1);
}

TEST_CASE("demand: a driver that makes no executors does not keep nodes for ever") {
    World world(asking());
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    add_nodes(world, 0, 6);
    world.advance(10'000);
    CHECK(asked(world, driver) == 20);
    world.advance(6 * 60'000);
    CHECK(world.capacity.empty());
    CHECK(world.is_bound(driver));
}

TEST_CASE("demand: all executors are asked for, however many would fit now") {
    World world(asking());
    add_nodes(world, 0, 3);  // room for 11 executors beside the driver
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(3'000);
    CHECK(asked(world, driver) == 20);
}

TEST_CASE("demand: a gang that is admitted at once asks for nothing, if its executors come") {
    World world(asking());
    add_nodes(world, 0, 6);
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(100);
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    SUBCASE("they do") {
        world.create_executors(driver, 20);
        world.advance(10'000);
        CHECK(world.capacity_asked.empty());
    }
    SUBCASE("they do, a moment later") {
        world.advance(2'800);
        world.create_executors(driver, 20);
        world.advance(10'000);
        CHECK(world.capacity_asked.empty());
    }
    SUBCASE("they take their time, and their nodes look empty") {
        world.advance(5'000);
        CHECK(asked(world, driver) == 20);
        world.create_executors(driver, 20);
        world.advance(1'000);
        CHECK(world.capacity.empty());
    }
}

TEST_CASE("demand: who waits for quota, or for others, asks for nothing") {
    config::Queue etl = tests::queue("etl");
    etl.limit = {{"cpu", 5'000}};
    World world(asking(
        config::AutoscalingMode::capacity_buffer,
        tests::with_queues({etl}, World::sealed_schema())));
    add_nodes(world, 0, 4);
    const auto submit = [&world](const std::string& name, std::int64_t executors, int created) {
        core::Pod pod = tests::driver(name);
        pod.created = created;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        return world.submit(std::move(pod), tests::conf(executors));
    };
    const std::string first = submit("first", 3, 1);
    const std::string second = submit("second", 3, 2);
    world.advance(100);
    world.create_executors(first, 3);
    world.advance(20'000);
    CHECK(world.is_bound(first));
    says(world, second, "[WaitingForQuota]");
    CHECK(world.capacity_asked.empty());
}

TEST_CASE("demand: lone pods and the mode none ask for nothing") {
    SUBCASE("lone") {
        World world(asking());
        world.create(tests::pod("web", 1'000, 100));
        world.advance(20'000);
        CHECK(world.capacity_asked.empty());
    }
    SUBCASE("none") {
        World world;
        const std::string driver = world.submit("etl", 20, 1);
        world.advance(20'000);
        CHECK(world.capacity_asked.empty());
        says(world, driver, "[ExceedsCluster]");
    }
}

TEST_CASE("demand: its objects go when the driver goes") {
    World world(asking());
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    REQUIRE(asked(world, driver) == 20);
    world.remove_pod(driver);
    world.advance(1'000);
    CHECK(world.capacity.empty());
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("demand: a new leader finds what stands, and takes it over or deletes it") {
    World world(asking());
    const std::string stays = world.submit("stays", 20, 1);
    const std::string goes = world.submit("goes", 20, 2);
    world.advance(3'000);
    REQUIRE(world.capacity.size() == 2);
    world.remove_pod(goes);
    world.restart();
    world.advance(2'000);
    CHECK(asked(world, stays) == 20);
    CHECK(asked(world, goes) == 0);
    says(world, stays, "[WaitingForNodes]");
    SUBCASE("of one that was admitted meanwhile as well") {
        add_nodes(world, 0, 6);
        world.advance(100);
        REQUIRE(world.is_bound(stays));
        world.set_phase(stays, core::PodPhase::running);
        world.create_executors(stays, 20);
        world.hold_capacity_answers = true;  // it dies before it has deleted them
        world.settle();
        world.capacity.emplace(stays, world.capacity_asked.back());
        world.hold_capacity_answers = false;
        world.restart();
        world.advance(2'000);
        CHECK(world.capacity.empty());
    }
}

TEST_CASE("demand: what is asked for stays while labels are listed for the gang's rules") {
    World world(asking());
    world.hold_pod_lists = true;
    core::Pod driver = tests::driver("etl");
    driver.rules = core::PodRules{{}, {tests::term("kubernetes.io/hostname", {{"app", "a"}})}, {}};
    const std::string uid = world.submit(driver, tests::conf(20));
    world.advance(3'000);
    REQUIRE(asked(world, uid) == 20);
    add_nodes(world, 0, 6);
    world.advance(3'000);
    REQUIRE(world.view(uid).code == gang::ReasonCode::pod_rules_not_met);
    CHECK(world.capacity_drops == 0);
    world.hold_pod_lists = false;
    world.release_answers();
    world.advance(3'000);
    CHECK(world.is_bound(uid));
    CHECK(world.capacity_drops == 0);
}

TEST_CASE("demand: who leads again asks for all who wait, whatever it knew of them before") {
    World world(asking());
    std::vector<std::string> drivers;
    for (int i = 0; i < 4; ++i) {
        drivers.push_back(world.submit("g" + std::to_string(i), 20 + i, 1 + i));
    }
    world.advance(5'000);
    world.lose_lead();
    world.advance(1'000);
    world.capacity.clear();  // the other leader deleted them
    world.lead();
    world.advance(20'000);
    for (int i = 0; i < 4; ++i) {
        CHECK(asked(world, drivers[static_cast<std::size_t>(i)]) == 20 + i);
    }
}

TEST_CASE("demand: a cluster without the kind is told so once, and schedules on") {
    World world(asking());
    world.capacity_outcome = gang::CapacityOutcome::no_kind;
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(10 * 60'000);
    CHECK(count_events(world, "AutoscalerNotAsked") == 1);
    says(world, driver, "[ExceedsCluster]");
    CHECK(world.capacity_asked.size() < 8);
    CHECK(world.scheduler->counters().capacity_refused == world.capacity_asked.size());
    add_nodes(world, 0, 6);
    world.advance(100);
    CHECK(world.is_bound(driver));
}

TEST_CASE("demand: an API server that does not answer keeps nobody waiting for a reason") {
    World world(asking());
    world.advance(100);
    world.hold_capacity_answers = true;
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(4'000);
    CHECK(world.pod(driver).scheduled->reason == "SchedulingSkipped");
    world.advance(3'000);
    says(world, driver, "[ExceedsCluster]");
    world.release_answers();
    world.hold_capacity_answers = false;
    world.advance(1'000);
    says(world, driver, "[WaitingForNodes]");
}

TEST_CASE("demand: a write that failed is tried again") {
    World world(asking());
    world.capacity_outcome = gang::CapacityOutcome::failed;
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    CHECK(world.capacity.empty());
    world.capacity_outcome = gang::CapacityOutcome::written;
    world.advance(4'000);
    CHECK(asked(world, driver) == 20);
    says(world, driver, "[WaitingForNodes]");
}

TEST_CASE("demand: a write that fails for long is tried every five minutes") {
    World world(asking());
    world.capacity_outcome = gang::CapacityOutcome::failed;
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(30 * 60'000);
    const std::size_t before = world.capacity_asked.size();
    CHECK(before < 16);
    world.advance(60 * 60'000);
    CHECK(world.capacity_asked.size() >= before + 11);
    CHECK(world.capacity_asked.size() <= before + 13);
    world.capacity_outcome = gang::CapacityOutcome::written;
    world.advance(6 * 60'000);
    CHECK(asked(world, driver) == 20);
}

TEST_CASE("demand: many gangs are asked for a few at a time, and not all at once") {
    World world(asking());
    for (int i = 0; i < 230; ++i) {
        world.submit("g" + std::to_string(i), 2, i + 1);
    }
    world.advance(2'000);
    CHECK(world.capacity_asked.size() >= 10);
    CHECK(world.capacity_asked.size() <= 20);
    world.advance(60'000);
    CHECK(world.capacity.size() == 200);
}

TEST_CASE("demand: a provisioning request ends with admission") {
    World world(asking(config::AutoscalingMode::provisioning_request));
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    REQUIRE(asked(world, driver) == 20);
    add_nodes(world, 0, 6);
    world.advance(1'000);
    CHECK(world.is_bound(driver));
    CHECK(world.capacity.empty());
}

TEST_CASE("demand: objects in another namespace that name a driver are left alone") {
    World world(asking());
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    world.step(gang::CapacityListed{true, {{"other", driver, 1, world.now_ms}}});
    world.advance(2'000);
    CHECK(asked(world, driver) == 20);
    CHECK(world.capacity_drops == 0);
}

TEST_CASE("demand: who would be over its queue's limit beside those before it is not asked for") {
    config::Queue etl = tests::queue("etl");
    etl.limit = {{"cpu", 22'000}};
    World world(asking(
        config::AutoscalingMode::capacity_buffer,
        tests::with_queues({etl}, World::sealed_schema())));
    const auto submit = [&world](const std::string& name, int created) {
        core::Pod pod = tests::driver(name);
        pod.created = created;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        return world.submit(std::move(pod), tests::conf(20));
    };
    const std::string second = submit("second", 2);
    const std::string first = submit("first", 1);  // by its uid it comes later
    world.advance(20'000);
    CHECK(asked(world, first) == 20);
    CHECK(asked(world, second) == 0);
    says(world, second, "the queue's limit is used up [WaitingForQuota]");
    CHECK(world.pod(second).scheduled->reason == "SchedulingSkipped");
    world.remove_pod(first);
    world.advance(5'000);
    CHECK(asked(world, second) == 20);
    says(world, second, "[WaitingForNodes]");
    world.remove_pod(second);
    world.advance(2'000);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE(
    "demand: who waits for a quota of its namespace is not asked for, whatever its queue lets in") {
    config::Queue etl = tests::queue("etl");
    etl.limit = {{"cpu", 22'000}};
    config::Schema schema = tests::with_queues({etl}, World::sealed_schema());
    schema.quota.preflight = true;
    World world(asking(config::AutoscalingMode::capacity_buffer, std::move(schema)));
    const std::string first = tests::submit(world, "first", "etl", 20, 1);
    const std::string second = tests::submit(world, "second", "etl", 20, 2);
    world.advance(20'000);
    REQUIRE(asked(world, first) == 20);
    REQUIRE(asked(world, second) == 0);
    // Now both wait for the namespace, and nobody of the queue is before the second any more.
    world.quotas[world.pod(first).namespace_name] = {{{"team", {{"pods", 30, 25}}, {}}}, {}};
    world.advance(40'000);
    CHECK(world.view(first).code == gang::ReasonCode::waiting_for_quota);
    CHECK(world.view(second).code == gang::ReasonCode::waiting_for_quota);
    CHECK(world.capacity.empty());
    CHECK(std::none_of(
        world.capacity_asked.begin(),
        world.capacity_asked.end(),
        [&](const gang::WantCapacity& one) { return one.driver.uid == second; }));
}
