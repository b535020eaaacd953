#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

const std::string& name_of(const Json& object) {
    return object.text({"metadata", "name"});
}
const std::string& space_of(const Json& object) {
    return object.text({"metadata", "namespace"});
}
const std::string& uid_of(const Json& object) {
    return object.text({"metadata", "uid"});
}
const std::string& version_of(const Json& object) {
    return object.text({"metadata", "resourceVersion"});
}
Key key_of(const Json& object) {
    return {space_of(object), name_of(object)};
}

bool same_json(const Json& left, const Json& right) {
    if (left.is_object() && right.is_object()) {
        const auto& members = left.members();
        return members.size() == right.members().size() &&
               std::all_of(members.begin(), members.end(), [&](const Json::Member& member) {
                   const Json* other = right.find(member.first);
                   return other != nullptr && same_json(member.second, *other);
               });
    }
    if (left.is_array() && right.is_array()) {
        return std::equal(
            left.items().begin(),
            left.items().end(),
            right.items().begin(),
            right.items().end(),
            same_json);
    }
    return left == right;
}

void set_if_missing(Json& object, std::string_view key, Json value) {
    const Json* present = object.find(key);
    const bool empty_text =
        present != nullptr && present->is_string() && present->as_string().empty();
    if (present == nullptr || present->is_null() || empty_text) object.set(key, std::move(value));
}

void erase_if_empty(Json& object, std::string_view key) {
    const Json* value = object.find(key);
    if (value == nullptr || value->is_bool() || value->is_int()) return;
    const bool has_content =
        !value->as_string().empty() || !value->items().empty() || !value->members().empty();
    if (!has_content) object.erase(key);
}

bool is_deleting(const Json& object) {
    return !object.text({"metadata", "deletionTimestamp"}).empty();
}

std::string scalar_text(const Json& value) {
    if (value.is_string()) {
        return value.as_string();
    }
    return value.is_bool() || value.is_int() ? value.dump() : std::string();
}

}  // namespace k8s::embedded
