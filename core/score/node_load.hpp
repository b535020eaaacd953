#pragma once
// One node as scores see it: of each resource what it has, what is taken, and what the pod asks
// that is to be placed. Amounts are sums of requests: kube-scheduler's scores count 100m CPU and
// 200Mi memory for a container that requests nothing (GetNonzeroRequests), which is not kept of
// pods here, so that such pods count as nothing.

#include "core/filter/preference.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace core {

/// One resource of one node, in the resource's own unit; nothing is negative.
struct Load {
    std::int64_t allocatable = 0;
    std::int64_t requested = 0;  ///< by the pods that are there, or planned there
    std::int64_t asked = 0;      ///< by the pod that is to be placed

    /// With the pod; clamped at 2^63-1.
    std::int64_t after() const {
        std::int64_t sum = 0;
        const bool overflows = __builtin_add_overflow(requested, asked, &sum);
        return overflows ? std::numeric_limits<std::int64_t>::max() : sum;
    }
};

/// One of the resources that a score is to look at.
struct WeightedLoad {
    Load load;
    std::int64_t weight = 1;
};

/// Where a line of RequestedToCapacityRatio bends.
struct ShapePoint {
    std::int64_t utilization = 0;  ///< percent, rising from point to point
    std::int64_t score = 0;        ///< 0 to 100
    friend bool operator==(const ShapePoint&, const ShapePoint&) = default;
};

/// What the pods that are there make of the node, each 0 to 100.
struct PodScore {
    std::int64_t affinity = 0;
    std::int64_t spread = 0;
};

/// What a weighted score is told beside the load.
struct ScoreContext {
    Preference preference;
    Preference most;  ///< of each, on any node that the pod may go to
    PodScore pods;
    std::int64_t images = 0;  ///< what is there of the pod's images, 0 to 100
    /// Nothing: CPU and memory, which weigh the same.
    std::optional<std::span<const WeightedLoad>> resources;
    std::span<const ShapePoint> shape;
};
inline constexpr ScoreContext no_context;

struct NodeLoad {
    Load cpu;
    Load memory;
    Load devices;  ///< the extended resources that the pod asks for, added up
    /// By the metrics of its GPUs, 0 to 100; 0 for pods without a wish of them.
    std::int64_t gpu_score = 0;
    const ScoreContext* context = &no_context;  ///< packings have none
};

/// How much of a resource is used, for formulas that multiply: 100 times either number fits in 64
/// bits.
struct Used {
    std::int64_t part = 0;  ///< more than the whole: too much, and no matter how much
    std::int64_t whole = 0;
};

/// Past 2^56 both are divided by 128.
inline Used used(std::int64_t part, std::int64_t whole) {
    constexpr std::int64_t exact_max = std::int64_t{1} << 56;
    if (whole <= exact_max) return {std::min(part, whole + 1), whole};
    return {part / 128, whole / 128};
}

/// The best that a node gets from one of kube-scheduler's scores; the least is 0.
inline constexpr std::int64_t score_max = 100;

}  // namespace core
