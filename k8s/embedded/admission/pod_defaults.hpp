#pragma once
// What the real server fills into a pod spec that its author left out.

#include "k8s/embedded/store/json_value.hpp"

namespace k8s::embedded {

/// The defaults of the API types (kubernetes pkg/apis/core/v1/defaults.go): for pods and templates.
void default_pod_spec(Json& spec);

/// What the admission plugins ServiceAccount and DefaultTolerationSeconds add: for pods only.
void default_pod_account(Json& spec);
void default_pod_tolerations(Json& spec);

/// The status of a pod that was just created: Pending, its qosClass, the gated condition.
Json initial_pod_status(const Json& spec, const std::string& now);

}  // namespace k8s::embedded
