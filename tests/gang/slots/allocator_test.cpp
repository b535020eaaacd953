// Executors that Spark does not create itself: pods of a StatefulSet or ReplicaSet that the driver
// owns. Their controller is not the driver, so name, namespace and application id have to do.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using tests::World;

core::Pod set_executor(const World& world, const std::string& driver, int number) {
    const core::Pod& owner = world.pod(driver);
    const std::string application = *core::find_value(owner.labels, "spark-app-selector");
    const std::string set = "spark-s-" + application + "-0";
    core::Pod pod = tests::executor(set + "-" + std::to_string(number), owner);
    pod.owners = {{"StatefulSet", set, "uid-set-of-" + driver, true}};
    return pod;
}

std::vector<std::string> create_set(World& world, const std::string& driver, int count) {
    std::vector<std::string> made;
    for (int i = 0; i < count; ++i) {
        made.push_back(world.create(set_executor(world, driver, i)));
    }
    return made;
}

/// A cluster with room for one gang of four and nothing else.
std::string start(World& world) {
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    REQUIRE(world.view(driver).slots_open == 3);
    return driver;
}

}  // namespace

TEST_CASE("allocators: executors of the driver's set take its slots, past a waiting queue") {
    World world;
    const auto driver = start(world);
    const auto next = world.submit("b", 3, 2);
    world.settle();
    std::vector<std::string> executors;
    SUBCASE("stateful set") {
        executors = create_set(world, driver, 3);
    }
    SUBCASE("replica set") {
        for (int i = 0; i < 3; ++i) {
            core::Pod pod = set_executor(world, driver, i);
            pod.owners[0].kind = "ReplicaSet";
            pod.owners[0].name = "spark-d-spark-a-0-5d4f8";
            executors.push_back(world.create(pod));
        }
    }
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.view(driver).slots_bound == 3);
    CHECK_FALSE(world.is_bound(next));

    // The set makes a lost pod again, and the restarted scheduler knows them all.
    world.remove_pod(executors[1]);
    executors[1] = world.create(set_executor(world, driver, 1));
    world.settle();
    CHECK(world.is_bound(executors[1]));
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.view(driver).slots_open == 0);

    world.set_phase(driver, core::PodPhase::succeeded);
    for (const auto& executor : executors) {
        world.remove_pod(executor);
    }
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("allocators: who is not plainly of the driver's set takes no slot") {
    World world;
    const auto driver = start(world);
    core::Pod thief = set_executor(world, driver, 0);
    SUBCASE("another namespace") {
        thief.namespace_name = "other";
    }
    SUBCASE("another application's id") {
        for (auto& [key, value] : thief.labels) {
            value = key == "spark-app-selector" ? "spark-z" : value;
        }
    }
    SUBCASE("a set of another name") {
        thief.owners[0].name = "my-database-0";
    }
    SUBCASE("a set whose name goes on after the profile") {
        thief.owners[0].name += "x";
    }
    SUBCASE("another kind of controller") {
        thief.owners[0].kind = "Job";
    }
    SUBCASE("larger than a slot") {
        thief.requests.cpu_milli += 1;
    }
    SUBCASE("not the controller") {
        thief.owners[0].controller = false;
    }
    SUBCASE("the id was given to it later") {
        for (auto& [key, value] : thief.labels) {
            value = key == "spark-app-selector" ? "spark-z" : value;
        }
        const auto uid = world.create(thief);
        world.settle();
        const core::Pod real = set_executor(world, driver, 0);
        world.change_pod(uid, [&real](core::Pod& pod) { pod.labels = real.labels; });
        world.settle();
        CHECK_FALSE(world.is_bound(uid));
        world.remove_pod(uid);
    }
    const auto uid = world.create(thief);
    world.settle();
    CHECK_FALSE(world.is_bound(uid));
    CHECK(world.view(driver).slots_open == 3);
}

TEST_CASE("allocators: an id that two live drivers claim matches neither") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto first = world.submit("a", 3, 1);
    world.settle();
    const auto early = create_set(world, first, 1);
    world.settle();
    REQUIRE(world.view(first).slots_bound == 1);

    core::Pod second = tests::driver("b", "spark-a");
    second.created = 2;
    const auto claimant = world.submit(second, tests::conf(3));
    world.settle();
    REQUIRE(world.is_bound(claimant));
    const auto late = world.create(set_executor(world, first, 1));
    world.settle();
    CHECK(world.view(first).slots_bound == 1);
    CHECK(world.view(claimant).slots_bound == 0);
    CHECK_FALSE(world.is_bound(late));  // a lone pod now, and there is no room beside the gangs

    // What took a slot before keeps it, through a restart too.
    world.restart();
    world.settle();
    CHECK(world.view(first).slots_bound == 1);
    CHECK(world.view(first).slots_open == 2);
    CHECK(world.view(claimant).slots_open == 3);

    // With one claimant left, the id means that one.
    world.set_phase(claimant, core::PodPhase::failed);
    world.change_pod(late, [](core::Pod& pod) { pod.annotations = {{"gang-scheduler/x", "y"}}; });
    world.settle();
    CHECK(world.is_bound(late));
    CHECK(world.view(first).slots_bound == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("allocators: the driver's set after the driver's end is not bound") {
    World world;
    const auto driver = start(world);
    const auto executors = create_set(world, driver, 1);
    world.settle();
    world.change_pod(driver, [](core::Pod& pod) { pod.deleting = true; });
    const auto late = world.create(set_executor(world, driver, 1));
    world.settle();
    CHECK_FALSE(world.is_bound(late));
    world.remove_pod(driver);
    world.settle();
    world.set_phase(executors[0], core::PodPhase::running);  // it does not know yet
    world.settle();
    world.remove_pod(executors[0]);
    world.settle();
    CHECK(world.scheduler->gangs().size() <= 1);
    world.remove_pod(late);
    world.settle();
    CHECK(world.scheduler->gangs().empty());
}

TEST_CASE("allocators: a follower seats what the leader binds") {
    World world;
    const auto driver = start(world);
    world.restart(false);
    world.settle();
    REQUIRE(world.view(driver).slots_open == 3);
    const auto executor = world.create(set_executor(world, driver, 0));
    world.settle();
    REQUIRE_FALSE(world.is_bound(executor));
    world.change_pod(executor, [&driver](core::Pod& pod) {
        pod.node_name = "n1";
        pod.annotations = {{"gang-scheduler/slot", driver + "/0"}};
    });
    world.settle();
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.view(driver).slots_open == 2);
    world.lead();
    world.settle();
    CHECK(world.bound_count(create_set(world, driver, 2)) == 0);
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.violations.empty());
}
