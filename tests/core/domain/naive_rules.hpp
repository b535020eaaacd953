#pragma once
// Kubernetes' rules between pods, straight from their definition: every pod is looked at for every
// node, nothing is kept. What core/domain says, said again.

#include "core/domain/domain_rules.hpp"
#include "core/filter/filters.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tests {

struct RuledPod {
    std::string node;  ///< not among the nodes: it counts nowhere
    std::string namespace_name;
    core::StringMap labels;
    core::PodRules rules;
    core::Constraints constraints;
    bool is_deleting = false;
};

struct NaiveWorld {
    std::map<std::string, core::Node> nodes;
    std::vector<RuledPod> pods;
};

/// The node's value of the key, or nullptr; also for a node that is not there.
inline const std::string* naive_domain(
    const NaiveWorld& world, const std::string& node, const std::string& key) {
    const auto found = world.nodes.find(node);
    return found == world.nodes.end() ? nullptr : core::find_value(found->second.labels, key);
}

inline bool naive_matches(const core::PodAffinityTerm& term, const RuledPod& pod) {
    const bool is_namespace =
        term.namespace_selector.is_set ||
        std::count(term.namespaces.begin(), term.namespaces.end(), pod.namespace_name) > 0;
    return is_namespace && term.selector.matches(pod.labels);
}

inline bool naive_matches_all(
    const std::vector<core::PodAffinityTerm>& terms, const RuledPod& pod) {
    return std::all_of(
        terms.begin(), terms.end(), [&pod](const auto& term) { return naive_matches(term, pod); });
}

inline bool naive_counts_for(
    const RuledPod& pod, const core::SpreadConstraint& constraint, const core::Node& node) {
    for (const core::SpreadConstraint& one : pod.rules.spread) {
        if (core::find_value(node.labels, one.topology_key) == nullptr) return false;
    }
    using core::NodeInclusionPolicy;
    if (constraint.node_affinity_policy == NodeInclusionPolicy::honor &&
        (!core::matches_node_selector(node, pod.constraints.node_selector) ||
         !core::matches_required_affinity(node, pod.constraints))) {
        return false;
    }
    return constraint.node_taints_policy == NodeInclusionPolicy::ignore ||
           !core::find_untolerated_taint(node.taints, pod.constraints.tolerations);
}

inline bool naive_skews(
    const NaiveWorld& world,
    const RuledPod& pod,
    const core::SpreadConstraint& constraint,
    const std::string& node) {
    std::map<std::string, std::int64_t> counts;
    for (const auto& [name, one] : world.nodes) {
        if (!naive_counts_for(pod, constraint, one)) continue;
        std::int64_t& count = counts[*naive_domain(world, name, constraint.topology_key)];
        for (const RuledPod& other : world.pods) {
            if (other.node == name && other.namespace_name == pod.namespace_name &&
                !other.is_deleting && !constraint.selector.matches_all() &&
                constraint.selector.matches(other.labels)) {
                ++count;
            }
        }
    }
    std::int64_t least = counts.empty() ? 0 : INT64_MAX;
    for (const auto& [value, count] : counts) least = std::min(least, count);
    if (static_cast<std::int64_t>(counts.size()) < constraint.min_domains) least = 0;
    const std::int64_t itself = constraint.selector.matches(pod.labels) ? 1 : 0;
    return counts[*naive_domain(world, node, constraint.topology_key)] + itself - least >
           constraint.max_skew;
}

inline bool naive_is_near(const NaiveWorld& world, const RuledPod& pod, const std::string& node) {
    bool is_near_all = true;
    bool is_anybody_there = false;
    for (const core::PodAffinityTerm& term : pod.rules.affinity) {
        const std::string* domain = naive_domain(world, node, term.topology_key);
        if (domain == nullptr) return false;
        bool is_near = false;
        for (const RuledPod& other : world.pods) {
            const std::string* of_other = naive_domain(world, other.node, term.topology_key);
            if (of_other == nullptr || !naive_matches_all(pod.rules.affinity, other)) continue;
            is_anybody_there = true;
            is_near = is_near || *of_other == *domain;
        }
        is_near_all = is_near_all && is_near;
    }
    return is_near_all || (!is_anybody_there && naive_matches_all(pod.rules.affinity, pod));
}

/// One of the terms means `whom`, who is in the same domain as the node.
inline bool naive_collides(
    const NaiveWorld& world,
    const std::vector<core::PodAffinityTerm>& terms,
    const RuledPod& whom,
    const std::string& a,
    const std::string& b) {
    return std::any_of(terms.begin(), terms.end(), [&](const core::PodAffinityTerm& term) {
        const std::string* of_a = naive_domain(world, a, term.topology_key);
        const std::string* of_b = naive_domain(world, b, term.topology_key);
        return naive_matches(term, whom) && of_a != nullptr && of_b != nullptr && *of_a == *of_b;
    });
}

/// Why the pod may not go there; nothing: it may.
inline std::optional<core::DomainReason> naive_reason(
    const NaiveWorld& world, const RuledPod& pod, const std::string& node) {
    for (const core::SpreadConstraint& one : pod.rules.spread) {
        if (naive_domain(world, node, one.topology_key) == nullptr) {
            return core::DomainReason::spread_label_missing;
        }
        if (naive_skews(world, pod, one, node)) return core::DomainReason::spread;
    }
    if (!naive_is_near(world, pod, node)) return core::DomainReason::affinity;
    for (const RuledPod& other : world.pods) {
        if (naive_collides(world, pod.rules.anti_affinity, other, node, other.node)) {
            return core::DomainReason::anti_affinity;
        }
    }
    for (const RuledPod& other : world.pods) {
        if (naive_collides(world, other.rules.anti_affinity, pod, node, other.node)) {
            return core::DomainReason::existing_anti_affinity;
        }
    }
    return std::nullopt;
}

/// The most such pods that can be placed one after another, by trying every order. `room`: pods
/// that each node takes at most.
inline std::int64_t naive_most(
    const NaiveWorld& world, const RuledPod& pod, const std::map<std::string, std::int64_t>& room) {
    using Placed = std::map<std::string, std::int64_t>;
    std::set<Placed> seen;
    std::vector<Placed> open{{}};
    std::int64_t most = 0;
    while (!open.empty()) {
        const Placed placed = open.back();
        open.pop_back();
        NaiveWorld now = world;
        std::int64_t count = 0;
        for (const auto& [node, pods] : placed) {
            count += pods;
            RuledPod one = pod;
            one.node = node;
            now.pods.insert(now.pods.end(), static_cast<std::size_t>(pods), one);
        }
        most = std::max(most, count);
        for (const auto& [node, free] : room) {
            Placed next = placed;
            if (++next[node] > free || naive_reason(now, pod, node)) continue;
            if (seen.insert(next).second) open.push_back(next);
        }
    }
    return most;
}

}  // namespace tests
