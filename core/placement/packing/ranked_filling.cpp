// By rank, a heap has the first node on top. A node that stays the best is filled in one go; else it
// gets one pod, its rank is computed anew, and it goes back into the heap.
//
// Pods that prefer, or avoid, each other change with each pod what is best for the next. Ranks
// without that are kept, and a node that gets a pod is ranked anew, so a pod costs one pass over the
// nodes.

#include "core/placement/packing/ranked_filling.hpp"

#include "core/domain/score/domain_scores.hpp"

#include <algorithm>
#include <bit>

namespace core {

void RankedFilling::rank_all(std::int32_t least, const Capacities& capacities) {
    candidates_.clear();
    capacities.for_each_block_from(least, [&](std::size_t block) {
        const std::int32_t* const of_block = capacities.of_block(block);
        for (std::uint64_t nodes = bits_from(of_block, least); nodes != 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            const auto position = static_cast<Position>(block * block_size + i);
            candidates_.push_back({ranking_.rank(position, of_block[i]), of_block[i], 0});
        }
        return true;
    });
}

std::int64_t RankedFilling::take(
    std::int32_t least,
    std::int64_t wanted,
    const Capacities& capacities,
    std::vector<PositionCount>& chosen) {
    rank_all(least, capacities);
    const std::int64_t left =
        has_preferences() ? take_preferred(wanted, chosen) : take_by_rank(wanted, chosen);
    for (const Candidate& candidate : candidates_) {
        if (candidate.placed > 0) chosen.push_back({candidate.rank.position, candidate.placed});
    }
    return left;
}

std::int64_t RankedFilling::take_by_rank(std::int64_t wanted, std::vector<PositionCount>& chosen) {
    const auto is_behind = [](const Candidate& a, const Candidate& b) { return b.rank < a.rank; };
    std::make_heap(candidates_.begin(), candidates_.end(), is_behind);
    while (wanted > 0 && !candidates_.empty()) {
        std::pop_heap(candidates_.begin(), candidates_.end(), is_behind);
        Candidate& best = candidates_.back();
        const std::int64_t count = ranking_.stays_best() ? std::min(wanted, best.capacity) : 1;
        wanted -= count;
        best.placed += count;
        if (best.placed == best.capacity || wanted == 0) {
            chosen.push_back({best.rank.position, best.placed});
            candidates_.pop_back();
            continue;
        }
        best.rank = ranking_.rank(best.rank.position, best.capacity, best.placed);
        std::push_heap(candidates_.begin(), candidates_.end(), is_behind);
    }
    return wanted;
}

std::int64_t RankedFilling::take_preferred(
    std::int64_t wanted, std::vector<PositionCount>& chosen) {
    for (; wanted > 0 && !candidates_.empty(); --wanted) {
        Candidate& best = find_preferred();
        const Position position = best.rank.position;
        preferring_->place(position);
        ++best.placed;
        if (best.placed < best.capacity) {
            best.rank = ranking_.rank(position, best.capacity - best.placed, best.placed);
            continue;
        }
        chosen.push_back({position, best.placed});
        best = candidates_.back();
        candidates_.pop_back();
        preferring_->close(position);
    }
    return wanted;
}

/// The best as the pods are now.
RankedFilling::Candidate& RankedFilling::find_preferred() {
    const PodScore weights = ranking_.pod_weights();
    const PodScores& pods = preferring_->scores();
    nodes_compared_ += candidates_.size();
    const auto rank_of = [&](const Candidate& candidate) {
        NodeRank rank = candidate.rank;
        const Position position = rank.position;
        std::int64_t liked = 0;
        if (!pods.affinity.empty()) liked += weights.affinity * pods.affinity[position];
        if (!pods.spread.empty()) liked += weights.spread * pods.spread[position];
        (ranking_.is_weighted() ? rank.measure : rank.dislike) -= liked;
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
