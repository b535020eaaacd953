#pragma once
// The working state of one placement: the cluster's room less the pods of this gang that are
// planned already. An overlay of the few nodes touched, so that any view can be tried without
// changing the cluster. Nodes are named by position in the order of their names.

#include "core/capacity.hpp"
#include "core/cluster.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

using Position = std::uint32_t;

/// `count` pods of one shape at a position.
struct PositionCount {
    Position position = 0;
    std::int64_t count = 0;
};

class Packing {
public:
    /// The cluster must not change until the next begin().
    void begin(const Cluster& cluster, View view, const std::vector<NodeIndex>& excluded);

    /// Forgets the planned pods.
    void clear();
    /// Plans pods there; the caller knows that they fit.
    void put(Position position, ShapeId shape, std::int64_t count);

    /// 0 where the shape's constraints, or the request, rule the node out.
    std::int64_t capacity(Position position, ShapeId shape) const;
    /// The same after one pod of `other`, while nothing is planned; `other` must fit there, and the
    /// shape be eligible.
    std::int64_t capacity_beside(Position position, ShapeId shape, ShapeId other) const;
    /// capacity() of every position; returns the sum.
    Wide scan(ShapeId shape, std::vector<std::int64_t>& capacities) const;

    /// Chooses the cheapest nodes, of equal ones the tightest, for `wanted` pods, given capacities whose sum suffices, and plans
    /// them. The answer is in order of position and lives until the next call.
    std::span<const PositionCount> fill(
        ShapeId shape, std::int64_t wanted, const std::vector<std::int64_t>& capacities);

    /// Where something is planned.
    std::span<const Position> touched() const { return touched_; }

    const Cluster& cluster() const { return *cluster_; }
    NodeIndex node_at(Position position) const { return order_[position]; }
    std::int64_t cost_at(Position position) const { return cluster_->node(order_[position]).cost; }
    std::size_t size() const { return order_.size(); }
    bool is_excluded(Position position) const { return excluded_.test(order_[position]); }

    /// Resources are numbered: 0 cpu, 1 memory, 2 ephemeral storage, 3 pods, then the demand's
    /// extended ones in its order.
    static constexpr std::size_t plain_resources = 4;
    std::size_t resource_count(ShapeId shape) const;
    std::string_view resource_name(ShapeId shape, std::size_t resource) const;
    /// How often this resource alone allows the shape at the position.
    std::int64_t times(Position position, ShapeId shape, std::size_t resource) const;

private:
    /// What the planned pods take at one position.
    struct Planned {
        std::array<std::int64_t, plain_resources> plain = {};
        std::vector<ExtendedDemand> extended;
    };
    static constexpr std::uint32_t nothing_planned = UINT32_MAX;
    static constexpr std::size_t small_capacities = 1024;

    std::int64_t left(Position position, const Demand& demand, std::size_t resource) const;
    Planned& planned_at(Position position);
    void take_cheapest(std::int64_t wanted, const std::vector<std::int64_t>& capacities);
    std::int64_t choose_level(std::int64_t wanted, const std::vector<std::int64_t>& capacities);
    void take_up_to_level(
        std::int64_t level, std::int64_t wanted, const std::vector<std::int64_t>& capacities);
    void take_large(std::int64_t wanted, const std::vector<std::int64_t>& capacities);

    const Cluster* cluster_ = nullptr;
    std::span<const NodeIndex> order_;
    std::optional<RoomView> room_;
    NodeBitmap excluded_;
    bool has_excluded_ = false;
    std::vector<std::uint32_t> planned_index_;  ///< by position, into planned_
    std::vector<Planned> planned_;              ///< the first planned_used_ are in use
    std::vector<Position> touched_;             ///< parallel to planned_
    std::vector<PositionCount> filled_;
    std::vector<Position> large_;  ///< positions that are sorted: capacities without a bucket
    std::array<std::int64_t, small_capacities> buckets_ = {};
};

}  // namespace core
