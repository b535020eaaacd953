#include "gang/model/slot/slot_queries.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <optional>

using tests::Known;

TEST_CASE("slot queries: an executor gets a stored slot that is large enough, on an open node") {
    Known known;
    known.add_node("n1", 8);
    gang::Application& app = known.add_gang("d1", "n1", 2);
    gang::PodEntry& executor = known.add_executor("e1", app);
    const core::Cluster& cluster = known.model.cluster;
    std::optional<std::size_t> expected = 0;
    SUBCASE("as it is") {}
    SUBCASE("the first slot has moved, and that is not written") {
        app.slots[0].since = 1;
        expected = 1;
    }
    SUBCASE("it asks for more than its gang said") {
        executor.pod.requests.cpu_milli = 2'000;
        expected = std::nullopt;
    }
    SUBCASE("of another profile: better than none") {
        executor.profile = 7;
    }
    SUBCASE("the node is closed") {
        core::Node closed = tests::node("n1", 8, 65'536);
        closed.unschedulable = true;
        known.model.cluster_model.upsert_node(closed);
        expected = std::nullopt;
        CHECK_FALSE(gang::is_usable(cluster, app, app.slots[0]));
    }
    CHECK(gang::find_open_slot(cluster, app, {executor}) == expected);
}
