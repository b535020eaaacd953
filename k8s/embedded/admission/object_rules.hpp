#pragma once
// Defaults and checks of the kinds that are not pods: services, namespaces, config maps, nodes,
// claims, workloads. Each function passes over the kinds it has no rule for.

#include "k8s/embedded/admission/checks.hpp"
#include "k8s/embedded/admission/defaults.hpp"
#include "k8s/embedded/store/kinds.hpp"

namespace k8s::embedded {

void default_other(const Kind& kind, Json& object, const Surroundings& around);
void check_other(const Kind& kind, const Json& object, Checks& checks);
void check_other_update(const Kind& kind, const Json& stored, const Json& object, Checks& checks);

/// Before an update of the status.
void check_other_status(const Kind& kind, const Json& object, Checks& checks);

}  // namespace k8s::embedded
