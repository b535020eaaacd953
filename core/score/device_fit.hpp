#pragma once
// Scores by the devices (GPUs) that a pod asks for: amounts, not percent, which
// beside other scores count up to 100. To a pod that asks for none all nodes are alike.

#include "core/score/node_load.hpp"

#include <cstdint>

namespace core {

/// Best fit: the fewer of them are left over after the pod, the better; 100 at best,
/// one less for each.
std::int64_t gpu_bestfit(const NodeLoad& load);

/// The more of them are handed out already, the better: best fit only where all nodes have equally
/// many, and toy-scheduler's picker.
std::int64_t most_requested(const NodeLoad& load);

/// How good the node's GPUs are by their metrics (core/cluster/device/gpu_score.hpp).
std::int64_t gpu_metrics(const NodeLoad& load);

}  // namespace core
