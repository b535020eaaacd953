#include "core/placement/driver_nodes.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("driver nodes: only those that leave the executors their room") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(4));
    cluster.upsert_node(build::node("n2").cpu(3));
    const core::ShapeId driver = cluster.intern_shape(build::resources("1"), {});
    const core::ShapeId executor = cluster.intern_shape(build::resources("2"), {});
    core::Packing packing;
    packing.begin(cluster, core::View::free, {}, {});
    std::vector<core::GangPart> parts(1);
    parts[0].shape = executor;
    parts[0].wanted = 3;  // two on n1 and one on n2, where one core is left for the driver
    parts[0].capacities = &packing.capacities().of(executor);
    core::DriverNodes nodes(packing);
    nodes.begin(parts, driver, packing.capacities().of(driver));
    for (const auto policy : {core::PackingPolicy::tightest, core::PackingPolicy::fewest_nodes}) {
        const auto found = nodes.list(policy);
        REQUIRE(found.size() == 1);
        CHECK(found[0].position == 1);
    }
    CHECK(nodes.has_any());
    CHECK(nodes.find_least_loss() == 1U);
    parts[0].wanted = 4;
    CHECK(nodes.list(core::PackingPolicy::tightest).empty());
    CHECK_FALSE(nodes.has_any());
    packing.end();
}
