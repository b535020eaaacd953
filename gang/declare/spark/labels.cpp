#include "gang/declare/spark/labels.hpp"

#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace gang::spark {
namespace {

constexpr std::size_t name_max = 63;
constexpr std::size_t subdomain_max = 253;
constexpr std::string_view app_name_label = "spark-app-name";
constexpr std::string_view app_selector_label = "spark-app-selector";
constexpr std::string_view version_label = "spark-version";

constexpr std::array<std::string_view, 6> kept_by_spark = {
    app_name_label,
    app_selector_label,
    version_label,
    "spark-exec-id",
    "spark-exec-resourceprofile-id",
    "spark-role"};

bool is_lower(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

/// What Spark does with {{EXECUTOR_ID}} differs from executor to executor.
std::string with_application(std::string value, const std::string& id) {
    constexpr std::string_view placeholder = "{{APP_ID}}";
    auto at = value.find(placeholder);
    while (at != std::string::npos) {
        value.replace(at, placeholder.size(), id);
        at = value.find(placeholder, at + id.size());
    }
    return value;
}

core::Result<core::Done> check_label(const std::string& label, const std::string& value) {
    const std::string key = std::string(keys::executor_label_prefix) + label;
    if (std::find(kept_by_spark.begin(), kept_by_spark.end(), label) != kept_by_spark.end()) {
        return core::Error{key + ": Spark keeps this label for itself and refuses it"};
    }
    if (!is_label_key(label)) {
        return core::Error{
            key + ": " + quoted(label) +
            " is not a label's key: expected a name of at most 63 letters, "
            "digits, '-', '_' and '.', perhaps after a DNS name and '/'"};
    }
    if (value.find("{{EXECUTOR_ID}}") == std::string::npos && !is_label_value(value)) {
        return wrong_value(
            key,
            value,
            "expected a label's value: at most 63 letters, digits, '-', '_' and '.', beginning and "
            "ending with a letter or digit");
    }
    return core::Done{};
}

}  // namespace

bool is_label_value(std::string_view text) {
    if (text.empty()) {
        return true;
    }
    const auto is_inner = [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
    };
    return text.size() <= name_max && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), is_inner);
}

bool is_subdomain(std::string_view text) {
    if (text.empty() || text.size() > subdomain_max) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool at_edge = i == 0 || i + 1 == text.size() || text[i - 1] == '.' ||
                             text[i + 1] == '.' || text[i] == '.';
        const bool is_dot = text[i] == '.' && i != 0 && i + 1 != text.size() && text[i - 1] != '.';
        if (!is_lower(text[i]) && !is_dot && (at_edge || text[i] != '-')) {
            return false;
        }
    }
    return true;
}

bool is_label_key(std::string_view text) {
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        if (!is_subdomain(text.substr(0, slash))) {
            return false;
        }
        text.remove_prefix(slash + 1);
    }
    return !text.empty() && is_label_value(text);
}

core::Result<core::StringMap> executor_labels(
    const core::StringMap& in_template, const ConfView& conf, const Ground& ground) {
    const std::string* id = core::find_value(ground.driver.labels, std::string(app_selector_label));
    std::map<std::string, std::string> labels(in_template.begin(), in_template.end());
    for (auto& [label, text] : conf.with_prefix(keys::executor_label_prefix)) {
        const bool fills_in = ground.version >= label_placeholders_since && id != nullptr;
        const std::string value = fills_in ? with_application(text, *id) : text;
        if (const auto checked = check_label(label, value); !checked) {
            return checked.error();
        }
        labels.insert_or_assign(label, value);
    }
    labels.erase(std::string(app_name_label));
    labels.erase("spark-exec-id");
    labels["spark-role"] = "executor";
    labels["spark-exec-resourceprofile-id"] = "0";
    for (const std::string_view shared : {app_selector_label, version_label}) {
        if (const std::string* value =
                core::find_value(ground.driver.labels, std::string(shared))) {
            labels[std::string(shared)] = *value;
        }
    }
    return core::StringMap(labels.begin(), labels.end());
}

}  // namespace gang::spark
