#pragma once
// Reads `exec` of a kubeconfig's user. Included only from .cpp files, because yaml-cpp's types are
// in it.

#include "k8s/credentials/exec/plugin.hpp"

#include <yaml-cpp/yaml.h>

#include <string>

namespace k8s::kubeconfig {

/// The plugin without what a cluster has to do with it. Throws Refused. `command` as it stands.
ExecPlugin read_exec(const YAML::Node& exec);

/// `cluster` of a kubeconfig as plugins are told it, JSON: `ca_pem` is what its authority comes to,
/// and its extension for plugins is the member `config`.
std::string cluster_for_plugin(const YAML::Node& cluster, const std::string& ca_pem);

}  // namespace k8s::kubeconfig
