#pragma once
// What a pod spec asks of other pods: pod affinity and anti-affinity, topology spread; required or
// preferred. Included only from .cpp files, because RapidJSON's types are in it.

#include "core/value/pod_rules.hpp"
#include "k8s/json/json_fields.hpp"

#include <optional>
#include <string>

namespace k8s {

/// The label selector `name` of an object; one that is not there matches nothing.
core::LabelSelector decode_selector(
    Fields& fields, const rapidjson::Value& owner, const char* name);

/// Nothing if the spec has no such rule. The pod's namespace stands where a term names none, and
/// its labels are what matchLabelKeys and mismatchLabelKeys speak of. Into terms of affinity the
/// API server (1.31) has merged these keys when the pod was created, which is recognised; into
/// spread constraints kube-scheduler merges them whatever the API server (1.34) did.
std::optional<core::PodRules> decode_pod_rules(
    Fields& fields,
    const rapidjson::Value& spec,
    const std::string& namespace_name,
    const core::StringMap& labels);

/// Of a template, whose pods' namespace and labels are not known yet: see core::PodTemplate.
std::optional<core::PodRules> decode_template_rules(Fields& fields, const rapidjson::Value& spec);

}  // namespace k8s
