#pragma once
// The capacities of all nodes that one placement works with: the cluster keeps them from question
// to question, and lends them until end().

#include "core/cluster/capacity_cache.hpp"
#include "core/placement/packing/placement_view.hpp"

#include <cstdint>
#include <vector>

namespace core {

class BorrowedCapacities {
public:
    /// The view outlives it.
    explicit BorrowedCapacities(const PlacementView& view) : view_(view) {}
    BorrowedCapacities(const BorrowedCapacities&) = delete;
    BorrowedCapacities& operator=(const BorrowedCapacities&) = delete;

    /// The shape's are kept from earlier questions, or now worth to be: they cost less than a look
    /// for the largest.
    bool is_known(ShapeId shape);
    /// Of every position, nothing being planned. What is set there is undone by end() at the
    /// latest.
    Capacities& of(ShapeId shape);
    /// Leaves them as they were found.
    void end();
    bool has_ended() const { return borrowed_.empty(); }

    /// Groups of 64 nodes that were looked into since it was made.
    std::uint64_t groups_scanned() const { return groups_scanned_; }

private:
    CapacityCache::Entry& borrow(ShapeId shape);
    void copy_from_unrestricted(ShapeId shape, Capacities& capacities);

    const PlacementView& view_;
    std::vector<CapacityCache::Entry*> borrowed_;
    std::uint64_t groups_scanned_ = 0;
};

}  // namespace core
