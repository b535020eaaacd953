#pragma once
// The JSON types of the fields that this server, its clients and its kubelets read: what the real
// server refuses while decoding (400), before it looks at any value.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"
#include "k8s/embedded/store/status.hpp"

#include <optional>

namespace k8s::embedded {

/// Removes members that are null (to Kubernetes they are absent), then compares types. The 400 to
/// answer, or nothing.
std::optional<Failure> check_field_types(const Kind& kind, Json& object);

/// Rewrites every quantity of the object in its canonical spelling; the 400 to answer when one is
/// no quantity.
std::optional<Failure> canonicalize_quantities(const Kind& kind, Json& object);

/// The pod spec in an object: of a pod itself or of a workload's template; nullptr without one.
Json* find_pod_spec(const Kind& kind, Json& object);

}  // namespace k8s::embedded
