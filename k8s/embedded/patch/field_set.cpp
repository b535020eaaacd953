#include "k8s/embedded/patch/field_set.hpp"

#include "k8s/embedded/patch/list_rules.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>
#include <array>

namespace k8s::embedded {

namespace {

Json leaf() {
    return Json(Json::Object());
}
bool is_leaf(const Json& set) {
    return set.members().empty();
}

std::string item_step(const Json& item, const std::vector<std::string_view>& keys) {
    Json values{Json::Object()};
    for (const auto key : keys) {
        values.set(key, key_value(item, key));
    }
    return "k:" + values.dump();
}

Json fields_of_value(const Kind& kind, const Json& value, std::string_view field);

Json fields_of_list(
    const Kind& kind, const Json& list, std::string_view parent, std::string_view field) {
    const auto rule = list_rule(kind, parent, field);
    Json set = leaf();
    if (rule.form == ListRule::Form::atomic || rule.is_atomic_in_apply) {
        return set;
    }
    for (const auto& item : list.items()) {
        if (rule.form == ListRule::Form::set) {
            set.set("v:" + item.dump(), leaf());
        } else {
            Json below = leaf();
            below.set(".", leaf());
            const Json fields = fields_of_value(kind, item, field);
            for (const auto& member : fields.members()) {
                below.set(member.first, member.second);
            }
            set.set(item_step(item, rule.keys()), std::move(below));
        }
    }
    return set;
}

Json fields_of_value(const Kind& kind, const Json& value, std::string_view field) {
    Json set = leaf();
    for (const auto& [key, member] : value.members()) {
        set.set(
            "f:" + key,
            member.is_array() ? fields_of_list(kind, member, field, key)
                              : fields_of_value(kind, member, key));
    }
    return set;
}

bool item_matches(const Json& item, const Json& keys) {
    return std::all_of(keys.members().begin(), keys.members().end(), [&](const Json::Member& key) {
        return same_json(key_value(item, key.first), key.second);
    });
}

/// Where one step of a set leads inside a value; nullptr when it is not there.
const Json* follow(const Json& value, const std::string& step) {
    const auto name = step.substr(std::min<std::size_t>(2, step.size()));
    if (step.rfind("f:", 0) == 0) {
        return value.find(name);
    }
    const auto parsed = Json::parse(name);
    if (!parsed) {
        return nullptr;
    }
    for (const auto& item : value.items()) {
        const bool is_it =
            step.rfind("k:", 0) == 0 ? item_matches(item, *parsed) : same_json(item, *parsed);
        if (is_it) {
            return &item;
        }
    }
    return nullptr;
}

bool differ(const Json* left, const Json* right) {
    if (left == nullptr || right == nullptr) {
        return left != right;
    }
    // An empty map says only that there is a map: it merges with whatever is in it.
    if (left->is_object() && right->is_object() && right->members().empty()) {
        return false;
    }
    return !same_json(*left, *right);
}

Json changed_below(const Json& set, const Json* before, const Json* after) {
    Json result = leaf();
    for (const auto& [step, below] : set.members()) {
        if (step == ".") {
            if ((before == nullptr) != (after == nullptr)) {
                result.set(step, leaf());
            }
            continue;
        }
        const Json* old_value = before == nullptr ? nullptr : follow(*before, step);
        const Json* new_value = after == nullptr ? nullptr : follow(*after, step);
        if (is_leaf(below)) {
            if (differ(old_value, new_value)) {
                result.set(step, leaf());
            }
        } else if (Json inner = changed_below(below, old_value, new_value); !is_leaf(inner)) {
            result.set(step, std::move(inner));
        }
    }
    return result;
}

std::string readable(const std::string& step) {
    if (step.rfind("f:", 0) == 0) {
        return "." + step.substr(2);
    }
    const auto parsed = Json::parse(step.substr(2));
    std::string text;
    if (parsed && step.rfind("k:", 0) == 0) {
        for (const auto& [key, value] : parsed->members()) {
            text += (text.empty() ? "" : ",") + key + "=" + value.dump();
        }
    } else {
        text = "=" + step.substr(2);
    }
    return "[" + text + "]";
}

void add_paths(const Json& set, const std::string& prefix, std::vector<std::string>& paths) {
    for (const auto& [step, below] : set.members()) {
        if (step == ".") {
            paths.push_back(prefix);
        } else if (is_leaf(below)) {
            paths.push_back(prefix + readable(step));
        } else {
            add_paths(below, prefix + readable(step), paths);
        }
    }
}

void remove_item(Json& list, const Json* item) {
    auto& items = list.items();
    items.erase(items.begin() + (item - items.data()));
}

}  // namespace

Json fields_of(const Kind& kind, const Json& object) {
    Json shown = object;
    shown.erase("apiVersion");
    shown.erase("kind");
    if (Json* metadata = shown.find("metadata")) {
        constexpr std::array of_the_server = {
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "selfLink",
            "managedFields"};
        for (const auto* name : of_the_server) {
            metadata->erase(name);
        }
        if (metadata->members().empty()) {
            shown.erase("metadata");
        }
    }
    return fields_of_value(kind, shown, "");
}

Json fields_changed(const Json& set, const Json& before, const Json& after) {
    return changed_below(set, &before, &after);
}

Json fields_united(const Json& left, const Json& right) {
    Json result = left;
    for (const auto& [step, below] : right.members()) {
        const Json* known = left.find(step);
        result.set(step, known == nullptr ? below : fields_united(*known, below));
    }
    return result;
}

Json fields_without(const Json& left, const Json& right) {
    Json result = leaf();
    for (const auto& [step, below] : left.members()) {
        const Json* other = right.find(step);
        if (other == nullptr) {
            result.set(step, below);
        } else if (!is_leaf(below)) {
            if (Json inner = fields_without(below, *other); !is_leaf(inner)) {
                result.set(step, std::move(inner));
            }
        }
    }
    return result;
}

Json fields_common(const Json& left, const Json& right) {
    Json result = leaf();
    for (const auto& [step, below] : left.members()) {
        const Json* other = right.find(step);
        if (other == nullptr) {
            continue;
        }
        if (is_leaf(below) && is_leaf(*other)) {
            result.set(step, leaf());
        } else if (Json inner = fields_common(below, *other); !is_leaf(inner)) {
            result.set(step, std::move(inner));
        }
    }
    return result;
}

bool fields_empty(const Json& set) {
    return is_leaf(set);
}

Json without_fields(Json object, const Json& set) {
    for (const auto& [step, below] : set.members()) {
        const Json* found = step == "." ? nullptr : follow(object, step);
        if (found == nullptr) {
            continue;
        }
        const bool is_field = step.rfind("f:", 0) == 0;
        const bool is_whole = is_leaf(below) || below.find(".") != nullptr;
        const Json rest = is_whole ? Json() : without_fields(*found, below);
        const bool is_empty = rest.members().empty() && rest.items().empty();
        if (!is_whole && !is_empty) {
            *const_cast<Json*>(found) = rest;  // NOLINT: part of our own `object`
        } else if (is_field) {
            object.erase(step.substr(2));
        } else if (is_whole) {
            remove_item(object, found);
        }
    }
    return object;
}

std::vector<std::string> field_paths(const Json& set) {
    std::vector<std::string> paths;
    add_paths(set, "", paths);
    return paths;
}

}  // namespace k8s::embedded
