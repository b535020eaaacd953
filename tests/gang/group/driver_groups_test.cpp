// The PodGroup that was made for a Spark application: how large its gang is, where nothing else
// says so, and in which queue it waits.
#include "gang/declare/group_size.hpp"
#include "tests/gang/in_queues.hpp"
#include "tests/gang/shares/trees.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using tests::World;

namespace {

/// No conf map, as whoever is not Spark makes it.
core::Pod bare_driver(const std::string& name, core::StringMap more = {}) {
    core::Pod driver = tests::pod(name, 1000, 1024);
    driver.labels = {{"spark-app-selector", "spark-" + name}, {"spark-role", "driver"}};
    driver.annotations = std::move(more);
    driver.annotations.push_back({"scheduling.k8s.io/group-name", "g"});
    return driver;
}

core::PodGroup minimum_of(std::int64_t cpu, std::int64_t memory_mi) {
    core::PodGroup group;
    group.min_resources = {cpu * 1000, memory_mi * tests::mebibyte, 0, {}};
    return group;
}

/// As Spark's step for Volcano makes it: with a conf, and a group that it names.
std::string submit_of_group(
    World& world, const std::string& name, std::int64_t created, const std::string& group = "g") {
    core::Pod driver = tests::driver(name);
    driver.created = created;
    driver.annotations = {{"scheduling.k8s.io/group-name", group}};
    return world.submit(std::move(driver), tests::conf(1));
}

config::Schema two_queues() {
    config::Queue ranked = tests::queue("ranked");
    ranked.order = config::QueueOrder::priority;
    return tests::with_queues(
        {ranked, tests::limited("small", 2), tests::queue("default")}, World::sealed_schema());
}

gang::GangSize size_by(const core::PodGroup& group, const gang::Declaration& said = {}) {
    return gang::size_by_group(bare_driver("d"), said, group, {});
}

}  // namespace

TEST_CASE("group size: what the driver leaves of minResources, in executors") {
    SUBCASE("as large as the driver, where nothing else is said") {
        const auto size = size_by(minimum_of(3, 3072));
        REQUIRE(size.executors.size() == 1);
        CHECK(size.executors[0].count == 2);
        CHECK(size.executors[0].requests.cpu_milli == 1000);
        CHECK(size.source == "spec.minResources of its PodGroup");
        gang::Declaration said;
        said.warnings = {"a warning"};
        said.notes = {"a note"};
        const auto warned = size_by(minimum_of(3, 3072), said);
        CHECK(warned.warnings.front() == "a warning");
        CHECK(warned.notes == said.notes);
        REQUIRE(size.warnings.size() == 1);
        CHECK(
            size.warnings[0] ==
            "spec.minResources of its PodGroup, 3 cpu, 3Gi memory, is taken as its driver and 2 "
            "executors of 1 cpu, 1Gi memory: nothing else says how many there will be");
    }
    SUBCASE("of the size that the driver declares") {
        gang::Declaration said;
        said.executor.cpu_milli = {2000, "annotation gang-scheduler/executor-cpu"};
        const auto size = size_by(minimum_of(7, 64 * 1024), said);
        REQUIRE(size.executors.size() == 1);
        CHECK(size.executors[0].count == 3);
        CHECK(size.executors[0].requests.cpu_milli == 2000);
        CHECK(size.executors[0].requests.memory_bytes == 1024 * tests::mebibyte);
    }
    SUBCASE("the scarcest of what is named decides") {
        CHECK(size_by(minimum_of(9, 2048)).executors[0].count == 1);
        CHECK(size_by(minimum_of(3, 0)).executors[0].count == 2);
        CHECK(size_by(minimum_of(3, 1)).executors[0].count == 2);  // not even the driver's
    }
    SUBCASE("room for the driver alone, or not even that") {
        CHECK(size_by(minimum_of(1, 1024)).executors.empty());
        CHECK(size_by(minimum_of(0, 512)).executors.empty());
        CHECK(size_by({}).executors.empty());
        CHECK(size_by({}).problem.empty());
    }
    SUBCASE("no gang is as large as that") {
        CHECK(
            size_by(minimum_of(1'000'000, 0)).problem.find("more than the 2000 pods") !=
            std::string::npos);
    }
}

TEST_CASE("driver groups: minResources is the declaration where there is no Spark conf") {
    World world;
    world.add_node(tests::node("n1", 2, 64 * 1024));
    SUBCASE("it waits for the room of all, and keeps it for executors") {
        world.groups["etl/g"] = minimum_of(3, 3072);
        const auto driver = world.create(bare_driver("d"));
        world.settle();
        CHECK_FALSE(world.is_bound(driver));
        CHECK(world.condition(driver).find("needs 1 driver + 2 executors") != std::string::npos);
        world.add_node(tests::node("n2", 1, 64 * 1024));
        world.settle();
        REQUIRE(world.is_bound(driver));
        const auto other = world.create(tests::pod("other", 1000, 256));
        world.settle();
        CHECK_FALSE(world.is_bound(other));
        core::Pod owner = world.pod(driver);
        for (const char* name : {"e1", "e2"}) {
            core::Pod executor = tests::executor(name, owner);
            executor.requests = owner.requests;
            world.create(std::move(executor));
        }
        world.settle();
        CHECK(world.bound_count(world.executors_of(driver)) == 2);
    }
    SUBCASE("it declares how large an executor is, and not how many there are") {
        world.add_node(tests::node("n2", 6, 64 * 1024));
        world.groups["etl/g"] = minimum_of(7, 0);
        const auto driver = world.create(bare_driver(
            "d",
            {{"gang-scheduler/executor-cpu", "3"}, {"gang-scheduler/executor-memory", "1Gi"}}));
        world.settle();
        REQUIRE(world.is_bound(driver));
        CHECK(world.view(driver).slots_open == 2);
    }
    SUBCASE("the group asks nothing: the driver is alone") {
        world.groups["etl/g"] = core::PodGroup{};
        const auto driver = world.create(bare_driver("d"));
        world.settle();
        CHECK(world.is_bound(driver));
    }
    SUBCASE("there is no such group yet") {
        const auto driver = world.create(bare_driver("d"));
        world.advance(5'000);
        world.settle();
        CHECK_FALSE(world.is_bound(driver));
        CHECK(world.condition(driver).find("PodGroup not found: etl/g") != std::string::npos);
        world.groups["etl/g"] = minimum_of(2, 0);
        world.advance(60'000);
        world.settle();
        CHECK(world.is_bound(driver));
        world.remove_application(driver);
        world.advance(1'200'000);  // timers of pods that are gone run out
        CHECK(world.scheduler->remembered() == 0);
    }
    SUBCASE("its Spark conf says more") {
        world.groups["etl/g"] = minimum_of(100, 0);
        core::Pod driver = tests::driver("d");
        driver.annotations = {{"scheduling.k8s.io/group-name", "g"}};
        const auto uid = world.submit(std::move(driver), tests::conf(1));
        world.settle();
        CHECK(world.is_bound(uid));
    }
    SUBCASE("nobody may read its Spark conf") {
        world.groups["etl/g"] = minimum_of(3, 0);
        core::Pod driver = tests::driver("d");
        driver.annotations = {{"scheduling.k8s.io/group-name", "g"}};
        const auto uid = world.create(std::move(driver));
        world.confs[uid].problem = gang::ConfProblem::forbidden;
        world.settle();
        world.advance(5'000);
        world.settle();
        CHECK_FALSE(world.is_bound(uid));
        CHECK(world.condition(uid).find("needs 1 driver + 2 executors") != std::string::npos);
        world.add_node(tests::node("n2", 1, 64 * 1024));
        world.settle();
        CHECK(world.is_bound(uid));
    }
}

TEST_CASE("driver groups: the object names the queue, where the driver names none") {
    World world(two_queues());
    world.add_node(tests::node("n1", 8, 64 * 1024));
    core::PodGroup object;
    object.queue = "small";
    SUBCASE("a limit of that queue") {
        world.groups["etl/g"] = object;
        const auto first = submit_of_group(world, "a", 1'000);
        world.settle();
        const auto second = submit_of_group(world, "b", 2'000);
        world.settle();
        REQUIRE(world.is_bound(first));
        CHECK(world.view(first).queue == "root.small");
        CHECK_FALSE(world.is_bound(second));
        tests::says(world, second, "queue root.small has 2 cpu in use");
        for (const auto& driver : {first, second}) {
            world.remove_application(driver);
        }
        world.advance(1'200'000);  // timers of pods that are gone run out
        CHECK(world.scheduler->remembered() == 0);
    }
    SUBCASE("what the driver says counts") {
        world.groups["etl/g"] = object;
        core::Pod driver = tests::driver("a");
        driver.annotations = {
            {"gang-scheduler/queue", "default"}, {"scheduling.k8s.io/group-name", "g"}};
        const auto uid = world.submit(std::move(driver), tests::conf(1));
        world.settle();
        CHECK(world.is_bound(uid));
        CHECK(world.view(uid).queue == "root.default");
    }
    SUBCASE("an object that nobody has made holds up nobody") {
        const auto uid = submit_of_group(world, "a", 1'000);
        world.settle();
        CHECK(world.is_bound(uid));
        CHECK(world.view(uid).queue == "root.default");
    }
    SUBCASE("it moves while the driver waits") {
        world.groups["etl/g"] = object;
        REQUIRE_FALSE(submit_of_group(world, "a", 1'000).empty());
        world.settle();
        const auto second = submit_of_group(world, "b", 2'000);
        world.settle();
        REQUIRE_FALSE(world.is_bound(second));
        world.groups["etl/g"].queue = "ranked";
        world.advance(60'000);
        world.settle();
        CHECK(world.is_bound(second));
        CHECK(world.view(second).queue == "root.ranked");
    }
    SUBCASE("nobody asks for it any more once the driver runs") {
        world.groups["etl/g"] = object;
        REQUIRE(world.is_bound([&] {
            const auto uid = submit_of_group(world, "a", 1'000);
            world.settle();
            return uid;
        }()));
        const auto asked = world.group_fetches;
        world.advance(600'000);
        CHECK(world.group_fetches == asked);
    }
}

TEST_CASE("driver groups: the priority of the object counts in its queue") {
    World world(two_queues());
    core::PodGroup object;
    object.queue = "ranked";
    world.groups["etl/low"] = object;
    object.priority = 10;
    world.groups["etl/high"] = object;
    const auto low = submit_of_group(world, "low", 1'000, "low");
    const auto high = submit_of_group(world, "high", 2'000, "high");
    world.settle();
    world.add_node(tests::node("n1", 2, 64 * 1024));
    world.settle();
    CHECK(world.is_bound(high));
    CHECK_FALSE(world.is_bound(low));
}

TEST_CASE("driver groups: queues that come while a driver waits ask its group") {
    World world;
    core::PodGroup object;
    object.queue = "small";
    world.groups["etl/g"] = object;
    const auto uid = submit_of_group(world, "a", 1'000);
    world.settle();
    world.reconfigure(two_queues());
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.settle();
    CHECK(world.is_bound(uid));
    CHECK(world.view(uid).queue == "root.small");
}
