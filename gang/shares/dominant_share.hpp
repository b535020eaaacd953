#pragma once
// How much of the cluster a queue has beyond what it is guaranteed, in the resource of which it has
// most, by its weight: a fraction, compared exactly by cross multiplication.

#include "gang/shares/amounts.hpp"
#include "gang/shares/queue_tree.hpp"

#include <cstdint>

namespace gang {

struct DominantShare {
    /// Something is guaranteed to it, and it holds less of each guaranteed resource than that.
    bool is_below_guarantee = false;
    std::uint64_t above = 0;   ///< of the dominant resource, beyond the guarantee
    std::uint64_t total = 1;   ///< of that resource, on all nodes; > 0
    std::uint64_t weight = 1;  ///< below 2^32
    friend bool operator==(const DominantShare&, const DominantShare&) = default;
};

/// Of a resource that no node has, everything is had by whoever has any.
DominantShare share_of(const QueueNode& queue, const Amounts& held, const Amounts& totals);

/// Of one who is guaranteed nothing, with a weight of 1.
DominantShare share_of(const Amounts& held, const Amounts& totals);

/// Negative: `a` goes first; 0: both are equal.
int compare(const DominantShare& a, const DominantShare& b);

/// In millionths, rounded down, for people; not bounded by 1'000'000 where weights are not.
std::int64_t millionths(const DominantShare& share);

}  // namespace gang
