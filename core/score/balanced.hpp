#pragma once
// kube-scheduler's NodeResourcesBalancedAllocation, for CPU and memory: pods go where both are used
// by about the same share.

#include "core/score/node_load.hpp"

#include <cstdint>

namespace core {

/// (1 - half the distance of the two shares) * 100, each share at most 1: 50 to 100; 100 where the
/// node lacks one of the two. The score of the releases before 1.36 if the pod is counted. Exact,
/// then rounded down, where kube-scheduler computes in floating point.
std::int64_t balance(const Used& cpu, const Used& memory);

/// The score since 1.36, 0 to 100, by what the pod changes: 50 + (50 + after - before) / 2, so 75
/// where it changes nothing.
std::int64_t balanced_change(std::int64_t after, std::int64_t before);
std::int64_t balanced_allocation(const NodeLoad& load);

}  // namespace core
