// What a node costs, and what is kept free on it.
#include "core/cluster/allocation/trial.hpp"
#include "core/placement/placement.hpp"
#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace core;

namespace {

Node node(const std::string& name, std::int64_t cpu, std::int64_t cost = 0) {
    Node made;
    made.name = name;
    made.allocatable = {cpu * 1000, cpu << 30, 0, {}};
    made.pods = 110;
    made.ready = true;
    made.cost = cost;
    return made;
}

constexpr Resources one = {1000, std::int64_t{1} << 30, 0, {}};

std::map<std::string, std::int64_t> placed(const Cluster& cluster, std::int64_t executors) {
    Cluster copy = cluster;
    const ShapeId shape = copy.intern_shape(one, {});
    Planner planner;
    const Placement placement = planner.place(copy, {shape, {{shape, executors}}, View::free, {}});
    std::map<std::string, std::int64_t> per_node;
    if (const auto* plan = std::get_if<Plan>(&placement)) {
        ++per_node[copy.nodes().name(plan->driver)];
        for (const NodeCount& found : plan->executors[0]) {
            per_node[copy.nodes().name(found.node)] += found.count;
        }
    }
    return per_node;
}

}  // namespace

TEST_CASE("cost: the cheapest nodes are filled first, and a gang is refused for no price") {
    Cluster cluster;
    cluster.upsert_node(node("a", 4, 30));
    cluster.upsert_node(node("b", 4, 10));
    cluster.upsert_node(node("c", 4, 1000));
    CHECK(placed(cluster, 2) == std::map<std::string, std::int64_t>{{"b", 3}});
    CHECK(placed(cluster, 5) == std::map<std::string, std::int64_t>{{"a", 2}, {"b", 4}});
    CHECK(
        placed(cluster, 11) == std::map<std::string, std::int64_t>{{"a", 4}, {"b", 4}, {"c", 4}});
    CHECK(placed(cluster, 12).empty());
    SUBCASE("a node that comes to cost nothing, or goes") {
        cluster.upsert_node(node("a", 4));
        CHECK(placed(cluster, 2) == std::map<std::string, std::int64_t>{{"a", 3}});
        cluster.remove_node("b");
        cluster.remove_node("c");
        CHECK_FALSE(cluster.nodes().has_costs());
    }
    SUBCASE("negative is cheaper than nothing") {
        cluster.upsert_node(node("d", 8, -1));
        CHECK(placed(cluster, 2) == std::map<std::string, std::int64_t>{{"d", 3}});
    }
}

TEST_CASE("cost: prices change where gangs go, never whether they fit") {
    tests::Random random;
    for (int round = 0; round < 200; ++round) {
        Cluster priced;
        Cluster free_of_charge;
        for (int i = 0; i < 6; ++i) {
            const std::int64_t cpu = random.between(0, 5);
            const std::string name = "n" + std::to_string(i);
            priced.upsert_node(node(name, cpu, random.between(0, 3)));
            free_of_charge.upsert_node(node(name, cpu));
        }
        const std::int64_t executors = random.between(0, 14);
        std::int64_t pods = 0;
        for (const auto& [name, count] : placed(priced, executors)) {
            CHECK(priced.nodes().node(*priced.nodes().find(name)).allocatable.cpu_milli >= count * 1000);
            pods += count;
        }
        CHECK((pods == executors + 1) == !placed(free_of_charge, executors).empty());
    }
}

TEST_CASE("headroom: kept free of what is newly placed, on every node") {
    Cluster cluster;
    cluster.set_headroom({1000, std::int64_t{1} << 30});
    cluster.upsert_node(node("a", 4));
    const NodeIndex a = *cluster.nodes().find("a");
    const ShapeId shape = cluster.intern_shape(one, {});
    CHECK(cluster.capacity(a, shape, View::free) == 3);
    CHECK(capacity_in_all(cluster, a, shape, View::free) == 4);
    CHECK(placed(cluster, 2) == std::map<std::string, std::int64_t>{{"a", 3}});
    CHECK(placed(cluster, 3).empty());
    cluster.upsert_pod("foreign", "a", {4500, 1, 0, {}}, UsedBy::other_scheduler);
    CHECK(cluster.capacity(a, shape, View::free) == 0);
    SUBCASE("what asks for nothing of it is not its concern") {
        const ShapeId nothing = cluster.intern_shape({}, {});
        CHECK(cluster.capacity(a, nothing, View::free) == 109);
    }
    SUBCASE("it is no reason to call a node overdrawn") {
        cluster.remove_pod("foreign");
        cluster.upsert_pod("foreign", "a", {4000, 1, 0, {}}, UsedBy::other_scheduler);
        CHECK_FALSE(cluster.columns().is_overcommitted(a));
    }
}
