#pragma once
// What must be free in the cluster, all nodes together, when a pod group starts: its object's
// minResources. Those who make a group for pods that do not exist yet say it so.

#include "core/cluster/cluster.hpp"
#include "core/value/resources.hpp"

namespace gang {

/// Of the resources that are wanted, what nodes have that take pods, above the headroom, in this
/// view. Looks at every node.
core::Resources sum_of_nodes(
    const core::Cluster& cluster, const core::Resources& wanted, core::View view);

/// Each amount that is wanted is there.
bool covers(const core::Resources& there, const core::Resources& wanted);

}  // namespace gang
