#include "core/placement/packing/largest_first.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("largest first: the largest nodes, of equal ones the first by name, and few blocks") {
    core::Cluster cluster;
    for (int i = 0; i < 1000; ++i) {
        const bool is_large = i == 130 || i == 700 || i == 701;
        cluster.upsert_node(
            build::node("n" + std::to_string(1000 + i)).cpu(is_large ? 16 : 4));
    }
    const core::ShapeId shape = cluster.intern_shape(build::resources("1"), {});
    core::PlacementView view;
    core::PlannedPods planned(view);
    core::LargestFirst largest(view, planned);
    view.begin(cluster, core::View::free, {}, core::CardChoice::least_left);
    planned.begin();
    const auto found = largest.choose(shape, 20);
    REQUIRE(found.has_value());
    REQUIRE(found->size() == 2);
    CHECK((*found)[0] == core::PositionCount{130, 16});
    CHECK((*found)[1] == core::PositionCount{700, 4});
    CHECK(largest.groups_scanned() < 8);

    planned.put(130, shape, 14);
    const auto beside = largest.choose(shape, 20);
    REQUIRE(beside.has_value());
    REQUIRE(beside->size() == 2);
    CHECK((*beside)[0] == core::PositionCount{700, 16});
    CHECK((*beside)[1] == core::PositionCount{701, 4});
}
