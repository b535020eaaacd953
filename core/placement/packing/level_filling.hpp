#pragma once
// The choice of nodes by nothing but their capacities, without sorting. A policy that begins with
// the smallest capacities uses nodes up to some level: below it all of them, at it as many as are
// needed, the first by name. One that begins with the largest, the same from above.

#include "core/cluster/capacities.hpp"
#include "core/placement/packing/position_count.hpp"
#include "core/placement/packing/ranked_filling.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace core {

class LevelFilling {
public:
    /// Both outlive it. The few nodes with large capacities are taken by rank.
    LevelFilling(NodeRanking& ranking, RankedFilling& by_rank)
        : ranking_(ranking), by_rank_(by_rank) {}

    /// Nodes for `wanted` pods by the policy, which is tightest or fewest_nodes; there is room for
    /// all of them. In order of position; the answer lives until the next call.
    const std::vector<PositionCount>& fill(
        std::int64_t wanted, const Capacities& capacities, ShapeId shape, PackingPolicy policy);

private:
    static constexpr std::int32_t small_capacities = 512;
    /// Nodes before this capacity are used in full, of those at it for so many pods.
    struct Level {
        std::int32_t capacity = 0;
        std::int64_t wanted = 0;
    };

    bool take_by_level(std::int64_t wanted, const Capacities& capacities, PackingPolicy policy);
    std::int64_t take_at(
        std::int32_t level,
        std::int64_t wanted,
        const Capacities& capacities,
        PackingPolicy policy);
    void merge_filled(std::size_t sorted);
    std::int64_t take_node(Position position, std::int64_t capacity, Level& level);
    Level find_level_up(std::int64_t wanted, const Capacities& capacities);
    Level find_level_down(std::int64_t wanted, const Capacities& capacities);
    std::int64_t take_up_to(Level level, std::int64_t wanted, const Capacities& capacities);
    void take_from(Level level, std::int64_t wanted, const Capacities& capacities);

    NodeRanking& ranking_;
    RankedFilling& by_rank_;
    std::vector<PositionCount> filled_;
    std::vector<PositionCount> merged_;  ///< what filled_ becomes
    std::array<std::uint32_t, small_capacities> buckets_ = {};
};

}  // namespace core
