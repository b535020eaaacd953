#include "core/placement/packing/borrowed_capacities.hpp"

namespace core {

CapacityCache::Entry& BorrowedCapacities::borrow(ShapeId shape) {
    for (CapacityCache::Entry* entry : borrowed_) {
        if (entry->shape == shape) return *entry;
    }
    CapacityCache::Entry& entry =
        view_.cluster().capacity_cache().ask(shape, view_.view(), view_.demand(shape));
    entry.is_lent = true;
    borrowed_.push_back(&entry);
    return entry;
}

void BorrowedCapacities::end() {
    for (CapacityCache::Entry* entry : borrowed_) {
        entry->capacities.undo(0);
        entry->is_lent = false;
    }
    borrowed_.clear();
}

/// In the free room, gangs of one shape come again and again: the second question shows it. The
/// other views are asked once for many, and a look for the largest is quick where there is room.
bool BorrowedCapacities::is_known(ShapeId shape) {
    if (view_.view() != View::free) {
        const CapacityCache::Entry* const kept =
            view_.cluster().capacity_cache().find(shape, view_.view());
        return kept != nullptr && kept->capacities.is_built();
    }
    const CapacityCache::Entry& entry = borrow(shape);
    return entry.capacities.is_built() || entry.questions > 1;
}

/// Quicker than a scan, where the shape that was restricted has its capacities.
void BorrowedCapacities::copy_from_unrestricted(ShapeId shape, Capacities& capacities) {
    const auto whole = view_.cluster().shapes().find_unrestricted(shape);
    if (!whole) return;
    const CapacityCache::Entry* const kept =
        view_.cluster().capacity_cache().find(*whole, view_.view());
    if (kept == nullptr || !kept->capacities.is_built()) return;
    Capacities& of_whole = borrow(*whole).capacities;
    if (of_whole.set_count() > 0) return;
    groups_scanned_ += of_whole.refresh(view_.source(*whole));
    capacities.copy_some(of_whole, view_.eligible(shape));
}

Capacities& BorrowedCapacities::of(ShapeId shape) {
    Capacities& capacities = borrow(shape).capacities;
    if (capacities.set_count() > 0)
        return capacities;  // it is up to date, and set for this question
    if (!capacities.is_built()) copy_from_unrestricted(shape, capacities);
    // All nodes are to be looked at: that is worth a column.
    if (!capacities.is_built()) view_.cluster().room().know_devices(view_.demand(shape), view_.view());
    groups_scanned_ += capacities.refresh(view_.source(shape));
    for (const Position position : view_.excluded()) capacities.set(position, 0);
    return capacities;
}

}  // namespace core
