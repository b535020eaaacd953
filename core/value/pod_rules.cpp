#include "core/value/pod_rules.hpp"

#include <algorithm>

namespace core {

std::string find_unsupported(const PodRules& rules) {
    const auto is_by_labels = [](const PodAffinityTerm& term) {
        return term.needs_namespace_labels();
    };
    const auto any = [&](const std::vector<PodAffinityTerm>& terms) {
        return std::any_of(terms.begin(), terms.end(), is_by_labels);
    };
    const char* const field = any(rules.affinity)        ? "podAffinity"
                              : any(rules.anti_affinity) ? "podAntiAffinity"
                                                         : nullptr;
    if (field == nullptr) return {};
    return std::string(field) +
           ": a namespaceSelector with requirements is not supported, because labels of "
           "namespaces are not watched; list the namespaces by name, or select all of them with {}";
}

}  // namespace core
