#pragma once
// kube-scheduler's TaintToleration and NodeAffinity, InterPodAffinity and PodTopologySpread: what
// speaks against a node, and for it.

#include "core/filter/preference.hpp"
#include "core/score/node_load.hpp"

#include <cstdint>

namespace core {

/// 100 - 100 * taints / most, and 100 where no node has any.
std::int64_t taint_toleration(std::int32_t taints, std::int32_t most);

/// 100 * weight / most, and 0 where no node has any.
std::int64_t node_affinity(std::int32_t weight, std::int32_t most);

/// The same of a node that may be compared.
std::int64_t taint_toleration(const NodeLoad& node);
std::int64_t node_affinity(const NodeLoad& node);

/// How much of the pod's images is there (core/cluster/image).
std::int64_t image_locality(const NodeLoad& node);

/// What core/domain has made of the pods that are there.
std::int64_t inter_pod_affinity(const NodeLoad& node);
std::int64_t pod_topology_spread(const NodeLoad& node);

/// What a point of each counts in preference_score().
inline constexpr PodScore pod_score_weights{2, 2};

/// All of them with kube-scheduler's weights, 3 for taints and 2 for each other: 0 to 900.
std::int64_t preference_score(
    const Preference& preference, const Preference& most, const PodScore& pods);

}  // namespace core
