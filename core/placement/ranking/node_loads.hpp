#pragma once
// What each node has and what is taken there, as scores see it, for pods of one shape: the cluster's
// allocations, the planned pods, and those that are placed beside them.

#include "core/placement/packing/planned_pods.hpp"
#include "core/score/node_load.hpp"

#include <cstdint>
#include <vector>

namespace core {

class NodeLoads {
public:
    /// Both outlive it.
    NodeLoads(const PlacementView& view, const PlannedPods& planned)
        : view_(view), planned_(planned) {}

    /// Questions are about this shape from now on.
    void begin(ShapeId shape);

    /// When so many pods of the shape are there that are not planned yet. What is planned, or
    /// placed, fits there: none of the sums overflows.
    NodeLoad of(Position position, std::int64_t placed) const;
    /// Of one extended resource; where its units are on cards, of the card that the next pod would
    /// be on.
    Load of_extended(
        Position position, const ExtendedDemand& asked, std::int64_t placed) const;

private:
    Load of_card(Position position, const ExtendedDemand& asked, std::int64_t placed) const;
    Load of_devices(Position position, std::int64_t placed) const;

    const PlacementView& view_;
    const PlannedPods& planned_;
    const Demand* demand_ = nullptr;
    std::vector<ExtendedDemand> devices_;  ///< that the shape asks for
};

}  // namespace core
