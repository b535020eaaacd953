#pragma once
// Why nodes are out for pods of one class, and what speaks for and against the others. Both are kept
// until a node changes.

#include "core/cluster/shape/classes.hpp"
#include "core/cluster/cluster.hpp"

#include <vector>

namespace core {

/// Why nodes are not eligible, as counted texts sorted by count (descending), then text.
std::vector<ReasonCount> find_exclusions(const Cluster& cluster, ClassId constraint_class);

/// nullptr: to pods of this class the nodes that they may go to are all alike. Counted only if nodes
/// have soft taints, or the class has wishes.
const Preferences* find_preferences(const Cluster& cluster, ClassId constraint_class);

}  // namespace core
