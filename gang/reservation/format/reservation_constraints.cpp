// Constraints in the reservation's grammar:
//
//   selector=key:value,key:value
//   affinity=TERM|TERM        TERM: REQ&REQ, or - for a term without requirements
//                             REQ: e:key:operator:value:value (f: match_fields)
//   tolerations=key:operator:value:effect:seconds,...      effect 0 = any

#include "gang/reservation/format/reservation_text.hpp"

#include <array>
#include <utility>

namespace gang::text {
namespace {

using core::SelectorOperator;
using core::TaintEffect;

constexpr std::array<std::pair<SelectorOperator, std::string_view>, 6> operators = {{
    {SelectorOperator::in, "in"},
    {SelectorOperator::not_in, "notin"},
    {SelectorOperator::exists, "exists"},
    {SelectorOperator::does_not_exist, "absent"},
    {SelectorOperator::greater, "gt"},
    {SelectorOperator::less, "lt"},
}};

constexpr std::array<std::pair<TaintEffect, std::string_view>, 3> effects = {{
    {TaintEffect::no_schedule, "noschedule"},
    {TaintEffect::prefer_no_schedule, "prefer"},
    {TaintEffect::no_execute, "noexecute"},
}};

template <typename Table, typename Value>
std::string_view word_of(const Table& table, Value value) {
    for (const auto& [candidate, word] : table) {
        if (candidate == value) {
            return word;
        }
    }
    return {};
}

template <typename Table, typename Value>
bool value_of(const Table& table, std::string_view word, Value& into) {
    for (const auto& [candidate, name] : table) {
        if (name == word) {
            into = candidate;
            return true;
        }
    }
    return false;
}

void write_requirements(
    std::string& out, const std::vector<core::NodeSelectorRequirement>& requirements, char kind) {
    for (const core::NodeSelectorRequirement& requirement : requirements) {
        if (out.back() != '=' && out.back() != '|') {
            out += '&';
        }
        out += kind;
        out += ':' + escape(requirement.key) + ':';
        out += word_of(operators, requirement.op);
        for (const std::string& value : requirement.values) {
            out += ':' + escape(value);
        }
    }
}

void write_affinity(std::string& out, const core::Constraints& constraints) {
    if (!constraints.has_required_affinity) {
        return;
    }
    out += " affinity=";
    for (std::size_t i = 0; i < constraints.required_affinity.size(); ++i) {
        const core::NodeSelectorTerm& term = constraints.required_affinity[i];
        if (i > 0) {
            out += '|';
        }
        if (term.match_expressions.empty() && term.match_fields.empty()) {
            out += '-';
        }
        write_requirements(out, term.match_expressions, 'e');
        write_requirements(out, term.match_fields, 'f');
    }
}

bool read_requirement(std::string_view written, core::NodeSelectorTerm& into) {
    const auto parts = split(written, ':');
    if (parts.size() < 3 || (parts[0] != "e" && parts[0] != "f")) {
        return false;
    }
    core::NodeSelectorRequirement requirement;
    const auto key = unescape(parts[1]);
    if (!key || !value_of(operators, parts[2], requirement.op)) {
        return false;
    }
    requirement.key = *key;
    for (std::size_t i = 3; i < parts.size(); ++i) {
        const auto value = unescape(parts[i]);
        if (!value) {
            return false;
        }
        requirement.values.push_back(*value);
    }
    (parts[0] == "e" ? into.match_expressions : into.match_fields)
        .push_back(std::move(requirement));
    return true;
}

bool read_affinity(std::string_view written, core::Constraints& into) {
    into.has_required_affinity = true;
    if (written.empty()) {
        return true;  // a required affinity without terms: matches nothing
    }
    for (const std::string_view term : split(written, '|')) {
        core::NodeSelectorTerm& read = into.required_affinity.emplace_back();
        if (term == "-") {
            continue;
        }
        for (const std::string_view requirement : split(term, '&')) {
            if (!read_requirement(requirement, read)) {
                return false;
            }
        }
    }
    return true;
}

bool read_selector(std::string_view written, core::Constraints& into) {
    for (const std::string_view item : split(written, ',')) {
        const auto parts = split(item, ':');
        if (parts.size() != 2) {
            return false;
        }
        auto key = unescape(parts[0]);
        auto value = unescape(parts[1]);
        if (!key || !value ||
            (!into.node_selector.empty() && into.node_selector.back().first >= *key)) {
            return false;  // a StringMap is sorted and its keys are unique
        }
        into.node_selector.emplace_back(std::move(*key), std::move(*value));
    }
    return true;
}

bool read_toleration(std::string_view written, core::Toleration& into) {
    const auto parts = split(written, ':');
    if (parts.size() != 5 || (parts[1] != "exists" && parts[1] != "equal")) {
        return false;
    }
    const auto key = unescape(parts[0]);
    const auto value = unescape(parts[2]);
    const auto seconds = number(parts[4]);
    if (!key || !value || !seconds) {
        return false;
    }
    into.key = *key;
    into.exists = parts[1] == "exists";
    into.value = *value;
    into.seconds = *seconds;
    into.any_effect = parts[3] == "any";
    return into.any_effect || value_of(effects, parts[3], into.effect);
}

}  // namespace

void write_constraints(std::string& out, const core::Constraints& constraints) {
    std::string_view separator = " selector=";
    for (const auto& [key, value] : constraints.node_selector) {
        out.append(separator).append(escape(key)).append(":").append(escape(value));
        separator = ",";
    }
    write_affinity(out, constraints);
    separator = " tolerations=";
    for (const core::Toleration& toleration : constraints.tolerations) {
        out.append(separator).append(escape(toleration.key));
        out.append(toleration.exists ? ":exists:" : ":equal:").append(escape(toleration.value));
        out.append(":");
        out.append(toleration.any_effect ? "any" : word_of(effects, toleration.effect));
        // A forged negative number of seconds other than "none" would not read back.
        out += ':' + std::to_string(toleration.seconds < 0 ? -1 : toleration.seconds);
        separator = ",";
    }
}

bool read_constraints(const Fields& fields, core::Constraints& into) {
    const auto selector = fields.find("selector");
    const auto affinity = fields.find("affinity");
    const auto tolerations = fields.find("tolerations");
    if ((selector && !read_selector(*selector, into)) ||
        (affinity && !read_affinity(*affinity, into))) {
        return false;
    }
    if (tolerations) {
        for (const std::string_view item : split(*tolerations, ',')) {
            if (!read_toleration(item, into.tolerations.emplace_back())) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace gang::text
