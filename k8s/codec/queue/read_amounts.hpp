#pragma once
// A map of quantities in a Queue object, such as spec.capability and status.allocated.

#include "core/value/resources.hpp"
#include "k8s/json/json_fields.hpp"

#include <vector>

namespace k8s {

/// By name; "cpu" in thousandths of a core. What cannot be read, and what is negative, is one of
/// `fields`' problems.
std::vector<core::ExtendedResource> read_amounts(
    Fields& fields, const rapidjson::Value& object, const char* name);

}  // namespace k8s
