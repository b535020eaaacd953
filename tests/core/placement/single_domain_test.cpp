// Gangs that are to be in one domain: figures that can be worked out by hand, and random clusters
// held against the same question about a cluster that has one domain's nodes alone.

#include "core/placement/single_domain.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace core;

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
const Resources one_cpu{1000, gibibyte, 0, {}};

Node node_in(const std::string& name, const std::string& zone, std::int64_t cpu) {
    Node node;
    node.name = name;
    node.ready = true;
    node.pods = 110;
    node.allocatable = {cpu * 1000, 64 * gibibyte, 0, {}};
    if (!zone.empty()) node.labels = {{"zone", zone}};
    return node;
}

struct Zones {
    Cluster cluster;
    DomainIndex domains;
    TopologyKeyId key = domains.retain("zone", cluster);
    Planner planner;

    void add(const std::string& name, const std::string& zone, std::int64_t cpu) {
        const Node node = node_in(name, zone, cpu);
        cluster.upsert_node(node);
        domains.node_changed(*cluster.nodes().find(name), node);
    }
    PlacementRequest gang(std::int64_t executors, PackingPolicy policy = PackingPolicy::tightest) {
        const ShapeId shape = cluster.intern_shape(one_cpu, {});
        PlacementRequest request;
        request.driver = shape;
        request.executors = {{shape, executors}};
        request.policy = policy;
        return request;
    }
    SingleDomain one() { return {planner, cluster, domains, key}; }
    std::set<std::string> nodes_of(const Plan& plan) const {
        std::set<std::string> names = {cluster.nodes().name(plan.driver)};
        for (const NodeCount& found : plan.executors[0]) {
            names.insert(cluster.nodes().name(found.node));
        }
        return names;
    }
};

}  // namespace

TEST_CASE("single_domain: the domain with the least room that is enough, or with the most") {
    Zones zones;
    zones.add("a1", "a", 4);
    zones.add("a2", "a", 4);
    zones.add("b1", "b", 2);
    zones.add("b2", "b", 3);
    zones.add("c1", "c", 4);
    zones.add("n1", "", 64);
    const auto tight = zones.one().find(zones.gang(4));
    REQUIRE(tight);
    CHECK(zones.nodes_of(*tight) == std::set<std::string>{"b1", "b2"});
    const auto wide = zones.one().find(zones.gang(4, PackingPolicy::fewest_nodes));
    REQUIRE(wide);
    for (const std::string& name : zones.nodes_of(*wide)) CHECK(name.starts_with("a"));
    CHECK(zones.one().candidates(zones.gang(3)).size() == 3);
    CHECK(zones.one().fits(zones.gang(7)));
    CHECK_FALSE(zones.one().fits(zones.gang(8)));
    CHECK(zones.planner.fits(zones.cluster, zones.gang(8)));
}

TEST_CASE("single_domain: a refusal is that of the domain with the most room") {
    Zones zones;
    zones.add("a1", "a", 4);
    zones.add("a2", "a", 4);
    zones.add("b1", "b", 3);
    zones.add("n1", "", 64);
    const auto placement = zones.one().place(zones.gang(9));
    const auto* const rejection = std::get_if<Rejection>(&placement);
    REQUIRE(rejection != nullptr);
    CHECK(rejection->nodes == 4);
    CHECK(rejection->executors_fit == 7);
    CHECK(describe(*rejection).find("2 node(s) outside zone=a") != std::string::npos);
}

TEST_CASE("single_domain: no node has the label") {
    Zones zones;
    zones.add("n1", "", 64);
    CHECK_FALSE(zones.one().fits(zones.gang(1)));
    const auto placement = zones.one().place(zones.gang(1));
    const auto* const rejection = std::get_if<Rejection>(&placement);
    REQUIRE(rejection != nullptr);
    CHECK(describe(*rejection).find("1 node(s) without the label zone") != std::string::npos);
}

TEST_CASE("single_domain: nothing is left behind") {
    Zones zones;
    zones.add("a1", "a", 4);
    zones.add("b1", "b", 3);
    const auto request = zones.gang(3);
    const std::uint64_t shapes = zones.cluster.shapes().references();
    CHECK(zones.one().find(request));
    CHECK(zones.one().fits(request));
    zones.one().place(zones.gang(60));
    CHECK(zones.cluster.shapes().references() == shapes + 1);  // that of the gang of 60
}

TEST_CASE("single_domain: a gang without a driver, and exactly as much room as it needs") {
    Zones zones;
    zones.add("a1", "a", 3);
    zones.add("b1", "b", 4);
    zones.add("b2", "b", 1);
    PlacementRequest request = zones.gang(3);
    request.driver.reset();
    const auto plan = zones.one().find(request);
    REQUIRE(plan);
    CHECK(plan->driver.is_none());
    REQUIRE(plan->executors[0].size() == 1);
    CHECK(zones.cluster.nodes().name(plan->executors[0][0].node) == "a1");
    CHECK(zones.one().candidates(request).size() == 2);
    request.executors[0].count = 4;
    CHECK(zones.one().candidates(request).size() == 1);
    CHECK(zones.one().fits(request));
    request.executors[0].count = 5;
    CHECK(zones.one().fits(request));
    request.executors[0].count = 6;
    CHECK(zones.one().candidates(request).empty());
    CHECK_FALSE(zones.one().fits(request));
}

TEST_CASE("single_domain: domains come smallest first only by the tightest policy without scores") {
    Zones zones;
    zones.add("a1", "a", 8);
    zones.add("b1", "b", 4);
    zones.add("c1", "c", 4);
    zones.add("d1", "d", 6);
    const auto order = [&zones](PackingPolicy policy, const ScoreOrder* scores) {
        PlacementRequest request = zones.gang(2, policy);
        request.scores = scores;
        std::string names;
        for (const DomainId domain : zones.one().candidates(request)) names += zones.domains.name(zones.key, domain);
        return names;
    };
    const ScoreOrder scores = {{*find_score_id("first-by-name"), 1, {}, {}}};
    CHECK(order(PackingPolicy::tightest, nullptr) == "bcda");
    CHECK(order(PackingPolicy::tightest, &scores) == "adbc");
    CHECK(order(PackingPolicy::fewest_nodes, nullptr) == "adbc");
    CHECK(order(PackingPolicy::least_allocated, nullptr) == "adbc");
    CHECK(order(PackingPolicy::fewest_nodes, &scores) == "adbc");
}

TEST_CASE("single_domain: every kind of executors, and the driver, must have its room there") {
    Zones zones;
    zones.add("a1", "a", 9);
    zones.add("b1", "b", 5);
    PlacementRequest request = zones.gang(2);
    const ShapeId large = zones.cluster.intern_shape({2000, gibibyte, 0, {}}, {});
    request.executors.push_back({large, 2});
    CHECK(zones.one().candidates(request).size() == 2);
    request.executors[1].count = 3;  // b takes two of them
    CHECK(zones.one().candidates(request).size() == 1);
    const auto plan = zones.one().find(request);
    REQUIRE(plan);
    CHECK(zones.cluster.nodes().name(plan->driver) == "a1");
    request.driver = zones.cluster.intern_shape({10'000, 0, 0, {}}, {});
    CHECK(zones.one().candidates(request).empty());
    CHECK_FALSE(zones.one().find(request).has_value());
}

TEST_CASE("single_domain: a gang fits if and only if it fits some domain by itself") {
    for (std::uint32_t seed = 1; seed <= 1'500; ++seed) {
        std::mt19937 dice(seed);
        const auto draw = [&dice](std::int64_t low, std::int64_t high) {
            return low +
                   static_cast<std::int64_t>(dice() % static_cast<std::uint32_t>(high - low + 1));
        };
        Zones zones;
        std::map<std::string, Cluster> alone;
        const std::int64_t nodes = draw(1, 9);
        for (std::int64_t i = 0; i < nodes; ++i) {
            const std::string zone = draw(0, 4) == 0 ? "" : std::string(1, "abc"[draw(0, 2)]);
            const std::int64_t cpu = draw(0, 6);
            const std::string name = "n" + std::to_string(i);
            zones.add(name, zone, cpu);
            if (!zone.empty()) alone[zone].upsert_node(node_in(name, zone, cpu));
        }
        const std::int64_t executors = draw(0, 8);
        const auto policy = draw(0, 1) == 0 ? PackingPolicy::tightest : PackingPolicy::fewest_nodes;
        bool expected = false;
        for (auto& [zone, cluster] : alone) {
            const ShapeId shape = cluster.intern_shape(one_cpu, {});
            PlacementRequest request;
            request.driver = shape;
            request.executors = {{shape, executors}};
            expected = expected || zones.planner.fits(cluster, request);
        }
        INFO("seed " << seed);
        const PlacementRequest request = zones.gang(executors, policy);
        CHECK(zones.one().fits(request) == expected);
        const auto plan = zones.one().find(request);
        REQUIRE(plan.has_value() == expected);
        CHECK(std::holds_alternative<Plan>(zones.one().place(request)) == expected);
        if (!plan) continue;
        std::set<DomainId> used = {zones.domains.domain_of(zones.key, plan->driver)};
        std::int64_t placed = 0;
        for (const NodeCount& found : plan->executors[0]) {
            used.insert(zones.domains.domain_of(zones.key, found.node));
            placed += found.count;
        }
        CHECK(placed == executors);
        CHECK(used.size() == 1);
        CHECK_FALSE(used.begin()->is_none());
    }
}
