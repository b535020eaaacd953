#pragma once
// What a pod asks of the pods around it: required affinity and anti-affinity to other pods, and
// spreading that must be kept (whenUnsatisfiable: DoNotSchedule). Preferences, among them spreading
// with ScheduleAnyway, never exclude a node and are not kept.

#include "core/value/label_selector.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Pods of some namespaces with such labels, seen by domains: nodes with one value of a label.
struct PodAffinityTerm {
    std::string topology_key;
    LabelSelector selector;
    /// Sorted, each once. The pod's own if the term names none; none where all are meant.
    std::vector<std::string> namespaces;
    /// Not set: `namespaces` alone count. Empty: all namespaces.
    LabelSelector namespace_selector;

    /// Which namespaces are meant depends on their labels, which nobody watches here: see
    /// find_unsupported(). Until then such a term is taken to mean all.
    bool needs_namespace_labels() const {
        return namespace_selector.is_set && !namespace_selector.matches_all();
    }
    bool means_all_namespaces() const { return namespace_selector.is_set; }
    friend auto operator<=>(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

enum class NodeInclusionPolicy : std::uint8_t { honor, ignore };

/// No domain may have more matching pods than the emptiest one by more than `max_skew`.
struct SpreadConstraint {
    std::int32_t max_skew = 1;
    std::string topology_key;
    LabelSelector selector;  ///< of pods in the pod's own namespace
    /// With fewer domains the emptiest one is taken to have none.
    std::int32_t min_domains = 1;
    /// Whether nodes that the pod's node selector and affinity exclude are left out of the count,
    /// and those with taints that it does not tolerate.
    NodeInclusionPolicy node_affinity_policy = NodeInclusionPolicy::honor;
    NodeInclusionPolicy node_taints_policy = NodeInclusionPolicy::ignore;
    friend auto operator<=>(const SpreadConstraint&, const SpreadConstraint&) = default;
};

struct PodRules {
    std::vector<PodAffinityTerm> affinity;       ///< all must hold
    std::vector<PodAffinityTerm> anti_affinity;  ///< all must hold
    std::vector<SpreadConstraint> spread;        ///< all must hold
    bool empty() const { return affinity.empty() && anti_affinity.empty() && spread.empty(); }
    friend auto operator<=>(const PodRules&, const PodRules&) = default;
};

/// Why no pod with these rules can be placed by us, as a sentence for its owner; empty: nothing.
std::string find_unsupported(const PodRules& rules);

}  // namespace core
