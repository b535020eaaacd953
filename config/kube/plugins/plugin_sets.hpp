#pragma once
// `plugins` of a KubeSchedulerConfiguration: what is enabled and disabled at each extension point,
// merged with the defaults as kube-scheduler merges it.

#include "config/kube/notes.hpp"
#include "config/schema.hpp"

namespace config::kube {

/// Gives the profile the filters and scores that the mapping leaves it.
void read_plugins(const Tree& tree, Profile& profile, Notes& notes);

/// True of a name that kube-scheduler has, or once had.
bool is_plugin(std::string_view name);

/// Complains about a name that nobody knows.
void complain_of_plugin(const Tree& name, Notes& notes);

}  // namespace config::kube
