#pragma once
// The working state of one placement: the cluster's room less the pods of this gang that are
// planned already, and the ways to choose nodes for the next.
//
// choose() has the capacities of all nodes before it and chooses by any policy: by the level of
// capacity, or, where more than that counts, by the rank of each node. choose_largest() looks for
// the largest capacities without them.

#include "core/placement/packing/borrowed_capacities.hpp"
#include "core/placement/packing/largest_first.hpp"
#include "core/placement/packing/level_filling.hpp"
#include "core/placement/ranking/node_ranking.hpp"
#include "core/placement/packing/placement_view.hpp"
#include "core/placement/packing/planned_pods.hpp"
#include "core/placement/packing/ranked_filling.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

class DomainScores;

class Packing {
public:
    /// How nodes are chosen. What it points to outlives the question.
    struct Order {
        const ScoreOrder* scores = nullptr;  ///< weighted scores; nullptr: the policies decide
        /// Told of each pod, where the pods prefer or avoid each other; nullptr: they do not.
        DomainScores* preferring = nullptr;
        CardChoice card_choice = CardChoice::least_left;
    };
    /// The cluster must not change until end().
    void begin(
        const Cluster& cluster,
        View view,
        const std::vector<NodeIndex>& excluded,
        const Order& order);
    /// By policies from now on.
    void leave_scores() { ranking_.order_by(nullptr); }
    bool is_weighted() const { return ranking_.is_weighted(); }
    /// Leaves the kept capacities as they were found.
    void end() { capacities_.end(); }

    const PlacementView& view() const { return view_; }
    PlannedPods& planned() { return planned_; }
    const PlannedPods& planned() const { return planned_; }
    BorrowedCapacities& capacities() { return capacities_; }
    NodeRanking& ranking() { return ranking_; }

    /// Something else than capacities orders the nodes for this shape.
    bool is_ranked(ShapeId shape, PackingPolicy policy) const {
        return by_rank_.has_preferences() || ranking_.is_needed(shape, policy);
    }
    /// Chooses nodes for `wanted` pods by the policy, given the shape's capacities, whose sum
    /// suffices. The answer is in order of position and lives until the next call.
    std::span<const PositionCount> choose(
        ShapeId shape, std::int64_t wanted, const Capacities& capacities, PackingPolicy policy);
    /// The same for the policy fewest_nodes, see LargestFirst::choose().
    std::optional<std::span<const PositionCount>> choose_largest(
        ShapeId shape, std::int64_t wanted) {
        return largest_first_.choose(shape, wanted);
    }
    /// The very first node by rank, if it is found without a look at all of them.
    std::optional<Position> find_first(const Capacities& capacities) const;

    /// Blocks of nodes, and of blocks, that were looked into since the packing was made: for tests.
    std::uint64_t groups_scanned() const {
        return capacities_.groups_scanned() + largest_first_.groups_scanned();
    }
    /// Nodes of which a rank was computed, or compared.
    std::uint64_t nodes_ranked() const {
        return ranking_.nodes_ranked() + by_rank_.nodes_compared();
    }

private:
    void fill_by_cost(std::int64_t wanted, const Capacities& capacities);

    PlacementView view_;
    PlannedPods planned_{view_};
    BorrowedCapacities capacities_{view_};
    NodeRanking ranking_{view_, planned_};
    RankedFilling by_rank_{ranking_};
    LevelFilling by_level_{ranking_, by_rank_};
    LargestFirst largest_first_{view_, planned_};
    std::vector<PositionCount> chosen_;  ///< by rank, or by cost
    std::optional<Capacities> at_cost_;  ///< of the nodes that cost the same
};

}  // namespace core
