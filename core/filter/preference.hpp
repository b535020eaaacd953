#pragma once
// What a node has for and against a pod that may go there: raw counts, which core/score makes
// scores of. No preference ever excludes a node.

#include "core/value/constraints.hpp"
#include "core/value/node.hpp"

#include <cstdint>

namespace core {

struct Preference {
    std::int32_t taints = 0;  ///< with PreferNoSchedule that the pod does not tolerate
    std::int32_t weight = 0;  ///< of the preferred node affinity's terms that match, added up
    std::int32_t points = 0;  ///< by Constraints::points
    friend bool operator==(const Preference&, const Preference&) = default;
};

/// As the score plugins TaintToleration and NodeAffinity of kube-scheduler count before they
/// normalise.
Preference find_preference(const Node& node, const Constraints& constraints);

/// Has a taint with PreferNoSchedule.
bool is_better_avoided(const Node& node);

}  // namespace core
