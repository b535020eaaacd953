#pragma once
// The checks of a pod spec, and of what may change in one.

#include "k8s/embedded/admission/checks.hpp"

#include <string>

namespace k8s::embedded {

/// Of the spec of a pod ("spec") or of a template ("spec.template.spec"), defaults filled in.
void check_pod_spec(const Json& spec, const std::string& field, Checks& checks);

/// A NodeSelector, as the node affinity of a pod or a volume has it.
void check_node_selector(const Json& selector, const std::string& field, Checks& checks);

/// A stored pod's spec changes only in images, the deadline, added tolerations, removed gates.
void check_pod_update(const Json& stored_spec, const Json& spec, Checks& checks);

/// The containers of a list, at `field`. `init` says which list of the two.
void check_containers(const Json& spec, const std::string& field, bool init, Checks& checks);

}  // namespace k8s::embedded
