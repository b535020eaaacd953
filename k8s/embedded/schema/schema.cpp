#include "k8s/embedded/schema/schema.hpp"

#include "k8s/embedded/schema/schema_types.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace k8s::embedded {

namespace {

/// Walks an object along its type.
class Pruner {
public:
    void prune(std::string_view type, Json& value, const std::string& path);
    SchemaVerdict take_verdict() { return std::move(verdict_); }

private:
    void prune_object(const SchemaType& type, Json& value, const std::string& path);

    SchemaVerdict verdict_;
};

/// null is as good as absent for every type.
bool has_form(const Json& value, char form) {
    if (value.is_null() || form == '*') return true;
    if (form == 's') return value.is_string();
    if (form == 'i') return value.is_int();
    if (form == 'n') {
        return !value.is_string() && !value.is_bool() && !value.is_array() && !value.is_object();
    }
    if (form == 'b') return value.is_bool();
    return form == '[' ? value.is_array() : value.is_object();
}

std::string within(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
}

void Pruner::prune(std::string_view type, Json& value, const std::string& path) {
    const char form = type.front();
    if (!has_form(value, form)) {
        verdict_.mismatched.push_back(path);
        return;
    }
    const auto inner = type.size() < 2 ? std::string_view() : type.substr(1, type.size() - 2);
    if (form == '[' && value.is_array()) {
        for (std::size_t i = 0; i < value.items().size(); ++i) {
            prune(inner, value.items()[i], path + "[" + std::to_string(i) + "]");
        }
    } else if (form == '<' && value.is_object()) {
        for (auto& [key, one] : value.members()) {
            prune(inner, one, within(path, key));
        }
    } else if (form >= '0' && form <= '9' && value.is_object()) {
        std::size_t number = 0;
        std::from_chars(type.data(), type.data() + type.size(), number);
        prune_object(schema_types()[number], value, path);
    }
}

void Pruner::prune_object(const SchemaType& type, Json& value, const std::string& path) {
    for (auto& [key, one] : value.members()) {
        if (const auto* field = type.find(key)) {
            prune(field->type, one, within(path, key));
        } else {
            verdict_.unknown.push_back(within(path, key));
        }
    }
    std::erase_if(value.members(), [&](const Json::Member& member) {
        return type.find(member.first) == nullptr;
    });
}

}  // namespace

SchemaVerdict apply_schema(const Kind& kind, Json& object) {
    const auto number = find_schema(kind);
    if (!number) {
        return {};
    }
    Pruner pruner;
    pruner.prune(std::to_string(*number), object, "");
    return pruner.take_verdict();
}

}  // namespace k8s::embedded
