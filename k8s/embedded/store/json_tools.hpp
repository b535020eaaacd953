#pragma once
// What several parts need to know about the common shape of Kubernetes objects.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/store.hpp"

#include <string>
#include <string_view>

namespace k8s::embedded {

const std::string& name_of(const Json& object);
const std::string& space_of(const Json& object);
const std::string& uid_of(const Json& object);
const std::string& version_of(const Json& object);
Key key_of(const Json& object);

/// Equal as JSON: the order of members does not count, the order of items does.
bool same_json(const Json& left, const Json& right);

/// To the typed objects of the real server an absent member and an empty text are the same.
void set_if_missing(Json& object, std::string_view key, Json value);

/// An empty text, list or map of the real server's types is not written.
void erase_if_empty(Json& object, std::string_view key);

/// metadata.deletionTimestamp is set.
bool is_deleting(const Json& object);

/// A scalar as a selector compares it: strings as they are, numbers and booleans printed; empty for
/// everything else.
std::string scalar_text(const Json& value);

}  // namespace k8s::embedded
