#pragma once
// What a pod asks of the pods around it: affinity and anti-affinity to other pods, and spreading
// over domains. What is required excludes nodes. What is preferred, among it spreading with
// whenUnsatisfiable: ScheduleAnyway, only makes some nodes better than others.

#include "core/base/boxed.hpp"
#include "core/value/constraints.hpp"
#include "core/value/label_selector.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
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

    /// Which namespaces are meant depends on their labels: core/domain/pod_selection.hpp has what
    /// becomes of such a term. As it stands it is taken to mean all.
    bool needs_namespace_labels() const {
        return namespace_selector.is_set && !namespace_selector.matches_all();
    }
    bool means_all_namespaces() const { return namespace_selector.is_set; }
    friend auto operator<=>(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

/// The nodes near such pods are better for it.
struct PreferredPods {
    PodAffinityTerm term;
    std::int32_t weight = 1;  ///< 1 to 100; of anti-affinity -1 to -100: these nodes are worse
    friend auto operator<=>(const PreferredPods&, const PreferredPods&) = default;
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
    std::vector<PreferredPods> preferred = {};   ///< affinity and anti-affinity
    std::vector<SpreadConstraint> preferred_spread = {};
    /// `preferred_spread` is not the pod's own but its profile's: nodes without one of its topology
    /// keys are compared by the others.
    bool spreads_by_default = false;

    bool has_required() const {
        return !affinity.empty() || !anti_affinity.empty() || !spread.empty();
    }
    bool has_preferred() const { return !preferred.empty() || !preferred_spread.empty(); }
    bool empty() const { return !has_required() && !has_preferred(); }
    /// The terms that reach pods that come later, once a pod with these rules is placed.
    bool has_terms() const {
        return !affinity.empty() || !anti_affinity.empty() || !preferred.empty();
    }
    friend auto operator<=>(const PodRules&, const PodRules&) = default;
};

/// Of pods that say nothing of spreading: those that carry the same labels rather go to different
/// nodes, and different zones, as kube-scheduler's default constraints have it for pods of one
/// service or controller. Labels that tell such pods apart are passed over. Nothing for a pod
/// without labels.
void add_default_spread(Boxed<PodRules>& rules, const StringMap& labels);

/// How preferences between pods are counted: the arguments of kube-scheduler's InterPodAffinity.
struct PodScoring {
    /// Of a placed pod's required affinity that means the pod: hardPodAffinityWeight, 0 to 100.
    std::int32_t required_affinity = 1;
    /// What placed pods prefer counts only for pods that prefer something themselves.
    bool ignores_placed = false;
    friend bool operator==(const PodScoring&, const PodScoring&) = default;
};

/// Some term means pods by the labels of their namespaces.
bool needs_namespace_labels(const PodRules& rules);
/// The field of the pod in which that is required; empty: at most it is preferred.
std::string_view requires_namespace_labels(const PodRules& rules);

}  // namespace core
