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

}  // namespace

bool PodSelection::matches(std::string_view namespace_name, const StringMap& pod_labels) const {
    return (all_namespaces ||
            std::binary_search(
                namespaces.begin(), namespaces.end(), namespace_name, std::less<>())) &&
           labels.matches(pod_labels);
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
