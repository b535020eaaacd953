// Executors without a slot: beyond what their application reserved, or without a driver of ours.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using gang::GangState;
using tests::World;

namespace {

/// A driver with dynamic allocation: `initial` executors at first, `max` at most (0: no bound).
std::string submit_dynamic(World& world, const std::string& name, int initial, int max) {
    const auto uid = world.create(tests::driver(name));
    auto conf = tests::with(tests::conf(initial), "spark.dynamicAllocation.enabled", "true");
    if (max > 0) {
        conf = tests::with(conf, "spark.dynamicAllocation.maxExecutors", std::to_string(max));
    }
    world.confs[uid].conf = conf;
    world.settle();
    return uid;
}

/// What Jupyter and the like make: an executor whose driver is no pod of ours, 1 cpu.
core::Pod client_executor(const std::string& name, std::int64_t created) {
    core::Pod pod = tests::pod(name, 1000, 1408);
    pod.created = created;
    pod.labels = {
        {"spark-app-selector", "spark-notebook"},
        {"spark-exec-resourceprofile-id", "0"},
        {"spark-role", "executor"}};
    return pod;
}

/// A running gang of 1 + 1 on a node of 4 cpu, its slot taken, and one more executor, of 3 cpu.
std::string with_hungry_executor(World& world, std::string& hungry) {
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    world.create_executors(driver, 1);
    core::Pod pod = tests::executor("hungry", world.pod(driver));
    pod.requests.cpu_milli = 3000;
    hungry = world.create(pod);
    world.settle();
    REQUIRE_FALSE(world.is_bound(hungry));
    return driver;
}

}  // namespace

TEST_CASE("surplus: an executor beyond the reserve that does not fit holds up no gang") {
    World world;
    std::string hungry;
    const auto driver = with_hungry_executor(world, hungry);
    const auto gang = world.submit("b", 1, 100);
    world.settle();
    CHECK(world.is_bound(gang));
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.condition(hungry).find("executor etl/hungry") != std::string::npos);
    CHECK(world.condition(hungry).ends_with("[WaitingForCapacity]"));
    CHECK(world.violations.empty());
}

TEST_CASE("surplus: a client mode executor that does not fit holds up no gang") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    std::vector<std::string> executors;
    for (int i = 0; i < 6; ++i) {
        core::Pod pod = client_executor("nb-exec-" + std::to_string(i), 1);
        if (i % 2 == 0) {
            pod.owners = {{"Pod", "notebook", "uid-of-a-pod-that-is-not-ours", true}};
        }
        pod.requests.cpu_milli = 1500;
        executors.push_back(world.create(pod));
    }
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    core::Pod small = tests::pod("small", 1000, 100);
    small.created = 50;
    const auto behind = world.create(small);
    world.settle();
    CHECK(world.is_bound(behind));
    CHECK(world.violations.empty());
}

TEST_CASE("surplus: executors keep their turn, so that younger gangs do not starve them") {
    World world;
    std::string hungry;
    const auto driver = with_hungry_executor(world, hungry);
    // Two gangs take the rest by turns; each is younger than the executor.
    std::string running = world.submit("b", 1, 100);
    const auto waiting = world.submit("c", 1, 101);
    world.settle();
    REQUIRE(world.is_bound(running));
    REQUIRE_FALSE(world.is_bound(waiting));
    world.add_node(tests::node("n2", 3, 16 * 1024));
    world.settle();
    CHECK(world.is_bound(hungry));
    CHECK_FALSE(world.is_bound(waiting));
    CHECK(world.violations.empty());
}

TEST_CASE("surplus: gangs that came before go first, whether or not the executor would fit") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    world.create_executors(driver, 1);
    const auto gang = world.submit("b", 2, 2);
    world.settle();
    REQUIRE_FALSE(world.is_bound(gang));
    const auto more = world.create_executors(driver, 1);  // created at 6
    world.settle();
    world.advance(4'000);
    CHECK_FALSE(world.is_bound(more[0]));
    CHECK(world.condition(more[0]).ends_with("[WaitingInQueue]"));
    CHECK(world.view(gang).position == 1);
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.settle();
    CHECK(world.is_bound(gang));
    CHECK(world.is_bound(more[0]));
    CHECK(world.violations.empty());
}

TEST_CASE("surplus: the declared maximum holds for each profile, also when all of it is reserved") {
    config::Schema schema;
    SUBCASE("initial count") {}
    SUBCASE("reserve-max") {
        schema.gang.dynamic_allocation = config::DynamicAllocation::reserve_max;
    }
    World world(schema);
    world.check_whole_gangs = false;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto driver = submit_dynamic(world, "a", 2, 4);
    const auto executors = world.create_executors(driver, 6);
    world.settle();
    CHECK(world.bound_count(executors) == 4);
    const bool said = std::any_of(executors.begin(), executors.end(), [&world](const auto& uid) {
        return world.condition(uid).find("may have 4 executors") != std::string::npos;
    });
    CHECK(said);
    // Spark's bound is one for each profile.
    std::vector<std::string> staged;
    for (int i = 0; i < 5; ++i) {
        core::Pod pod = tests::executor("stage-" + std::to_string(i), world.pod(driver));
        pod.labels[1].second = "1";
        staged.push_back(world.create(pod));
    }
    world.settle();
    CHECK(world.bound_count(staged) == 4);
    world.restart();
    world.settle();
    CHECK(world.bound_count(world.executors_of(driver)) == 8);
    CHECK(world.violations.empty());
}

TEST_CASE("surplus: a static application that asks for more gets it in what nobody reserved") {
    World world;
    world.add_node(tests::node("n1", 6, 64 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    CHECK(world.bound_count(world.create_executors(driver, 4)) == 0);
    world.settle();
    CHECK(world.bound_count(world.executors_of(driver)) == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("surplus: while its bind is on its way, an executor takes no slot that moves (seed 5455)") {
    World world;
    world.check_whole_gangs = false;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = submit_dynamic(world, "a", 1, 4);
    const auto first = world.create_executors(driver, 1).front();
    world.settle();
    REQUIRE(world.is_bound(first));
    world.hold_bind_answers = true;  // and this one is not carried out yet
    world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::bound); };
    world.create(tests::executor("beyond", world.pod(driver)));
    world.settle();
    const std::vector<gang::BindPod> held = world.binds;
    REQUIRE(held.back().pod.name == "beyond");
    world.remove_pod(first);
    world.settle();
    const auto close = [&](bool is_closed) {
        world.change_node("n1", [&](core::Node& node) { node.unschedulable = is_closed; });
        world.settle();
    };
    close(true);
    close(false);
    world.hold_bind_answers = false;
    world.on_bind = nullptr;
    // The driver, the executor on its way and the slot leave one cpu.
    const auto other = world.create(tests::pod("other", 2000, 256));
    world.settle();
    CHECK_FALSE(world.is_bound(other));
    world.arrive(held.back());
    world.settle();
    const auto next = world.create(tests::executor("next", world.pod(driver)));
    world.settle();
    CHECK(world.is_bound(next));
    CHECK_FALSE(world.is_bound(other));
    CHECK(world.violations.empty());
}
