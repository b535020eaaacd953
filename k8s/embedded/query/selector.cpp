#include "k8s/embedded/query/selector.hpp"

#include "k8s/embedded/query/events_view.hpp"
#include "k8s/embedded/store/json_tools.hpp"
#include "k8s/embedded/store/names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace k8s::embedded {

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    const bool is_whole = !text.empty() && parsed.ec == std::errc() && parsed.ptr == end;
    return is_whole ? std::optional(value) : std::nullopt;
}

/// One condition on one label.
struct Requirement {
    std::string key;
    bool wants_presence = true;    ///< false: the negative forms, which an absent label fulfils
    std::set<std::string> values;  ///< empty: presence alone decides
    char comparison = 0;           ///< '<' or '>': the label's number against the one value

    bool holds(const Json* labels) const {
        const Json* label = labels == nullptr ? nullptr : labels->find(key);
        if (comparison != 0) {
            return label != nullptr && compares(label->as_string(), *values.begin());
        }
        if (label == nullptr) {
            return !wants_presence;
        }
        if (values.empty()) {
            return wants_presence;
        }
        return values.contains(label->as_string()) == wants_presence;
    }

    bool compares(const std::string& label, const std::string& wanted) const {
        const auto left = whole_number(label);
        const auto right = whole_number(wanted);
        return left && right && (comparison == '<' ? *left < *right : *left > *right);
    }

    bool is_valid() const {
        if (comparison != 0 && !whole_number(*values.begin())) {
            return false;
        }
        return check_qualified_name(key).empty() &&
               std::all_of(values.begin(), values.end(), [](const std::string& value) {
                   return check_label_value(value).empty();
               });
    }
};

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// At commas, but not at those inside brackets.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(trim(text.substr(begin, i - begin)));
            begin = i + 1;
        } else if (text[i] == '(') {
            ++depth;
        } else if (text[i] == ')') {
            --depth;
        }
    }
    return parts;
}

std::optional<Requirement> set_requirement(std::string_view part, std::string_view word) {
    const auto at = part.find(word);
    const auto rest = trim(part.substr(at + word.size()));
    if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') {
        return std::nullopt;
    }
    Requirement result{std::string(trim(part.substr(0, at))), word == " in ", {}};
    for (const auto value : split(rest.substr(1, rest.size() - 2))) {
        result.values.emplace(value);
    }
    return result;
}

std::optional<Requirement> parse_requirement(std::string_view part) {
    // "in(" without a blank is legal too, so a blank is put before every bracket first.
    std::string spaced(part);
    if (const auto bracket = spaced.find('('); bracket != std::string::npos) {
        spaced.insert(bracket, " ");
        const std::string_view text = spaced;
        for (const std::string_view word : {" in ", " notin "}) {
            if (text.substr(0, bracket + 1).find(word) != std::string_view::npos) {
                return set_requirement(text, word);
            }
        }
        return std::nullopt;
    }
    if (!part.empty() && part.front() == '!') {
        return Requirement{std::string(trim(part.substr(1))), false, {}};
    }
    const auto equals = part.find('=');
    const auto sign = part.find_first_of("<>");
    if (equals == std::string_view::npos && sign != std::string_view::npos) {
        Requirement result{std::string(trim(part.substr(0, sign))), true, {}};
        result.values.emplace(trim(part.substr(sign + 1)));
        result.comparison = part[sign];
        return result;
    }
    if (equals == std::string_view::npos) {
        return Requirement{std::string(part), true, {}};
    }
    const bool is_negative = equals > 0 && part[equals - 1] == '!';
    const auto key = part.substr(0, is_negative ? equals - 1 : equals);
    auto value = part.substr(equals + 1);
    if (!value.empty() && value.front() == '=') {
        value.remove_prefix(1);
    }
    return Requirement{std::string(trim(key)), !is_negative, {std::string(trim(value))}};
}

struct FieldTerm {
    std::string label;
    std::vector<std::string> path;
    std::string value;
    bool is_negative = false;
};

std::vector<std::string> path_of(std::string_view label) {
    std::vector<std::string> path;
    for (std::size_t begin = 0; begin <= label.size();) {
        const auto end = std::min(label.find('.', begin), label.size());
        path.emplace_back(label.substr(begin, end - begin));
        begin = end + 1;
    }
    return path;
}

/// The place of a field in the stored object, which for events is the core form.
std::vector<std::string> stored_path(const Kind& kind, const std::string& label) {
    const auto& stored = kind.stored_view();
    if (stored.plural != "events") {
        return label == "status.podIPs" ? path_of("status.podIP") : path_of(label);
    }
    const auto core_label = &stored == &kind ? label : core_event_field(label);
    return path_of(core_label == "source" ? "source.component" : core_label);
}

std::string field_text(const Json& object, const std::vector<std::string>& path) {
    const Json* here = &object;
    for (const auto& step : path) {
        here = here->find(step);
        if (here == nullptr) {
            return {};
        }
    }
    return scalar_text(*here);
}

bool is_known(const Kind& kind, std::string_view label) {
    return label == "metadata.name" || label == "metadata.namespace" ||
           std::find(kind.fields.begin(), kind.fields.end(), label) != kind.fields.end();
}

Failure unknown_field(const Kind& kind, const std::string& label) {
    if (kind.fields.empty()) {
        return bad_request(
            "\"" + label +
            "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
    }
    return bad_request("field label not supported: " + label);
}

/// A boolean field that was left out reads as false, like the typed object of the real server.
bool field_holds(const Json& object, const FieldTerm& term) {
    std::string text = field_text(object, term.path);
    if (text.empty() && (term.label == "spec.unschedulable" || term.label == "spec.hostNetwork")) {
        text = "false";
    }
    return (text == term.value) != term.is_negative;
}

}  // namespace

Outcome<Predicate> parse_label_selector(std::string_view text) {
    if (trim(text).empty()) {
        return Predicate();
    }
    std::vector<Requirement> requirements;
    for (const auto part : split(text)) {
        auto requirement = parse_requirement(part);
        if (!requirement || !requirement->is_valid()) {
            return bad_request(
                "unable to parse requirement: found '" + std::string(part) +
                "', expected: a label selector");
        }
        requirements.push_back(std::move(*requirement));
    }
    return Predicate([requirements = std::move(requirements)](const Json& object) {
        const Json* labels = object.find_path({"metadata", "labels"});
        return std::all_of(requirements.begin(), requirements.end(), [&](const auto& one) {
            return one.holds(labels);
        });
    });
}

Outcome<Predicate> parse_field_selector(const Kind& kind, std::string_view text) {
    if (trim(text).empty()) {
        return Predicate();
    }
    std::vector<FieldTerm> terms;
    for (const auto part : split(text)) {
        if (part.empty()) {
            continue;
        }
        auto requirement = parse_requirement(part);
        const bool is_set = part.find('(') != std::string_view::npos;
        if (!requirement || is_set || requirement->values.size() != 1) {
            return bad_request(
                "invalid field selector: \"" + std::string(part) + "\"; can't understand it");
        }
        if (!is_known(kind, requirement->key)) {
            return unknown_field(kind, requirement->key);
        }
        terms.push_back(FieldTerm{
            requirement->key,
            stored_path(kind, requirement->key),
            *requirement->values.begin(),
            !requirement->wants_presence});
    }
    return Predicate([terms = std::move(terms)](const Json& object) {
        return std::all_of(terms.begin(), terms.end(), [&](const FieldTerm& term) {
            return field_holds(object, term);
        });
    });
}

Predicate both(Predicate left, Predicate right) {
    if (!left || !right) {
        return left ? std::move(left) : std::move(right);
    }
    return [left = std::move(left), right = std::move(right)](const Json& object) {
        return left(object) && right(object);
    };
}

}  // namespace k8s::embedded
