#pragma once
// The choice of the largest capacities without a look at all nodes: blocks are opened in the order
// of their bounds, and no more of them than are needed.

#include "core/cluster/scan.hpp"
#include "core/placement/packing/planned_pods.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

class LargestFirst {
public:
    /// Both outlive it.
    LargestFirst(const PlacementView& view, const PlannedPods& planned)
        : view_(view), planned_(planned) {}

    /// Nodes for as many of `wanted` pods as there is room for, in order of position, by the policy
    /// fewest_nodes, where nodes have no costs. Nothing: so many blocks had to be opened that a
    /// scan is cheaper. The answer lives until the next call.
    std::optional<std::span<const PositionCount>> choose(ShapeId shape, std::int64_t wanted);

    /// Blocks of nodes, and of blocks, that were looked into since it was made.
    std::uint64_t groups_scanned() const { return groups_scanned_; }

private:
    /// A shape as it is looked up over and over.
    struct Wanted {
        ShapeId shape;
        ScanSource source;
        ScanDemand demand;
    };
    /// 64 rows, blocks or regions on the way to the largest capacity.
    struct Group {
        std::uint8_t level = 0;
        std::uint32_t number = 0;      ///< among the groups of its level
        std::int32_t best = 0;         ///< the largest of what is left
        std::uint32_t best_child = 0;  ///< the first that has it
        std::array<std::int32_t, block_size> capacities;

        void find_best();
        /// Of its best child: the first node's position.
        std::uint64_t best_position() const;
    };

    void scan(const Wanted& wanted, Group& group);
    void scan_nodes(const Wanted& wanted, std::size_t block, std::int32_t* capacities) const;
    void open(const Wanted& wanted, std::size_t level, std::size_t number);
    std::int64_t take_best(Group& group, std::int64_t wanted);
    bool is_behind(std::uint32_t a, std::uint32_t b) const;
    void push(std::uint32_t index);
    std::uint32_t pop();

    const PlacementView& view_;
    const PlannedPods& planned_;
    std::vector<PositionCount> chosen_;
    std::vector<Group> groups_;
    std::size_t groups_used_ = 0;
    std::vector<std::uint32_t> heap_;  ///< of groups_, the largest best first
    std::uint64_t groups_scanned_ = 0;
};

}  // namespace core
