// Gangs that shall be in one domain (gang-scheduler/topology-key), through the whole scheduler.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using tests::World;

namespace {

core::Node zone_node(const std::string& name, const std::string& zone, std::int64_t cpu) {
    core::Node node = tests::node(name, cpu, 64 * 1024);
    if (!zone.empty()) node.labels = {{"zone", zone}};
    return node;
}

core::Pod in_one_zone(const std::string& name, const std::string& mode = "") {
    core::Pod driver = tests::driver(name);
    driver.annotations = {{"gang-scheduler/topology-key", "zone"}};
    if (!mode.empty()) driver.annotations.emplace_back("gang-scheduler/topology-mode", mode);
    return driver;
}

/// Zones a and b of two nodes with 4 cpu each; drivers and executors ask for one.
void add_two_zones(World& world) {
    for (const char* name : {"a1", "a2", "b1", "b2"}) {
        world.add_node(zone_node(name, std::string(1, name[0]), 4));
    }
}

std::set<char> zones_of(const World& world, const std::string& driver) {
    std::set<char> zones = {world.node_of(driver)[0]};
    const auto reservation = world.reservation(driver);
    for (const auto& shape : reservation->shapes) {
        for (const auto& [node, slots] : shape.slots_per_node) zones.insert(node[0]);
    }
    return zones;
}

std::int64_t pods_on(const World& world, const std::string& node) {
    std::int64_t count = 0;
    for (const auto& [uid, pod] : world.pods()) count += world.node_of(uid) == node ? 1 : 0;
    return count;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("topology: a gang is in one zone, or waits for one") {
    World world;
    add_two_zones(world);
    const auto first = world.submit(in_one_zone("first"), tests::conf(5));
    world.settle();
    REQUIRE(world.is_bound(first));
    CHECK(zones_of(world, first) == std::set<char>{'a'});
    const auto second = world.submit(in_one_zone("second"), tests::conf(7));
    world.settle();
    REQUIRE(world.is_bound(second));
    CHECK(zones_of(world, second) == std::set<char>{'b'});
    // There is room for two more in zone a, none in b.
    const auto third = world.submit(in_one_zone("third"), tests::conf(2));
    world.settle();
    CHECK_FALSE(world.is_bound(third));
    CHECK(has(world.condition(third), "in one zone now: needs 1 driver + 2 executors"));
    CHECK(has(world.condition(third), "2 node(s) outside zone=a"));
    CHECK(has(world.condition(third), "[WaitingForCapacity]"));
    SUBCASE("which it gets when the other one ends") {
        world.set_phase(second, core::PodPhase::succeeded);
        world.settle();
        CHECK(zones_of(world, third) == std::set<char>{'b'});
    }
    SUBCASE("nobody behind it takes what it waits for") {
        const auto fourth = world.submit("fourth", 1, 2'000'000'000);
        world.settle();
        CHECK_FALSE(world.is_bound(fourth));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("topology: who fits no zone, even an empty one, is told so and holds up nobody") {
    World world;
    add_two_zones(world);
    const auto large = world.submit(in_one_zone("large"), tests::conf(9));
    const auto small = world.submit("small", 9, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(large));
    CHECK(has(world.condition(large), "in one zone even if they were empty"));
    CHECK(has(world.condition(large), "[ExceedsCluster]"));
    CHECK(world.is_bound(small));  // the same, wherever there is room
    const auto nowhere = [&] {
        core::Pod driver = tests::driver("nowhere");
        driver.annotations = {{"gang-scheduler/topology-key", "example.com/rack"}};
        return world.submit(std::move(driver), tests::conf(1));
    }();
    world.settle();
    CHECK_FALSE(world.is_bound(nowhere));
    CHECK(has(world.condition(nowhere), "4 node(s) without the label example.com/rack"));
}

TEST_CASE("topology: preferred: in one zone if there is room so, else anywhere") {
    World world;
    add_two_zones(world);
    const auto first = world.submit(in_one_zone("first", "preferred"), tests::conf(6));
    world.settle();
    REQUIRE(world.is_bound(first));
    CHECK(zones_of(world, first).size() == 1);
    const auto second = world.submit(in_one_zone("second", "preferred"), tests::conf(8));
    world.settle();
    REQUIRE(world.is_bound(second));
    CHECK(zones_of(world, second).size() == 2);
}

TEST_CASE("topology: executors beyond the gang are in its zone, too") {
    World world;
    add_two_zones(world);
    const auto driver = world.submit(in_one_zone("d"), tests::conf(3));
    world.settle();
    REQUIRE(world.is_bound(driver));
    REQUIRE(zones_of(world, driver) == std::set<char>{'a'});
    world.set_phase(driver, core::PodPhase::running);
    SUBCASE("also after a restart") {
        world.restart();
    }
    SUBCASE("at once") {}
    const auto executors = world.create_executors(driver, 3);
    world.advance(1'000);
    CHECK(world.bound_count(executors) == 3);
    const auto filler = [&](const std::string& node, std::int64_t cpu) {
        core::Pod pod = tests::pod("filler-" + node, cpu * 1000, 1024);
        pod.scheduler_name = "default-scheduler";
        pod.node_name = node;
        return world.create(std::move(pod));
    };
    const auto on_a1 = filler("a1", 4 - pods_on(world, "a1"));
    const auto on_a2 = filler("a2", 4 - pods_on(world, "a2"));
    const auto fourth = world.create_executors(driver, 1);
    world.advance(5'000);
    CHECK(world.bound_count(fourth) == 0);
    CHECK(has(world.condition(fourth[0]), "outside zone=a"));
    world.remove_pod(on_a2);
    world.advance(5'000);
    CHECK(world.bound_count(fourth) == 1);
    CHECK(world.node_of(fourth[0]) == "a2");
    world.remove_pod(on_a1);
    CHECK(world.violations.empty());
}

TEST_CASE("topology: slots that lose their node stay in the zone, or wait for room there") {
    World world;
    for (const char* name : {"a1", "a2", "a3"}) world.add_node(zone_node(name, "a", 2));
    for (const char* name : {"b1", "b2"}) world.add_node(zone_node(name, "b", 16));
    const auto driver = world.submit(in_one_zone("d"), tests::conf(3));
    world.settle();
    REQUIRE(world.is_bound(driver));
    REQUIRE(zones_of(world, driver) == std::set<char>{'a'});
    REQUIRE(world.node_of(driver) == "a1");
    world.set_phase(driver, core::PodPhase::running);
    SUBCASE("also after a restart") {
        world.advance(1'000);
        world.restart();
    }
    SUBCASE("at once") {}
    world.advance(1'000);
    world.remove_node("a2");
    world.advance(5'000);
    CHECK(zones_of(world, driver) == std::set<char>{'a'});
    CHECK(world.reservation(driver)->shapes[0].unplaced == 0);
    world.remove_node("a3");
    world.advance(5'000);
    CHECK(zones_of(world, driver) == std::set<char>{'a'});
    CHECK(world.reservation(driver)->shapes[0].unplaced == 2);
    world.add_node(zone_node("a4", "a", 4));
    world.advance(5'000);
    CHECK(world.reservation(driver)->shapes[0].unplaced == 0);
    CHECK(zones_of(world, driver) == std::set<char>{'a'});
    CHECK(world.violations.empty());
}

TEST_CASE("topology: while its driver's node is not there, no slot goes to another zone") {
    World world;
    world.add_node(zone_node("a1", "a", 4));
    world.add_node(zone_node("b1", "b", 16));
    const auto driver = world.submit(in_one_zone("d"), tests::conf(3));
    world.settle();
    REQUIRE(world.node_of(driver) == "a1");
    world.set_phase(driver, core::PodPhase::running);
    world.advance(1'000);
    world.remove_node("a1");
    const auto executors = world.create_executors(driver, 3);
    world.advance(10'000);
    CHECK(world.bound_count(executors) == 0);
    const auto reservation = world.reservation(driver);
    for (const auto& [node, slots] : reservation->shapes[0].slots_per_node) CHECK(node != "b1");
    world.add_node(zone_node("a1", "a", 4));
    world.advance(10'000);
    CHECK(world.bound_count(executors) == 3);
    CHECK(zones_of(world, driver) == std::set<char>{'a'});
    CHECK(world.violations.empty());
}

TEST_CASE("topology: what is wrong is said, and nothing is split because of it") {
    World world;
    add_two_zones(world);
    const auto problem = [&](core::StringMap annotations) {
        core::Pod driver = tests::driver("d" + std::to_string(world.pods().size()));
        driver.annotations = std::move(annotations);
        const auto uid = world.submit(std::move(driver), tests::conf(1));
        world.advance(1'000);
        CHECK_FALSE(world.is_bound(uid));
        CHECK(has(world.condition(uid), "[Misconfigured]"));
        return world.condition(uid);
    };
    CHECK(has(
        problem({{"gang-scheduler/topology-key", "no such key!"}}), "is no name of a node label"));
    CHECK(has(
        problem(
            {{"gang-scheduler/topology-key", "zone"}, {"gang-scheduler/topology-mode", "hard"}}),
        "is neither required nor preferred"));
    CHECK(
        has(problem({{"gang-scheduler/topology-mode", "required"}}),
            "says nothing without gang-scheduler/topology-key"));
}

TEST_CASE("topology: a gang in one zone whose executors keep apart there") {
    World world;
    add_two_zones(world);
    for (const char* name : {"c1", "c2", "c3"}) world.add_node(zone_node(name, "c", 2));
    const auto nodes = world.nodes();
    for (const auto& [name, node] : nodes) {
        world.change_node(name, [](core::Node& one) {
            one.labels = {{"kubernetes.io/hostname", one.name}, one.labels[0]};
        });
    }
    auto conf = tests::conf(3);
    core::LabelSelector executors{true, {}};
    executors.require({"spark-role", core::LabelOperator::in, {"executor"}});
    conf.executor_template.emplace().rules =
        core::PodRules{{}, {{"kubernetes.io/hostname", executors, {""}, {}}}, {}};
    const auto driver = world.submit(in_one_zone("d"), conf);
    world.advance(3'000);
    REQUIRE(world.is_bound(driver));
    CHECK(zones_of(world, driver) == std::set<char>{'c'});
    CHECK(world.reservation(driver)->shapes[0].slots_per_node.size() == 3);
}
