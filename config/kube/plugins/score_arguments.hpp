#pragma once
// The lists `resources` and `shape`, which arguments of several scores have.

#include "config/kube/notes.hpp"
#include "core/score/weighted_score.hpp"

#include <vector>

namespace config::kube {

/// [{name, weight}]. A resource that no score here looks at is a warning.
void read_resources(const Tree& tree, std::vector<core::ResourceWeight>& out, Notes& notes);

/// [{utilization, score}]
void read_shape(const Tree& tree, std::vector<core::ShapePoint>& out, Notes& notes);

}  // namespace config::kube
