#include "core/domain/pod_selection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace core {

namespace {

void keep_common_namespaces(PodSelection& to, const PodSelection& other) {
    if (other.all_namespaces) return;
    if (std::exchange(to.all_namespaces, false)) {
        to.namespaces = other.namespaces;
        return;
    }
    std::vector<std::string> common;
    std::set_intersection(
        to.namespaces.begin(),
        to.namespaces.end(),
        other.namespaces.begin(),
        other.namespaces.end(),
        std::back_inserter(common));
    to.namespaces = std::move(common);
}

void name_namespaces(PodAffinityTerm& term, const Namespaces& namespaces) {
    if (!term.needs_namespace_labels()) return;
    const std::vector<std::string> meant = namespaces.matching(term.namespace_selector);
    std::vector<std::string> all;
    std::set_union(
        term.namespaces.begin(),
        term.namespaces.end(),
        meant.begin(),
        meant.end(),
        std::back_inserter(all));
    term.namespaces = std::move(all);
    term.namespace_selector = {};
}

}  // namespace

bool PodSelection::matches(std::string_view namespace_name, const StringMap& pod_labels) const {
    return (all_namespaces ||
            std::binary_search(
                namespaces.begin(), namespaces.end(), namespace_name, std::less<>())) &&
           labels.matches(pod_labels);
}

PodRules with_namespaces(PodRules rules, const Namespaces& namespaces) {
    if (!namespaces.is_known()) return rules;
    for (PodAffinityTerm& term : rules.affinity) name_namespaces(term, namespaces);
    for (PodAffinityTerm& term : rules.anti_affinity) name_namespaces(term, namespaces);
    for (PreferredPods& one : rules.preferred) name_namespaces(one.term, namespaces);
    return rules;
}

PodSelection selection_of(const PodAffinityTerm& term) {
    if (term.means_all_namespaces()) return {true, {}, term.selector};
    return {false, term.namespaces, term.selector};
}

PodSelection selection_of_all(std::span<const PodAffinityTerm> terms) {
    if (terms.empty()) return {};
    PodSelection all{true, {}, {true, {}}};
    for (const PodAffinityTerm& term : terms) {
        keep_common_namespaces(all, selection_of(term));
        all.labels.is_set = all.labels.is_set && term.selector.is_set;
        for (const LabelRequirement& one : term.selector.requirements) all.labels.require(one);
    }
    if (!all.labels.is_set) all.labels.requirements.clear();
    return all;
}

PodSelection selection_of(const SpreadConstraint& constraint, const std::string& namespace_name) {
    if (constraint.selector.matches_all()) return {};
    return {false, {namespace_name}, constraint.selector};
}

}  // namespace core
