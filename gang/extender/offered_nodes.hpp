#pragma once
// Nodes that kube-scheduler offers for a pod: a part of the cluster's, or those that its own
// filters leave.

#include "core/value/constraints.hpp"

#include <string>
#include <vector>

namespace gang {

/// The same pod, which may go to these nodes alone.
core::Constraints among(core::Constraints constraints, std::vector<std::string> nodes);

}  // namespace gang
