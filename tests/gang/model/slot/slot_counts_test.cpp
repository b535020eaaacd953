#include "gang/model/slot/slot_counts.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using gang::SlotState;

TEST_CASE("slot counts: no slot before the noted one is open, and whose are is known") {
    const core::Cluster cluster;
    gang::SlotCounts counts(cluster);
    gang::Application app;
    app.uid = "d1";
    app.slots.resize(4);
    gang::SlotCounts::add_unplaced(app, 4);
    CHECK(counts.unfilled().empty());
    for (const std::size_t slot : {3U, 1U, 2U}) {
        counts.set_state(app, app.slots[slot], SlotState::open);
    }
    CHECK(counts.unfilled() == std::set<gang::Rank>{app.rank()});
    CHECK(app.count(SlotState::open) == 3);
    CHECK(app.count(SlotState::unplaced) == 1);
    for (const std::size_t slot : {1U, 2U, 3U}) {
        counts.set_state(app, app.slots[slot], SlotState::bound);
    }
    CHECK(app.open_from == 4);
    CHECK(counts.unfilled().empty());
    counts.set_state(app, app.slots[3], SlotState::open);
    counts.set_state(app, app.slots[1], SlotState::open);
    CHECK(app.open_from == 1);
    counts.set_state(app, app.slots[1], SlotState::bound);
    CHECK(app.open_from == 3);
}

TEST_CASE("slot counts: only the CPU of open slots with room is counted") {
    core::Cluster cluster;
    cluster.upsert_node(tests::node("n1", 8, 8'192));
    gang::SlotCounts counts(cluster);
    gang::Slot slot;
    slot.state = SlotState::open;
    counts.add_room(slot);
    CHECK(counts.open_milli() == 0);
    slot.allocation = cluster.allocations().allocate(
        cluster.node_or_placeholder("n1"),
        tests::pod("p", 1'500, 100).requests,
        core::UsedBy::gang);
    slot.state = SlotState::bound;
    counts.add_room(slot);
    CHECK(counts.open_milli() == 0);
    slot.state = SlotState::open;
    counts.add_room(slot);
    CHECK(counts.open_milli() == 1'500);
    counts.remove_room(slot);
    CHECK(counts.open_milli() == 0);
}
