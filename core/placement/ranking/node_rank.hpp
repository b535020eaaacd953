#pragma once
// In which order nodes are chosen.

#include "core/cluster/free_capacity_index.hpp"

#include <compare>
#include <cstdint>

namespace core {

/// A node's place in the order: the smaller rank comes first. Compared member by member.
struct NodeRank {
    std::int64_t cost = 0;
    std::int64_t scarcity = 0;  ///< 1: better left to others (NodeTable::keeps_off_scarce())
    std::int64_t dislike = 0;   ///< how far it is from the best preference_score() there may be
    std::int64_t measure = 0;   ///< the policy's: a capacity, or the negative of one or of a score
    Position position = 0;      ///< by name
    friend auto operator<=>(const NodeRank&, const NodeRank&) = default;
};

}  // namespace core
