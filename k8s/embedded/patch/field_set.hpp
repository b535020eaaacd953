#pragma once
// metadata.managedFields in its wire form (fieldsV1): a tree of "f:member", "k:{keys}" and
// "v:value" in which an empty object is a leaf, a field that somebody owns.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <functional>
#include <string>
#include <vector>

namespace k8s::embedded {

/// All fields of an object except those that only the server sets.
Json fields_of(const Kind& kind, const Json& object);

/// Of the fields in `set`, those whose values differ between the two objects.
Json fields_changed(const Json& set, const Json& before, const Json& after);

Json fields_united(const Json& left, const Json& right);
/// Leaves of `left` that are no leaves of `right`.
Json fields_without(const Json& left, const Json& right);
/// Leaves of both.
Json fields_common(const Json& left, const Json& right);
bool fields_empty(const Json& set);

/// The object without these fields; parents that become empty go too.
Json without_fields(Json object, const Json& set);

/// ".spec.containers[name=\"c\"].image" for each leaf.
std::vector<std::string> field_paths(const Json& set);

}  // namespace k8s::embedded
