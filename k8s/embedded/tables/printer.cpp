#include "k8s/embedded/tables/printer.hpp"

#include "k8s/embedded/tables/age.hpp"

#include <algorithm>

namespace k8s::embedded {
namespace {

Json::Array generic_cells(const Json& object, std::int64_t now_ms) {
    return {name_cell(object), age_cell(object, now_ms)};
}

std::string join(std::vector<std::string> pieces, std::string_view none) {
    if (pieces.empty()) return std::string(none);
    std::sort(pieces.begin(), pieces.end());
    std::string joined;
    for (const std::string& piece : pieces) {
        if (!joined.empty()) joined += ',';
        joined += piece;
    }
    return joined;
}

std::string format_expression(const Json& expression) {
    const std::string& key = expression.text({"key"});
    const std::string& wanted = expression.text({"operator"});
    if (wanted == "Exists") return key;
    if (wanted == "DoesNotExist") return "!" + key;
    const Json* values = expression.find("values");
    const std::string verb = wanted == "NotIn" ? " notin (" : " in (";
    std::vector<std::string> texts;
    if (values != nullptr) {
        for (const Json& value : values->items()) texts.push_back(value.as_string());
    }
    return key + verb + join(std::move(texts), "") + ")";
}

}  // namespace

Json name_cell(const Json& object) {
    return object.text({"metadata", "name"});
}

Json age_cell(const Json& object, std::int64_t now_ms) {
    return age_since(object.text({"metadata", "creationTimestamp"}), now_ms);
}

std::string format_labels(const Json* labels) {
    std::vector<std::string> pieces;
    if (labels != nullptr) {
        for (const auto& [key, value] : labels->members()) {
            pieces.push_back(key + "=" + value.as_string());
        }
    }
    return join(std::move(pieces), "<none>");
}

std::string format_selector(const Json* selector) {
    if (selector == nullptr) return "<none>";
    std::vector<std::string> pieces;
    if (const Json* labels = selector->find("matchLabels")) {
        for (const auto& [key, value] : labels->members()) {
            pieces.push_back(key + "=" + value.as_string());
        }
    }
    if (const Json* expressions = selector->find("matchExpressions")) {
        for (const Json& expression : expressions->items()) {
            pieces.push_back(format_expression(expression));
        }
    }
    return join(std::move(pieces), "<none>");
}

std::string join_texts(const Json* texts) {
    std::string joined;
    if (texts == nullptr) return joined;
    for (const Json& text : texts->items()) {
        if (!joined.empty()) joined += ',';
        joined += text.as_string();
    }
    return joined;
}

const Printer& find_printer(const Kind& kind) {
    static const Printer generic{{{"Name"}, {"Age"}}, generic_cells};
    const bool workload = kind.group == "apps" || kind.group == "batch";
    const Printer* found = nullptr;
    if (kind.group.empty()) found = find_core_printer(kind.plural);
    if (workload) found = find_workload_printer(kind.plural);
    if (found == nullptr) found = find_storage_printer(kind.plural);
    if (found == nullptr) found = find_other_printer(kind);
    return found != nullptr ? *found : generic;
}

}  // namespace k8s::embedded
