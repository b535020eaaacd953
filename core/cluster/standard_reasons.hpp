#pragma once
// Why no node takes a pod, in kube-scheduler's words (1.37) and by its way of counting: for each
// node the first plugin that fails it, in the order NodeUnschedulable, TaintToleration,
// NodeAffinity, NodePorts, NodeResourcesFit, VolumeRestrictions, NodeVolumeLimits, and then those
// that the caller has asked; of NodeResourcesFit, every resource that is short there.

#include "core/base/ids.hpp"
#include "core/cluster/cluster.hpp"

#include <span>
#include <string>
#include <string_view>

namespace core {

/// "0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient cpu." Counted reasons are
/// sorted as texts, as there. Looks at every node. `further`: by position what else keeps the pod
/// off, empty texts where nothing does; or nothing at all.
std::string describe_as_kube_scheduler(
    const Cluster& cluster,
    ShapeId shape,
    View view,
    std::span<const std::string_view> further = {});

}  // namespace core
