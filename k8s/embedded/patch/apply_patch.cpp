#include "k8s/embedded/patch/apply_patch.hpp"

#include "k8s/base/time.hpp"
#include "k8s/embedded/patch/field_set.hpp"
#include "k8s/embedded/patch/list_rules.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

Json::Array entries_of(const Json& object) {
    const Json* entries = object.find_path({"metadata", "managedFields"});
    return entries == nullptr ? Json::Array() : entries->items();
}

Json fields_in(const Json& entry) {
    const Json* fields = entry.find("fieldsV1");
    return fields == nullptr ? Json(Json::Object()) : *fields;
}

bool is_entry_of(const Json& entry, const FieldWriter& writer, std::string_view operation) {
    return entry.text({"manager"}) == writer.manager && entry.text({"operation"}) == operation &&
           entry.text({"subresource"}) == writer.subresource;
}

Json make_entry(
    const Kind& kind, const FieldWriter& writer, std::string_view operation, Json fields) {
    Json entry{Json::Object()};
    entry.set("manager", writer.manager).set("operation", operation);
    entry.set("apiVersion", kind.api_version());
    entry.set("time", k8s::format_time(writer.now_ms));
    entry.set("fieldsType", "FieldsV1").set("fieldsV1", std::move(fields));
    if (!writer.subresource.empty()) {
        entry.set("subresource", writer.subresource);
    }
    return entry;
}

void set_entries(Json& object, Json::Array entries) {
    std::erase_if(entries, [](const Json& entry) { return fields_empty(fields_in(entry)); });
    if (entries.empty()) {
        object["metadata"].erase("managedFields");
    } else {
        object["metadata"].set("managedFields", std::move(entries));
    }
}

Json merge_applied(const Kind& kind, Json live, const Json& config, std::string_view field);

Json merge_list(const ListRule& rule, const Kind& kind, Json live, const Json::Member& config) {
    const auto& [field, wanted] = config;
    auto& items = live.items();
    for (const auto& item : wanted.items()) {
        const auto same_item = [&](const Json& other) {
            if (rule.form == ListRule::Form::set) {
                return same_json(item, other);
            }
            const auto keys = rule.keys();
            return std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
                return same_json(key_value(item, key), key_value(other, key));
            });
        };
        const auto found = std::find_if(items.begin(), items.end(), same_item);
        if (found == items.end()) {
            items.push_back(item);
        } else {
            *found = merge_applied(kind, std::move(*found), item, field);
        }
    }
    return live;
}

Json merge_applied(const Kind& kind, Json live, const Json& config, std::string_view field) {
    if (!config.is_object()) {
        return config;
    }
    if (!live.is_object()) {
        live = Json(Json::Object());
    }
    for (const auto& member : config.members()) {
        const auto& [key, value] = member;
        if (value.is_null()) {
            continue;
        }
        Json* known = live.find(key);
        const auto rule = value.is_array() ? list_rule(kind, field, key) : ListRule();
        Json base = known == nullptr ? Json() : std::move(*known);
        if (value.is_array() && rule.form != ListRule::Form::atomic && !rule.is_atomic_in_apply) {
            live.set(key, merge_list(rule, kind, std::move(base), member));
        } else {
            live.set(key, merge_applied(kind, std::move(base), value, key));
        }
    }
    return live;
}

/// Fields that others own and that this apply would set to another value.
struct Conflict {
    std::size_t entry = 0;
    Json fields;
};

std::vector<Conflict> find_conflicts(
    const Json::Array& entries, const FieldWriter& writer, const Json& differing) {
    std::vector<Conflict> conflicts;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (is_entry_of(entries[i], writer, "Apply")) {
            continue;
        }
        Json common = fields_common(fields_in(entries[i]), differing);
        common.erase(".");
        if (!fields_empty(common)) {
            conflicts.push_back(Conflict{i, std::move(common)});
        }
    }
    return conflicts;
}

std::string owner_text(const Json& entry) {
    std::string text = "\"" + entry.text({"manager"}) + "\"";
    if (!entry.text({"subresource"}).empty()) {
        text += " with subresource \"" + entry.text({"subresource"}) + "\"";
    }
    return text + " using " + entry.text({"apiVersion"});
}

Failure conflict_failure(const Json::Array& entries, const std::vector<Conflict>& conflicts) {
    Json::Array causes;
    std::string text;
    for (const auto& one : conflicts) {
        const auto paths = field_paths(one.fields);
        const auto owner = owner_text(entries[one.entry]);
        text += (text.empty() ? "" : "\n");
        text += (paths.size() == 1 ? "conflict with " : "conflicts with ") + owner + ":";
        for (const auto& path : paths) {
            text += paths.size() == 1 ? " " + path : "\n- " + path;
            Json cause{Json::Object()};
            cause.set("reason", "FieldManagerConflict").set("message", "conflict with " + owner);
            cause.set("field", path);
            causes.push_back(std::move(cause));
        }
    }
    const auto count = causes.size();
    Json details{Json::Object()};
    details.set("causes", std::move(causes));
    return {
        409,
        "Conflict",
        "Apply failed with " + std::to_string(count) +
            (count == 1 ? " conflict: " : " conflicts: ") + text,
        std::move(details)};
}

/// What the manager applied last time, no longer applies, and nobody else owns.
Json abandoned_fields(const Json::Array& entries, const FieldWriter& writer, const Json& wanted) {
    Json old_fields{Json::Object()};
    for (const auto& entry : entries) {
        if (is_entry_of(entry, writer, "Apply")) {
            old_fields = fields_in(entry);
        }
    }
    Json abandoned = fields_without(old_fields, wanted);
    for (const auto& entry : entries) {
        if (!is_entry_of(entry, writer, "Apply")) {
            abandoned = fields_without(abandoned, fields_in(entry));
        }
    }
    return abandoned;
}

}  // namespace

Outcome<Json> apply_patch(
    const Kind& kind, const Json& live, const Json& config, const FieldWriter& writer) {
    const Json wanted = fields_of(kind, config);
    auto entries = entries_of(live);
    const auto conflicts = find_conflicts(entries, writer, fields_changed(wanted, live, config));
    if (!conflicts.empty() && !writer.force) {
        return conflict_failure(entries, conflicts);
    }
    const Json abandoned = abandoned_fields(entries, writer, wanted);
    Json result = without_fields(live, abandoned);
    result = merge_applied(kind, std::move(result), config, "");

    for (const auto& one : conflicts) {
        auto& entry = entries[one.entry];
        entry.set("fieldsV1", fields_without(fields_in(entry), one.fields));
    }
    const auto own = std::find_if(entries.begin(), entries.end(), [&](const Json& entry) {
        return is_entry_of(entry, writer, "Apply");
    });
    if (own == entries.end()) {
        entries.push_back(make_entry(kind, writer, "Apply", wanted));
    } else if (!same_json(fields_in(*own), wanted)) {
        *own = make_entry(kind, writer, "Apply", wanted);
    }
    set_entries(result, std::move(entries));
    return result;
}

Json note_update(const Kind& kind, const Json& before, Json after, const FieldWriter& writer) {
    if (writer.manager.empty()) {
        return after;
    }
    const Json present = fields_of(kind, after);
    const Json changed = before.is_null() ? present : fields_changed(present, before, after);
    auto entries = entries_of(after);
    bool is_noted = fields_empty(changed);
    for (auto& entry : entries) {
        Json kept = fields_common(fields_in(entry), present);
        if (is_entry_of(entry, writer, "Update") && !is_noted) {
            entry = make_entry(kind, writer, "Update", fields_united(kept, changed));
            is_noted = true;
        } else {
            entry.set("fieldsV1", fields_without(kept, changed));
        }
    }
    if (!is_noted) {
        entries.push_back(make_entry(kind, writer, "Update", changed));
    }
    set_entries(after, std::move(entries));
    return after;
}

}  // namespace k8s::embedded
