#include "k8s/embedded/tables/table.hpp"

#include "k8s/embedded/tables/printer.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace k8s::embedded {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// Cuts off and returns the part before the separator.
std::string_view next_part(std::string_view& rest, char separator) {
    const std::size_t end = rest.find(separator);
    const std::string_view part = trim(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return part;
}

struct MediaRange {
    std::string_view type;
    std::string_view as, group, version;
};

MediaRange parse_media_range(std::string_view text) {
    MediaRange range;
    range.type = next_part(text, ';');
    while (!text.empty()) {
        std::string_view value = next_part(text, ';');
        const std::string_view name = next_part(value, '=');
        if (name == "as") range.as = value;
        if (name == "g") range.group = value;
        if (name == "v") range.version = value;
    }
    return range;
}

bool is_table(const MediaRange& range) {
    return range.type == "application/json" && range.as == "Table" &&
           range.group == "meta.k8s.io" && (range.version == "v1" || range.version == "v1beta1");
}

bool is_plain(const MediaRange& range) {
    const bool json =
        range.type == "application/json" || range.type == "application/*" || range.type == "*/*";
    return json && range.as.empty();
}

const char* describe_column(const Column& column) {
    const std::string_view name = column.name;
    if (name == "Name") return "Name must be unique within a namespace.";
    if (name == "Age") return "CreationTimestamp is when the server stored the object.";
    return "";
}

Json column_definition(const Column& column) {
    Json definition;
    definition.set("name", column.name);
    definition.set("type", column.type);
    definition.set("format", std::string_view(column.name) == "Name" ? "name" : "");
    definition.set("description", describe_column(column));
    definition.set("priority", column.priority);
    return definition;
}

// Items of a list may lack their kind; alone in a row they must say what they are.
Json whole_object(const Kind& kind, const Json& object) {
    Json whole;
    whole.set("kind", kind.kind);
    whole.set("apiVersion", kind.api_version());
    for (const auto& [key, value] : object.members()) whole.set(key, value);
    return whole;
}

Json metadata_object(const Json& object, const TableForm& form) {
    Json partial;
    partial.set("kind", "PartialObjectMetadata");
    partial.set("apiVersion", form.api_version);
    const Json* metadata = object.find("metadata");
    partial.set("metadata", metadata != nullptr ? *metadata : Json(Json::Object{}));
    return partial;
}

// A pod that has ended carries a condition, by which old clients hid it.
std::optional<Json> ended_condition(const Json& object) {
    const std::string& phase = object.text({"status", "phase"});
    const bool ended = phase == "Succeeded" || phase == "Failed";
    if (!ended || object.find_path({"spec", "containers"}) == nullptr) return std::nullopt;
    Json condition;
    condition.set("type", "Completed");
    condition.set("status", "True");
    condition.set("reason", phase);
    const char* message =
        phase == "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
    condition.set("message", message);
    return condition;
}

Json table_metadata(const Json& answer) {
    Json metadata{Json::Object{}};
    for (const char* key : {"resourceVersion", "continue", "remainingItemCount"}) {
        const Json* value = answer.find_path({"metadata", key});
        if (value != nullptr && !value->is_null()) metadata.set(key, *value);
    }
    return metadata;
}

}  // namespace

std::optional<TableForm> wanted_table(std::string_view accept, std::string_view include_object) {
    while (!accept.empty()) {
        const MediaRange range = parse_media_range(next_part(accept, ','));
        if (is_plain(range)) return std::nullopt;
        if (!is_table(range)) continue;
        TableForm form;
        form.api_version = "meta.k8s.io/" + std::string(range.version);
        if (include_object == "None") form.include = RowObject::none;
        if (include_object == "Object") form.include = RowObject::object;
        return form;
    }
    return std::nullopt;
}

namespace {

/// In a list alone, since 1.37: which one counts depends on the others.
void mark_default(const Json::Array& classes, Json::Array& rows) {
    const std::string name = default_class_of(classes);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!name.empty() && classes[i].text({"metadata", "name"}) == name) {
            rows[i]["cells"].items()[0] = Json(name + " (default)");
        }
    }
}

}  // namespace

Json as_table(const Kind& kind, const Json& answer, const TableForm& form, std::int64_t now_ms) {
    const Printer& printer = find_printer(kind);
    Json::Array rows;
    const auto add_row = [&](const Json& object) {
        Json row;
        row.set("cells", printer.cells(object, now_ms));
        if (auto condition = ended_condition(object)) {
            row.set("conditions", Json::Array{std::move(*condition)});
        }
        if (form.include == RowObject::metadata) row.set("object", metadata_object(object, form));
        if (form.include == RowObject::object) {
            row.set("object", whole_object(kind, object));
        }
        rows.push_back(std::move(row));
    };
    const Json* items = answer.find("items");
    if (items != nullptr && items->is_array()) {
        for (const Json& item : items->items()) add_row(item);
        if (kind.plural == "storageclasses") mark_default(items->items(), rows);
    } else {
        add_row(answer);
    }
    Json::Array columns;
    for (const Column& column : printer.columns) columns.push_back(column_definition(column));

    Json table;
    table.set("kind", "Table");
    table.set("apiVersion", form.api_version);
    table.set("metadata", table_metadata(answer));
    table.set("columnDefinitions", form.with_columns ? Json(std::move(columns)) : Json());
    table.set("rows", std::move(rows));
    return table;
}

}  // namespace k8s::embedded
