// How Packing chooses nodes for pods that prefer, or avoid, each other: each pod changes what is best
// for the next. Ranks without that are kept, and a node that gets a pod is ranked anew, so a pod
// costs one pass over the nodes.

#include "core/domain/domain_scores.hpp"
#include "core/placement/packing.hpp"
#include "core/score/preference_score.hpp"

#include <algorithm>
#include <bit>

namespace core {

/// What one point of each score counts in the order of nodes.
PodScore Packing::pod_weights() const {
    if (!is_weighted()) return pod_score_weights;
    PodScore weights;
    for (const WeightedScore& one : *scores_) {
        const auto of = score_of(one.score).of;
        if (of == inter_pod_affinity) weights.affinity += one.weight;
        if (of == pod_topology_spread) weights.spread += one.weight;
    }
    return weights;
}

void Packing::take_preferring(std::int64_t wanted, const Capacities& capacities) {
    candidates_.clear();
    capacities.for_each_block_from(1, [&](std::size_t block) {
        const std::int32_t* const of_block = capacities.of_block(block);
        for (std::uint64_t nodes = bits_from(of_block, 1); nodes != 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            const auto position = static_cast<Position>(block * block_size + i);
            candidates_.push_back({rank(position, of_block[i]), of_block[i], 0});
        }
        return true;
    });
    for (; wanted > 0 && !candidates_.empty(); --wanted) {
        Candidate& best = find_preferred();
        const Position position = best.rank.position;
        preferring_->place(position);
        ++best.placed;
        if (best.placed < best.capacity) {
            best.rank = rank(position, best.capacity - best.placed, best.placed);
            continue;
        }
        filled_.push_back({position, best.placed});
        best = candidates_.back();
        candidates_.pop_back();
        preferring_->close(position);
    }
    for (const Candidate& candidate : candidates_) {
        if (candidate.placed > 0) filled_.push_back({candidate.rank.position, candidate.placed});
    }
}

Packing::Candidate& Packing::find_preferred() {
    const PodScore weights = pod_weights();
    const PodScores& pods = preferring_->scores();
    nodes_ranked_ += candidates_.size();
    const auto rank_of = [&](const Candidate& candidate) {
        NodeRank rank = candidate.rank;
        const Position position = rank.position;
        std::int64_t liked = 0;
        if (!pods.affinity.empty()) liked += weights.affinity * pods.affinity[position];
        if (!pods.spread.empty()) liked += weights.spread * pods.spread[position];
        (is_weighted() ? rank.measure : rank.dislike) -= liked;
        return rank;
    };
    Candidate* best = &candidates_.front();
    NodeRank least = rank_of(*best);
    for (Candidate& candidate : candidates_) {
        const NodeRank rank = rank_of(candidate);
        if (rank < least) {
            least = rank;
            best = &candidate;
        }
    }
    return *best;
}

}  // namespace core
