#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace k8s {
namespace {

const rapidjson::Value& empty_array() {
    static const rapidjson::Value value(rapidjson::kArrayType);
    return value;
}

template <typename Number>
std::string number_text(Number number) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return {buffer, end};
}

void sort_unique(core::StringMap& map) {
    const auto in_order = [](const auto& a, const auto& b) { return a.first >= b.first; };
    // The API server writes them so.
    if (std::adjacent_find(map.begin(), map.end(), in_order) == map.end()) {
        return;
    }
    // A key that comes twice: the last one counts, as in the API server's decoder.
    std::reverse(map.begin(), map.end());
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    std::stable_sort(map.begin(), map.end(), less);
    map.erase(std::unique(map.begin(), map.end(), same), map.end());
}

}  // namespace

const rapidjson::Value* find_member(const rapidjson::Value& object, std::string_view name) {
    if (!object.IsObject()) {
        return nullptr;
    }
    for (const auto& member : object.GetObject()) {
        if (view(member.name) == name) {
            return member.value.IsNull() ? nullptr : &member.value;
        }
    }
    return nullptr;
}

void Fields::wrong(std::string_view name, const char* expected) {
    if (problem_.empty()) {
        problem_ = std::string(name) + ": expected " + expected;
    }
}

bool Fields::read_text(const rapidjson::Value& value, std::string& into) const {
    if (value.IsString()) {
        into = view(value);
        return true;
    }
    if (scalars_ == Scalars::strict) {
        return false;
    }
    if (value.IsBool()) {
        into = value.GetBool() ? "true" : "false";
    } else if (value.IsInt64()) {
        into = number_text(value.GetInt64());
    } else if (value.IsNumber()) {
        into = number_text(value.GetDouble());
    } else {
        return false;
    }
    return true;
}

std::string Fields::text(
    const rapidjson::Value& object, std::string_view name, std::string_view fallback) {
    const auto* member = find_member(object, name);
    std::string result;
    if (member == nullptr) {
        return std::string(fallback);
    }
    if (!read_text(*member, result)) {
        wrong(name, "a string");
        return std::string(fallback);
    }
    return result;
}

std::string_view Fields::text_view(
    const rapidjson::Value& object, std::string_view name, std::string_view fallback) {
    ENSURE(scalars_ == Scalars::strict);
    const auto* member = find_member(object, name);
    if (member == nullptr) {
        return fallback;
    }
    if (!member->IsString()) {
        wrong(name, "a string");
        return fallback;
    }
    return view(*member);
}

bool Fields::flag(const rapidjson::Value& object, std::string_view name) {
    const auto* member = find_member(object, name);
    if (member != nullptr && !member->IsBool()) {
        wrong(name, "true or false");
        return false;
    }
    return member != nullptr && member->GetBool();
}

std::int64_t Fields::integer(
    const rapidjson::Value& object, std::string_view name, std::int64_t fallback) {
    const auto* member = find_member(object, name);
    if (member == nullptr) {
        return fallback;
    }
    if (!member->IsInt64()) {
        wrong(name, "a whole number");
        return fallback;
    }
    return member->GetInt64();
}

const rapidjson::Value* Fields::object(const rapidjson::Value& object, std::string_view name) {
    const auto* member = find_member(object, name);
    if (member != nullptr && !member->IsObject()) {
        wrong(name, "an object");
        return nullptr;
    }
    return member;
}

rapidjson::Value::ConstArray Fields::objects(
    const rapidjson::Value& object, std::string_view name) {
    const auto* member = find_member(object, name);
    if (member == nullptr) {
        return empty_array().GetArray();
    }
    const auto is_object = [](const rapidjson::Value& value) { return value.IsObject(); };
    if (!member->IsArray() || !std::all_of(member->Begin(), member->End(), is_object)) {
        wrong(name, "an array of objects");
        return empty_array().GetArray();
    }
    return member->GetArray();
}

std::vector<std::string> Fields::texts(const rapidjson::Value& object, std::string_view name) {
    const auto* member = find_member(object, name);
    std::vector<std::string> result;
    if (member == nullptr) {
        return result;
    }
    if (!member->IsArray()) {
        wrong(name, "an array of strings");
        return result;
    }
    result.reserve(member->Size());
    for (const auto& value : member->GetArray()) {
        if (!read_text(value, result.emplace_back())) {
            wrong(name, "an array of strings");
        }
    }
    return result;
}

core::StringMap Fields::map(
    const rapidjson::Value& object, std::string_view name, std::string_view key_prefix) {
    return read_map(
        object, name, [key_prefix](std::string_view key) { return key.starts_with(key_prefix); });
}

core::StringMap Fields::map(
    const rapidjson::Value& object, std::string_view name, bool (*is_kept)(std::string_view)) {
    return read_map(object, name, is_kept);
}

template <typename IsKept>
core::StringMap Fields::read_map(
    const rapidjson::Value& object, std::string_view name, const IsKept& is_kept) {
    core::StringMap result;
    const auto* members = this->object(object, name);
    if (members == nullptr) {
        return result;
    }
    result.reserve(members->MemberCount());
    for (const auto& member : members->GetObject()) {
        if (!is_kept(view(member.name))) {
            continue;
        }
        std::string value;
        if (!member.value.IsNull() && !read_text(member.value, value)) {
            wrong(name, "a map of strings");
        }
        result.emplace_back(std::string(view(member.name)), std::move(value));
    }
    sort_unique(result);
    return result;
}

void Fields::add_quantity(core::Resources& into, const rapidjson::Value::Member& member) {
    std::string quantity;
    // A bare number is a quantity too, here as in the API server.
    const Fields coerced(Scalars::coerced);
    if (member.value.IsBool() || !coerced.read_text(member.value, quantity)) {
        wrong(view(member.name), "a quantity");
        return;
    }
    const auto set = core::set_resource(into, view(member.name), quantity);
    if (!set && problem_.empty()) {
        problem_ = set.error().message;
    }
}

core::Resources Fields::quantities(const rapidjson::Value& object, std::string_view name) {
    core::Resources result;
    if (const auto* members = this->object(object, name)) {
        for (const auto& member : members->GetObject()) {
            add_quantity(result, member);
        }
    }
    return result;
}

core::Resources Fields::requests(const rapidjson::Value& object) {
    core::Resources result = quantities(object, "requests");
    const auto* limits = this->object(object, "limits");
    if (limits == nullptr) {
        return result;
    }
    // Sorted: somebody may have named thousands.
    std::vector<std::string_view> named;
    if (const auto* requests = find_member(object, "requests");
        requests != nullptr && requests->IsObject()) {
        named.reserve(requests->MemberCount());
        for (const auto& request : requests->GetObject()) {
            named.push_back(view(request.name));
        }
        std::sort(named.begin(), named.end());
    }
    for (const auto& limit : limits->GetObject()) {
        if (!std::binary_search(named.begin(), named.end(), view(limit.name))) {
            add_quantity(result, limit);
        }
    }
    return result;
}

bool has_cause(const rapidjson::Value& status, std::string_view reason) {
    const auto* details = find_member(status, "details");
    const auto* causes = details == nullptr ? nullptr : find_member(*details, "causes");
    if (causes == nullptr || !causes->IsArray()) return false;
    for (const auto& cause : causes->GetArray()) {
        const auto* named = find_member(cause, "reason");
        if (named != nullptr && named->IsString() && view(*named) == reason) return true;
    }
    return false;
}

}  // namespace k8s
