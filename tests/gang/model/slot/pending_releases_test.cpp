#include "gang/model/slot/pending_releases.hpp"

#include "tests/gang/builders.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

using gang::Application;
using tests::Known;

TEST_CASE("pending releases: room is free with the reservation that no longer names it") {
    Known known;
    known.add_node("n1", 8);
    Application& app = known.add_gang("d1", "n1", 1);
    gang::PendingReleases& releases = known.model.ledger.releases();
    const std::size_t before = known.model.cluster.allocations().count();
    releases.hold(app, "n1", tests::pod("p", 1'000, 100).requests, 2);
    releases.hold(app, "n1", tests::pod("p", 1'000, 100).requests, 3);
    CHECK(releases.size() == 2);
    CHECK(known.model.cluster.allocations().count() == before + 2);
    releases.finish(app, 2);
    CHECK(releases.size() == 1);
    releases.drop(app);
    CHECK(releases.size() == 0);
    CHECK(known.model.cluster.allocations().count() == before);
    CHECK_FALSE(app.pending_releases.is_made());
}

TEST_CASE("pending releases: a node that they alone make too full is not overcommitted") {
    Known known;
    known.add_node("n1", 4);
    Application& app = known.add_gang("d1", "n1", 2);  // three of four cores
    gang::PendingReleases& releases = known.model.ledger.releases();
    const core::NodeIndex node = *known.model.cluster.nodes().find("n1");
    const core::ShapeId shape = app.declared.shapes[0].id;
    releases.hold(app, "n1", tests::pod("p", 2'000, 100).requests, 2);
    CHECK_FALSE(releases.is_overcommitted_for(node, shape));
    known.model.ledger.add_open(app, 0, node, 2);
    CHECK(releases.is_overcommitted_for(node, shape));
}
