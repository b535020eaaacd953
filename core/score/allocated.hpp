#pragma once
// Scores by how full a node is: kube-scheduler's strategies of NodeResourcesFit, for CPU and memory
// with weight 1 each, which is its default, or for the resources that the score is told.

#include "core/score/node_load.hpp"

#include <cstdint>
#include <span>

namespace core {

/// LeastAllocated, 0 to 100: per resource (allocatable - requested) * 100 / allocatable, the pod
/// counted, 0 if that is too much; the weighted mean of those that the node has.
std::int64_t least_allocated(const NodeLoad& load);

/// MostAllocated, 0 to 100: per resource requested * 100 / allocatable, the pod counted, 100 if
/// that is too much; the weighted mean of those that the node has.
std::int64_t most_allocated(const NodeLoad& load);

/// Volcano's binpack, 0 to 100: as MostAllocated, of the resources that the pod asks for.
std::int64_t binpack(const NodeLoad& load);

/// RequestedToCapacityRatio, 0 to 100, of one resource with the pod counted: linear between the
/// points of the shape, of which there is one at least, and level before and behind them. What is
/// overfull counts as full.
std::int64_t requested_to_capacity_ratio(const Load& load, std::span<const ShapePoint> shape);

/// The same of all resources by ScoreContext::shape: the weighted mean of the scores that are not
/// 0.
std::int64_t requested_to_capacity_ratio(const NodeLoad& load);

}  // namespace core
