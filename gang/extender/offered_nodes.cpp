#include "gang/extender/offered_nodes.hpp"

#include <utility>

namespace gang {

core::Constraints among(core::Constraints constraints, std::vector<std::string> nodes) {
    const core::NodeSelectorRequirement offered{
        "metadata.name", core::SelectorOperator::in, std::move(nodes)};
    if (!constraints.has_required_affinity) {
        constraints.has_required_affinity = true;
        constraints.required_affinity = {{{}, {offered}}};
        return constraints;
    }
    for (core::NodeSelectorTerm& term : constraints.required_affinity) {
        // One without requirements is no node's, and stays so.
        if (!term.match_expressions.empty() || !term.match_fields.empty()) {
            term.match_fields.push_back(offered);
        }
    }
    return constraints;
}

}  // namespace gang
