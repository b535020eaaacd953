#include "k8s/embedded/store/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace k8s::embedded {
namespace {

constexpr std::size_t label_max = 63;
constexpr std::size_t subdomain_max = 253;

bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

bool is_label_form(std::string_view text) {
    if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) {
        return false;
    }
    return std::all_of(
        text.begin(), text.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain_form(std::string_view text) {
    while (true) {
        const std::size_t point = text.find('.');
        if (!is_label_form(text.substr(0, point))) return false;
        if (point == std::string_view::npos) return true;
        text.remove_prefix(point + 1);
    }
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool is_name_form(std::string_view text) {
    if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) {
        return false;
    }
    return std::all_of(text.begin(), text.end(), [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
    });
}

std::string too_long(std::size_t limit) {
    return fmt::format("must be no more than {} characters", limit);
}

constexpr const char* subdomain_rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr const char* label_rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* name_part_rule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr const char* qualified_rule =
    "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used "
    "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain "
    "prefix and '/' (e.g. 'example.com/MyName')";
constexpr const char* label_value_rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr const char* data_key_rule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

}  // namespace

Complaints check_dns_label(std::string_view text) {
    Complaints complaints;
    if (text.size() > label_max) complaints.push_back(too_long(label_max));
    if (!is_label_form(text)) {
        complaints.emplace_back(is_subdomain_form(text) ? "must not contain dots" : label_rule);
    }
    return complaints;
}

Complaints check_dns_subdomain(std::string_view text) {
    Complaints complaints;
    if (text.size() > subdomain_max) complaints.push_back(too_long(subdomain_max));
    if (!is_subdomain_form(text)) complaints.emplace_back(subdomain_rule);
    return complaints;
}

Complaints check_qualified_name(std::string_view text) {
    Complaints complaints;
    const std::size_t slash = text.find('/');
    std::string_view name = text;
    if (slash != std::string_view::npos) {
        const std::string_view prefix = text.substr(0, slash);
        name = text.substr(slash + 1);
        if (name.find('/') != std::string_view::npos) return {qualified_rule};
        if (prefix.empty()) complaints.emplace_back("prefix part must be non-empty");
        if (!prefix.empty()) {
            for (const std::string& why : check_dns_subdomain(prefix)) {
                complaints.push_back("prefix part " + why);
            }
        }
    }
    if (name.empty()) complaints.emplace_back("name part must be non-empty");
    if (name.size() > label_max) complaints.push_back("name part " + too_long(label_max));
    if (!is_name_form(name)) complaints.emplace_back(name_part_rule);
    return complaints;
}

Complaints check_label_value(std::string_view text) {
    Complaints complaints;
    if (text.size() > label_max) complaints.push_back(too_long(label_max));
    if (!text.empty() && !is_name_form(text)) complaints.emplace_back(label_value_rule);
    return complaints;
}

Complaints check_path_segment(std::string_view text) {
    if (text == "." || text == "..") return {fmt::format("may not be '{}'", text)};
    Complaints complaints;
    for (const char c : {'/', '%'}) {
        if (text.find(c) == std::string_view::npos) continue;
        complaints.push_back(fmt::format("may not contain '{}'", c));
    }
    return complaints;
}

Complaints check_data_key(std::string_view text) {
    Complaints complaints;
    if (text.size() > subdomain_max) complaints.push_back(too_long(subdomain_max));
    const bool well = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
    });
    if (!well) complaints.emplace_back(data_key_rule);
    if (text == "." || text == "..") complaints.push_back(fmt::format("must not be '{}'", text));
    if (text.starts_with("..") && text != "..") complaints.emplace_back("must not start with '..'");
    return complaints;
}

Complaints check_variable_name(std::string_view text) {
    const bool well = std::all_of(
        text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; });
    if (well) return {};
    return {
        "a valid environment variable name must consist only of printable ASCII characters other "
        "than '='"};
}

}  // namespace k8s::embedded
