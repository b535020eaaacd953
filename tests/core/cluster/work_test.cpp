// How much is looked at for an answer: counted, never timed.
#include "core/cluster/allocation/trial.hpp"
#include "core/placement/placement.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace core;
using build::node;
using build::resources;

namespace {

Cluster cluster_of(int nodes) {
    Cluster cluster;
    for (int i = 0; i < nodes; ++i) {
        cluster.upsert_node(node(fmt::format("n{:05}", i))
                                .cpu(16)
                                .memory("64Gi")
                                .label("pool", i == nodes / 2 ? "one" : "rest"));
    }
    return cluster;
}

void fill(Cluster& cluster) {
    for (const NodeIndex index : cluster.nodes().by_name()) {
        cluster.allocations().allocate(index, resources("16", "1Gi"), UsedBy::gang);
    }
}

std::uint64_t scanned_for(
    Planner& planner, const Cluster& cluster, const PlacementRequest& request) {
    const auto before = planner.groups_scanned();
    planner.fits(cluster, request);
    return planner.groups_scanned() - before;
}

}  // namespace

TEST_CASE("work: a full cluster says no by its largest maxima alone") {
    for (const int nodes : {100, 10'000}) {
        Cluster cluster = cluster_of(nodes);
        fill(cluster);
        const ShapeId shape = cluster.intern_shape(resources("1", "1Gi"), {});
        Planner planner;
        const PlacementRequest request{shape, {{shape, 100}}};
        CHECK(scanned_for(planner, cluster, request) == 1);
        CHECK_FALSE(planner.fits(cluster, request));
    }
}

TEST_CASE("work: room that appears is found by its block, and is gone with a trial") {
    Cluster cluster = cluster_of(10'000);
    fill(cluster);
    const ShapeId shape = cluster.intern_shape(resources("1", "1Gi"), {});
    Planner planner;
    CHECK_FALSE(planner.fits(cluster, {shape, {}}));
    const NodeIndex last = cluster.nodes().by_name().back();
    cluster.upsert_node(node(cluster.nodes().name(last)).cpu(17).memory("64Gi"));
    CHECK(scanned_for(planner, cluster, {shape, {}}) == 3);
    CHECK(planner.fits(cluster, {shape, {}}));
    {
        Trial trial(cluster);
        trial.allocate(last, shape, UsedBy::gang);
        CHECK(scanned_for(planner, cluster, {shape, {}}) == 1);
        CHECK_FALSE(planner.fits(cluster, {shape, {}}));
    }
    CHECK(planner.fits(cluster, {shape, {}}));
}

TEST_CASE("work: fewest nodes are found in a few blocks, however many there are") {
    for (const int nodes : {1'000, 10'000}) {
        Cluster cluster = cluster_of(nodes);
        const ShapeId shape = cluster.intern_shape(resources("4", "4Gi"), {});
        Planner planner;
        PlacementRequest request{shape, {{shape, 100}}};
        request.policy = PackingPolicy::fewest_nodes;
        const auto before = planner.groups_scanned();
        const Placement placement = planner.place(cluster, request);
        CHECK(planner.groups_scanned() - before <= 8);
        REQUIRE(std::holds_alternative<Plan>(placement));
        CHECK(
            std::get<Plan>(placement).executors[0].size() ==
            25);  // four on each, none beside the driver
    }
}

TEST_CASE("work: blocks in which a class has no node are passed over") {
    Cluster cluster = cluster_of(6'400);
    Constraints constraints;
    constraints.node_selector = {{"pool", "one"}};
    const ShapeId shape = cluster.intern_shape(resources("1", "1Gi"), constraints);
    Planner planner;
    PlacementRequest request{shape, {{shape, 10}}};
    const auto before = planner.groups_scanned();
    CHECK(std::holds_alternative<Plan>(planner.place(cluster, request)));
    // Two regions, and the one block, for each of the two shapes.
    CHECK(planner.groups_scanned() - before <= 2 * (1 + 2 + 1));
}

TEST_CASE("work: a shape that comes again costs the blocks that changed, by either policy") {
    Cluster cluster = cluster_of(10'000);
    const ShapeId driver = cluster.intern_shape(resources("1", "1Gi"), {});
    const ShapeId executor = cluster.intern_shape(resources("4", "4Gi"), {});
    Planner planner;
    PlacementRequest request{driver, {{executor, 100}}};
    SUBCASE("tightest") {
        request.policy = PackingPolicy::tightest;
    }
    SUBCASE("fewest nodes") {
        request.policy = PackingPolicy::fewest_nodes;
    }
    planner.place(cluster, request);
    planner.place(cluster, request);
    CHECK(scanned_for(planner, cluster, request) == 0);
    const NodeIndex last = cluster.nodes().by_name().back();
    const AllocationId allocation = cluster.allocate(last, driver, UsedBy::other_scheduler);
    CHECK(scanned_for(planner, cluster, request) == 2);  // its block, for each of the two shapes
    CHECK(scanned_for(planner, cluster, request) == 0);
    {
        Trial trial(cluster);
        trial.release(allocation);
        CHECK(scanned_for(planner, cluster, request) == 2);
    }
    CHECK(scanned_for(planner, cluster, request) == 2);
    Node relabelled = cluster.room().node_as_told(last);
    relabelled.ready = false;
    cluster.upsert_node(relabelled);
    CHECK(scanned_for(planner, cluster, request) == 2);
}

TEST_CASE("work: shapes in turn are all kept, up to a number; and a gang may have more than that") {
    Cluster cluster = cluster_of(640);
    Planner planner;
    std::vector<PlacementRequest> requests;
    PlacementRequest of_all;
    for (std::size_t i = 1; i <= CapacityCache::kept_max + 2; ++i) {
        const ShapeId shape = cluster.intern_shape(resources(std::to_string(i), "1Gi"), {});
        requests.push_back({shape, {}});
        of_all.executors.push_back({shape, 10});
    }
    const auto scanned_in_turn = [&](std::size_t count) {
        std::uint64_t scanned = 0;
        for (std::size_t i = 0; i < count; ++i) {
            planner.place(cluster, requests[i]);
            scanned += scanned_for(planner, cluster, requests[i]);
        }
        return scanned;
    };
    scanned_in_turn(CapacityCache::kept_max);
    CHECK(scanned_in_turn(CapacityCache::kept_max) == 0);
    const Placement placement = planner.place(cluster, of_all);
    REQUIRE(std::holds_alternative<Plan>(placement));
    const auto& executors = std::get<Plan>(placement).executors;
    for (std::size_t i = 0; i < executors.size(); ++i) {
        for (const NodeCount& found : executors[i]) {
            CHECK(found.count <= 16 / static_cast<std::int64_t>(i + 1));
        }
    }
    for (const PlacementRequest& request : requests) {
        CHECK(std::holds_alternative<Plan>(planner.place(cluster, request)));
    }
}

TEST_CASE("work: a refusal of a known shape looks at no node") {
    Cluster cluster = cluster_of(10'000);
    const ShapeId shape = cluster.intern_shape(resources("4", "4Gi"), {});
    Planner planner;
    const PlacementRequest request{shape, {{shape, 40'000}}};
    CHECK_FALSE(planner.fits(cluster, request));
    CHECK_FALSE(planner.fits(cluster, request));
    CHECK(scanned_for(planner, cluster, request) == 0);
    CHECK(planner.fits(cluster, {shape, {{shape, 39'999}}}));
}

TEST_CASE("work: what is taken is news to the views that count it") {
    Cluster cluster = cluster_of(1'000);
    const ShapeId shape = cluster.intern_shape(resources("1", "1Gi"), {});
    const NodeIndex node = cluster.nodes().by_name().front();
    Planner planner;
    const auto scanned = [&](View view) {
        const auto before = planner.groups_scanned();
        planner.place(cluster, {shape, {}, view});
        return planner.groups_scanned() - before;
    };
    const std::vector views = {View::free, View::without_gangs, View::allocatable};
    const auto news = [&] {
        std::vector<bool> found;
        for (const View view : views) found.push_back(scanned(view) > 0);
        return found;
    };
    CHECK(news() == std::vector{true, true, true});
    CHECK(news() == std::vector{false, false, false});
    const AllocationId ours = cluster.allocate(node, shape, UsedBy::gang);
    CHECK(news() == std::vector{true, false, false});
    cluster.allocate(node, shape, UsedBy::other_scheduler);
    CHECK(news() == std::vector{true, true, false});
    cluster.allocations().reallocate(ours, resources("2", "1Gi"), UsedBy::other_scheduler);
    CHECK(news() == std::vector{true, true, false});
}

TEST_CASE("work: whether it could ever fit is asked without keeping anything") {
    Cluster cluster = cluster_of(6'400);
    const ShapeId shape = cluster.intern_shape(resources("1", "1Gi"), {});
    Planner planner;
    for (int asked = 0; asked < 3; ++asked) {
        CHECK(planner.fits(cluster, {shape, {{shape, 10}}, View::allocatable}));
        CHECK(cluster.capacity_cache().find(shape, View::allocatable) == nullptr);
    }
}
