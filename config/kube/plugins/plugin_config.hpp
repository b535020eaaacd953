#pragma once
// `pluginConfig` of a KubeSchedulerConfiguration: the arguments of plugins.

#include "config/kube/notes.hpp"
#include "config/schema.hpp"

namespace config::kube {

/// Changes the profile's scores; call it after its plugins are known.
void read_plugin_config(const Tree& tree, Profile& profile, Notes& notes);

}  // namespace config::kube
