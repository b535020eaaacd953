#pragma once
// The slots that one gang has on one node, by size, and how many of its pods sit in them.

#include "gang/sim/checkers/capacity/amount.hpp"

#include <cstdint>
#include <vector>

namespace gang::sim {

/// A gang's slots of one size on one node and how many of its pods sit in them.
struct SizedSlots {
    std::int64_t slots = 0;
    std::int64_t assigned = 0;
    Amount unit;
    std::int64_t open() const { return slots > assigned ? slots - assigned : 0; }
};

/// All of them there. Of a gang with one size every pod is of it, whatever its own is.
struct NodeSlots {
    std::vector<SizedSlots> sizes;

    /// Those that a pod of this size sits in.
    SizedSlots& of(const Amount& size);
    /// The same of one that comes: where none of its size is open, it has one that it fits into, or
    /// else any.
    SizedSlots& open_for(const Amount& size);
    /// That the reservation names.
    std::int64_t named() const;
    std::int64_t open() const;
    /// What the open ones keep.
    Amount room() const;
};

}  // namespace gang::sim
