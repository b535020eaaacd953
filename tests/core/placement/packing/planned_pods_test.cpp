#include "core/placement/packing/planned_pods.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <limits>

TEST_CASE("planned pods: they take room at their node, and none once they are forgotten") {
    core::Cluster cluster;
    for (const char* name : {"n1", "n2"}) cluster.upsert_node(build::node(name));
    const core::ShapeId shape = cluster.intern_shape(build::resources("1"), {});
    core::PlacementView view;
    core::PlannedPods planned(view);
    view.begin(cluster, core::View::free, {}, core::CardChoice::least_left);
    planned.begin();
    CHECK(planned.capacity(0, shape) == 4);
    planned.put(0, shape, 3);
    CHECK(planned.capacity(0, shape) == 1);
    CHECK(planned.capacity(1, shape) == 4);
    CHECK(planned.is_touched(0));
    CHECK_FALSE(planned.is_touched(1));
    REQUIRE(planned.find(0) != nullptr);
    CHECK(planned.find(0)->plain[0] == 3000);
    CHECK(planned.left(0, shape, 0) == 1000);
    planned.clear();
    CHECK(planned.find(0) == nullptr);
    CHECK(planned.capacity(0, shape) == 4);
    CHECK(planned.touched().empty());
}

TEST_CASE("planned pods: an excluded node takes none") {
    core::Cluster cluster;
    for (const char* name : {"n1", "n2"}) cluster.upsert_node(build::node(name));
    const core::ShapeId shape = cluster.intern_shape(build::resources("1"), {});
    core::PlacementView view;
    core::PlannedPods planned(view);
    view.begin(
        cluster, core::View::free, {*cluster.nodes().find("n1")}, core::CardChoice::least_left);
    planned.begin();
    CHECK(planned.capacity(0, shape) == 0);
    CHECK(planned.capacity(1, shape) == 4);
    view.begin(cluster, core::View::free, {}, core::CardChoice::least_left);
    planned.begin();
    CHECK(planned.capacity(0, shape) == 4);
}
