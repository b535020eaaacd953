#pragma once
// The choice of nodes where more counts than capacities: every node gets a rank, and the first by
// rank is taken. The nodes are those that would be chosen pod by pod.

#include "core/cluster/capacities.hpp"
#include "core/placement/ranking/node_ranking.hpp"
#include "core/placement/packing/position_count.hpp"

#include <cstdint>
#include <vector>

namespace core {

class DomainScores;

class RankedFilling {
public:
    /// The ranking outlives it, and has begun with the shape that is placed.
    explicit RankedFilling(NodeRanking& ranking) : ranking_(ranking) {}

    /// The pods prefer, or avoid, each other: they are placed one by one, and `scores` are told of
    /// each. nullptr: they do not.
    void prefer_by(DomainScores* scores) { preferring_ = scores; }
    bool has_preferences() const { return preferring_ != nullptr; }

    /// Adds to `chosen`, in no order, of nodes with at least this capacity; answers how many pods
    /// are left over. O(nodes + pods log nodes); pods that prefer each other cost a look at every
    /// node each.
    std::int64_t take(
        std::int32_t least,
        std::int64_t wanted,
        const Capacities& capacities,
        std::vector<PositionCount>& chosen);

    /// Nodes that were compared, for pods that prefer each other, since it was made.
    std::uint64_t nodes_compared() const { return nodes_compared_; }

private:
    /// A node that may get pods, or has got some.
    struct Candidate {
        NodeRank rank;
        std::int64_t capacity = 0;
        std::int64_t placed = 0;
    };
    void rank_all(std::int32_t least, const Capacities& capacities);
    std::int64_t take_by_rank(std::int64_t wanted, std::vector<PositionCount>& chosen);
    std::int64_t take_preferred(std::int64_t wanted, std::vector<PositionCount>& chosen);
    Candidate& find_preferred();

    NodeRanking& ranking_;
    DomainScores* preferring_ = nullptr;
    std::vector<Candidate> candidates_;
    std::uint64_t nodes_compared_ = 0;
};

}  // namespace core
