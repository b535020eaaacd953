#include "core/value/constraints.hpp"

#include <algorithm>

namespace core {

const std::string* find_value(const StringMap& map, std::string_view key) {
    const auto at = std::lower_bound(
        map.begin(), map.end(), key, [](const auto& entry, std::string_view wanted) {
            return entry.first < wanted;
        });
    return at != map.end() && at->first == key ? &at->second : nullptr;
}

void add_tolerations(Constraints& constraints, const std::vector<Toleration>& tolerations) {
    std::vector<Toleration>& own = constraints.tolerations;
    for (const Toleration& one : tolerations) {
        if (std::find(own.begin(), own.end(), one) == own.end()) own.push_back(one);
    }
}

Constraints among(Constraints constraints, std::vector<std::string> nodes) {
    const NodeSelectorRequirement offered{
        "metadata.name", SelectorOperator::in, std::move(nodes)};
    if (!constraints.has_required_affinity) {
        constraints.has_required_affinity = true;
        constraints.required_affinity = {{{}, {offered}}};
        return constraints;
    }
    for (NodeSelectorTerm& term : constraints.required_affinity) {
        // One without requirements is no node's, and stays so.
        if (!term.match_expressions.empty() || !term.match_fields.empty()) {
            term.match_fields.push_back(offered);
        }
    }
    return constraints;
}

}  // namespace core
