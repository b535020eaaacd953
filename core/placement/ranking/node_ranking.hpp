#pragma once
// The rank of a node for pods of one shape: what it costs, whether it is scarce, what speaks for and
// against it, and then what the policy, or a profile's weighted scores, make of it.

#include "core/cluster/shape/classes.hpp"
#include "core/placement/ranking/node_loads.hpp"
#include "core/placement/ranking/node_rank.hpp"
#include "core/placement/ranking/score_weighing.hpp"
#include "core/placement/packing_policy.hpp"

#include <cstdint>

namespace core {

class NodeRanking {
public:
    /// Both outlive it.
    NodeRanking(const PlacementView& view, const PlannedPods& planned)
        : view_(view), loads_(view, planned), weighing_(loads_) {}
    NodeRanking(const NodeRanking&) = delete;
    NodeRanking& operator=(const NodeRanking&) = delete;

    /// By these scores instead of by policies; nullptr: by policies. They must outlive the question.
    void order_by(const ScoreOrder* scores) { weighing_.order_by(scores); }
    bool is_weighted() const { return weighing_.is_on(); }
    /// Something else than capacities orders the nodes for this shape: costs, what it likes or
    /// avoids, or a score.
    bool is_needed(ShapeId shape, PackingPolicy policy) const;

    /// rank() is about this shape and this policy from now on, until the view begins anew at the
    /// latest.
    void begin(ShapeId shape, PackingPolicy policy);
    ShapeId shape() const { return shape_; }
    PackingPolicy policy() const { return policy_; }
    /// Of a node that takes so many, when so many are there already that are not planned yet.
    NodeRank rank(Position position, std::int64_t capacity, std::int64_t placed = 0);
    /// The best node stays the best until it is full.
    bool stays_best() const { return stays_best_; }
    /// Nothing but costs comes before the policy, and the cheapest nodes can be told by levels.
    bool is_by_cost() const;
    /// What one point of the pods' own scores counts in the order of nodes.
    PodScore pod_weights() const;

    /// Nodes of which a rank was computed since it was made.
    std::uint64_t nodes_ranked() const { return nodes_ranked_; }

private:
    PodScore pod_score(Position position) const;
    std::int64_t weighted_score(Position position, std::int64_t placed);

    const PlacementView& view_;
    NodeLoads loads_;
    ScoreWeighing weighing_;
    ShapeId shape_;
    PackingPolicy policy_ = PackingPolicy::tightest;
    const Score* score_ = nullptr;  ///< nullptr: by capacity, or by weighted scores
    const Preferences* preferences_ = nullptr;
    const PodScores* pod_scores_ = nullptr;
    bool stays_best_ = true;
    bool has_costs_ = false;
    bool keeps_off_scarce_ = false;
    std::uint64_t nodes_ranked_ = 0;
};

}  // namespace core
