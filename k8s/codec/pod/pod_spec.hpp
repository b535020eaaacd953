#pragma once
// A pod spec, of a pod or of a template: what it asks for and where it may run. Included only from
// .cpp files, because RapidJSON's types are in it.

#include "core/value/constraints.hpp"
#include "core/value/pod.hpp"
#include "k8s/json/json_fields.hpp"

#include <optional>
#include <string_view>

namespace k8s {

/// Containers, init containers, pod-level requests and overhead. Limits stand in for requests that
/// are absent, as the API server's defaulting does.
core::PodRequests decode_pod_requests(Fields& fields, const rapidjson::Value& spec);

/// Node selector, required node affinity, tolerations, and whether there are host ports.
core::Constraints decode_constraints(Fields& fields, const rapidjson::Value& spec);

/// The effect by its name, or nothing for a name that is none.
std::optional<core::TaintEffect> parse_effect(std::string_view text);

}  // namespace k8s
