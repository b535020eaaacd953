#pragma once
// Pods at places: what a choice of nodes answers.

#include "core/cluster/free_capacity_index.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace core {

/// `count` pods of one shape at a position.
struct PositionCount {
    Position position = 0;
    std::int64_t count = 0;
    friend bool operator==(const PositionCount&, const PositionCount&) = default;
};

inline bool is_before(const PositionCount& a, const PositionCount& b) {
    return a.position < b.position;
}

inline void sort_by_position(std::vector<PositionCount>& counts) {
    if (std::is_sorted(counts.begin(), counts.end(), is_before)) return;
    std::sort(counts.begin(), counts.end(), is_before);
}

}  // namespace core
