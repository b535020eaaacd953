#include "k8s/embedded/patch/list_rules.hpp"
#include "k8s/embedded/patch/patch.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

/// Walks the patch; the first bad list item stops it.
class Strategic {
public:
    explicit Strategic(const Kind& kind) : kind_(kind) {}

    Json merge(Json document, const Json& patch, std::string_view field);
    const std::optional<Failure>& failure() const { return failure_; }

private:
    void merge_member(
        Json& document, const Json::Member& member, std::string_view field, const Json* order);
    Json merge_keyed(Json list, const Json& patch, std::string_view field, std::string_view key);
    static Json merge_set(Json list, const Json& patch);

    const Kind& kind_;
    std::optional<Failure> failure_;
};

constexpr std::string_view from_list = "$deleteFromPrimitiveList/";
constexpr std::string_view order_of = "$setElementOrder/";

bool is_directive(std::string_view key) {
    return !key.empty() && key.front() == '$';
}

void delete_from_list(Json& document, const std::string& field, const Json& values) {
    Json* list = document.find(field);
    if (list == nullptr || !list->is_array()) {
        return;
    }
    std::erase_if(list->items(), [&](const Json& item) {
        const auto& gone = values.items();
        return std::find(gone.begin(), gone.end(), item) != gone.end();
    });
}

/// Where the item with this item's key stands in the list; its size when it is not there.
std::size_t place_in(const Json::Array& list, const Json& item, std::string_view key) {
    const Json* wanted = item.find(key);
    const auto found = std::find_if(list.begin(), list.end(), [&](const Json& one) {
        const Json* present = one.find(key);
        return wanted != nullptr && present != nullptr && same_json(*present, *wanted);
    });
    return static_cast<std::size_t>(found - list.begin());
}

/// What the patch names comes in the patch's order; what only the server knows stands before what
/// it stood before, as far as that can be told.
Json::Array ordered(
    const Json::Array& merged,
    const Json::Array& before,
    const Json::Array& order,
    std::string_view key) {
    Json::Array of_patch;
    Json::Array of_server;
    for (const auto& item : merged) {
        (place_in(order, item, key) < order.size() ? of_patch : of_server).push_back(item);
    }
    const auto by_order = [&](const Json& left, const Json& right) {
        return place_in(order, left, key) < place_in(order, right, key);
    };
    std::stable_sort(of_patch.begin(), of_patch.end(), by_order);
    Json::Array result;
    auto left = of_server.begin();
    auto right = of_patch.begin();
    while (left != of_server.end() || right != of_patch.end()) {
        bool takes_left = right == of_patch.end();
        if (left != of_server.end() && right != of_patch.end()) {
            const auto known = place_in(before, *right, key);
            takes_left = known < before.size() && place_in(before, *left, key) < known;
        }
        result.push_back(std::move(takes_left ? *left++ : *right++));
    }
    return result;
}

/// Keeps only the named members; the others were not in the user's manifest.
void retain(Json& document, const Json& keys) {
    std::erase_if(document.members(), [&](const Json::Member& member) {
        const auto& kept = keys.items();
        return std::none_of(kept.begin(), kept.end(), [&](const Json& key) {
            return key.as_string() == member.first;
        });
    });
}

Json Strategic::merge(Json document, const Json& patch, std::string_view field) {
    if (!patch.is_object()) {
        return patch;
    }
    const auto& directive = patch.text({"$patch"});
    if (!directive.empty() && directive != "replace" && directive != "delete" &&
        directive != "merge") {
        failure_ = unworded_error("unknown patch type: " + directive);
    }
    if (!document.is_object() || directive == "replace" || directive == "delete") {
        document = Json(Json::Object());
    }
    if (directive == "delete") {
        return document;
    }
    if (const Json* keys = patch.find("$retainKeys")) {
        retain(document, *keys);
    }
    for (const auto& member : patch.members()) {
        merge_member(document, member, field, patch.find(std::string(order_of) + member.first));
    }
    return document;
}

void Strategic::merge_member(
    Json& document, const Json::Member& member, std::string_view field, const Json* order) {
    const auto& [key, value] = member;
    if (key.rfind(from_list, 0) == 0) {
        delete_from_list(document, key.substr(from_list.size()), value);
        return;
    }
    if (is_directive(key)) {
        return;
    }
    if (value.is_null() || value.text({"$patch"}) == "delete") {
        document.erase(key);
        return;
    }
    Json* known = document.find(key);
    Json base = known == nullptr ? Json() : std::move(*known);
    if (!value.is_array()) {
        document.set(key, merge(std::move(base), value, key));
        return;
    }
    const auto rule = list_rule(kind_, field, key);
    switch (rule.form) {
        case ListRule::Form::atomic:
            document.set(key, value);
            break;
        case ListRule::Form::set:
            document.set(key, merge_set(std::move(base), value));
            break;
        case ListRule::Form::keyed:
            document.set(key, merge_keyed(base, value, key, rule.merge_key));
            document[key] = ordered(
                document[key].items(),
                base.items(),
                (order == nullptr ? value : *order).items(),
                rule.merge_key);
            break;
    }
}

Json Strategic::merge_set(Json list, const Json& patch) {
    auto& items = list.items();
    for (const auto& value : patch.items()) {
        if (std::find(items.begin(), items.end(), value) == items.end()) {
            items.push_back(value);
        }
    }
    return list;
}

Json Strategic::merge_keyed(
    Json list, const Json& patch, std::string_view field, std::string_view key) {
    auto& items = list.items();
    const auto& changes = patch.items();
    if (std::any_of(changes.begin(), changes.end(), [](const Json& one) {
            return one.text({"$patch"}) == "replace";
        })) {
        items.clear();
    }
    for (const auto& change : changes) {
        const Json* wanted = change.find(key);
        if (wanted == nullptr) {
            if (change.text({"$patch"}) != "replace") {
                failure_ = unworded_error(
                    "map: " + change.dump() +
                    " does not contain declared merge key: " + std::string(key));
            }
            continue;
        }
        const auto found = std::find_if(items.begin(), items.end(), [&](const Json& item) {
            const Json* present = item.find(key);
            return present != nullptr && same_json(*present, *wanted);
        });
        const bool is_known = found != items.end();
        if (change.text({"$patch"}) == "delete") {
            if (is_known) {
                items.erase(found);
            }
        } else if (is_known) {
            *found = merge(std::move(*found), change, field);
        } else {
            items.push_back(merge(Json(), change, field));
        }
    }
    return list;
}

}  // namespace

Outcome<Json> strategic_patch(const Kind& kind, Json document, const Json& patch) {
    if (!patch.is_object()) {
        return bad_request("error decoding patch: a strategic merge patch is an object");
    }
    Strategic strategic(kind);
    Json result = strategic.merge(std::move(document), patch, "");
    if (strategic.failure()) {
        return *strategic.failure();
    }
    return result;
}

}  // namespace k8s::embedded
