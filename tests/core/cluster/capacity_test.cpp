#include "core/cluster/capacity.hpp"

#include "core/cluster/cluster.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

TEST_CASE("capacity beside another pod: each resource may be what is short") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(10).memory("10Gi").pods(10));
    const core::NodeIndex node = *cluster.nodes().find("n1");
    const core::FreeColumns columns(cluster.columns(), core::View::free);
    const auto beside = [&](const core::Resources& one, const core::Resources& other) {
        const core::ShapeId shape = cluster.intern_shape(one, {});
        const core::ShapeId there = cluster.intern_shape(other, {});
        return core::capacity_beside(
            columns, node, cluster.demand(shape), cluster.demand(there));
    };
    core::Resources disk;
    build::set(disk, "ephemeral-storage", "30Gi");
    core::Resources half_disk;
    build::set(half_disk, "ephemeral-storage", "50Gi");
    CHECK(beside(build::resources("2"), build::resources("3")) == 3);
    CHECK(beside(build::resources("0", "2Gi"), build::resources("0", "5Gi")) == 2);
    CHECK(beside(disk, half_disk) == 1);
    CHECK(beside(build::resources("0"), build::resources("1")) == 9);  // pod slots
}
