#include "core/cluster/allocation/allocation_table.hpp"

#include <doctest/doctest.h>

TEST_CASE("allocation table: what was done last is taken back exactly") {
    core::AllocationTable table;
    const core::AllocationId first = table.add({{0}, {1}, 2, core::UsedBy::gang});
    table.add({{1}, {1}, 1, core::UsedBy::gang});
    const core::AllocationTable before = table;

    const core::Allocation taken = table.take(first);
    CHECK(taken.count == 2);
    CHECK(table.count() == 1);
    const core::AllocationId again = table.add({{5}, {6}, 1, core::UsedBy::other_scheduler});
    CHECK(again == first);
    CHECK(table[again].node.value == 5);
    table.undo_add(again, false);
    table.undo_take(first, taken);
    CHECK(table == before);

    const std::size_t numbers = table.size();
    const core::AllocationId added = table.add({{2}, {1}, 1, core::UsedBy::gang});
    CHECK(table.size() > numbers);
    table.undo_add(added, true);
    CHECK(table == before);
}
