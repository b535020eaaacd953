#pragma once
// Which pods a rule speaks of: those of some namespaces with such labels. What several terms select
// together is one selection again, so rules that mean the same pods share their counts.

#include "core/value/namespaces/namespaces.hpp"
#include "core/value/pod_rules.hpp"

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct PodSelection {
    bool all_namespaces = false;
    std::vector<std::string> namespaces;  ///< sorted; none with all_namespaces
    LabelSelector labels;

    bool matches(std::string_view namespace_name, const StringMap& pod_labels) const;
    friend auto operator<=>(const PodSelection&, const PodSelection&) = default;
};

/// The same rules, where each term names the namespaces that its selector means by their labels. As
/// they stand, if the namespaces are not known.
PodRules with_namespaces(PodRules rules, const Namespaces& namespaces);

/// The pods that a term means. A term that needs the labels of namespaces means all of them: where
/// such a pod runs, we rather keep a node free than break its rule.
PodSelection selection_of(const PodAffinityTerm& term);

/// The pods that every one of these terms means: for affinity a pod counts if it matches all terms,
/// not one of them. Without any term: none.
PodSelection selection_of_all(std::span<const PodAffinityTerm> terms);

/// The pods that spreading counts. An empty selector counts none, though it matches every pod:
/// kube-scheduler's rule.
PodSelection selection_of(const SpreadConstraint& constraint, const std::string& namespace_name);

}  // namespace core
