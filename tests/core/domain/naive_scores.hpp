#pragma once
// kube-scheduler's InterPodAffinity and PodTopologySpread as scores, straight from their definition:
// every pod is looked at for every node, nothing is kept. What core/domain says, said again.

#include "tests/core/domain/naive_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tests {

/// By node name; of feasible nodes.
using NaiveScores = std::map<std::string, std::int64_t>;

inline bool naive_means(const core::PodAffinityTerm& term, const RuledPod& pod) {
    return !term.needs_namespace_labels() && naive_matches(term, pod);
}

inline bool naive_is_near_node(
    const NaiveWorld& world, const std::string& key, const std::string& a, const std::string& b) {
    const std::string* of_a = naive_domain(world, a, key);
    const std::string* of_b = naive_domain(world, b, key);
    return of_a != nullptr && of_b != nullptr && *of_a == *of_b;
}

/// What one placed pod adds to the node.
inline std::int64_t naive_attraction(
    const NaiveWorld& world,
    const RuledPod& pod,
    const RuledPod& other,
    const std::string& node,
    const core::PodScoring& scoring) {
    std::int64_t sum = 0;
    for (const core::PreferredPods& one : pod.rules.preferred) {
        const bool is_near = naive_is_near_node(world, one.term.topology_key, node, other.node);
        if (is_near && naive_means(one.term, other)) sum += one.weight;
    }
    if (scoring.ignores_placed && pod.rules.preferred.empty()) return sum;
    for (const core::PodAffinityTerm& term : other.rules.affinity) {
        const bool is_near = naive_is_near_node(world, term.topology_key, node, other.node);
        if (is_near && naive_matches(term, pod)) sum += scoring.required_affinity;
    }
    for (const core::PreferredPods& one : other.rules.preferred) {
        const bool is_near = naive_is_near_node(world, one.term.topology_key, node, other.node);
        if (is_near && naive_means(one.term, pod)) sum += one.weight;
    }
    return sum;
}

/// 0 to 100; 0 for all where they are alike.
inline NaiveScores naive_affinity_scores(
    const NaiveWorld& world,
    const RuledPod& pod,
    const std::set<std::string>& feasible,
    const core::PodScoring& scoring) {
    NaiveScores sums;
    for (const std::string& node : feasible) {
        sums[node] = 0;
        for (const RuledPod& other : world.pods) {
            sums[node] += naive_attraction(world, pod, other, node, scoring);
        }
    }
    if (sums.empty()) return sums;
    const auto by_score = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end(), by_score);
    const std::int64_t low = least->second;
    const std::int64_t width = most->second - low;
    for (auto& [node, sum] : sums) {
        const double share = static_cast<double>(sum - low) / static_cast<double>(width);
        sum = width == 0 ? 0 : static_cast<std::int64_t>(100.0 * share);
    }
    return sums;
}

inline bool naive_has_soft_keys(const RuledPod& pod, const core::Node& node) {
    if (pod.rules.spreads_by_default) return true;
    return std::all_of(
        pod.rules.preferred_spread.begin(),
        pod.rules.preferred_spread.end(),
        [&node](const core::SpreadConstraint& one) {
            return core::find_value(node.labels, one.topology_key) != nullptr;
        });
}

inline std::int64_t naive_count_on(
    const NaiveWorld& world,
    const RuledPod& pod,
    const core::SpreadConstraint& constraint,
    const std::string& node) {
    return std::count_if(world.pods.begin(), world.pods.end(), [&](const RuledPod& other) {
        return other.node == node && other.namespace_name == pod.namespace_name &&
               !other.is_deleting && !constraint.selector.matches_all() &&
               constraint.selector.matches(other.labels);
    });
}

inline bool naive_policies_count(
    const RuledPod& pod, const core::SpreadConstraint& constraint, const core::Node& node) {
    using core::NodeInclusionPolicy;
    const bool by_affinity =
        constraint.node_affinity_policy == NodeInclusionPolicy::ignore ||
        (core::matches_node_selector(node, pod.constraints.node_selector) &&
         core::matches_required_affinity(node, pod.constraints));
    return by_affinity &&
           (constraint.node_taints_policy == NodeInclusionPolicy::ignore ||
            !core::find_untolerated_taint(node.taints, pod.constraints.tolerations));
}

/// 0 to 100, the fewer such pods there are the more.
inline NaiveScores naive_spread_scores(
    const NaiveWorld& world, const RuledPod& pod, const std::set<std::string>& feasible) {
    std::set<std::string> counted;
    for (const std::string& node : feasible) {
        if (naive_has_soft_keys(pod, world.nodes.at(node))) counted.insert(node);
    }
    std::map<std::string, double> raw;
    for (const core::SpreadConstraint& one : pod.rules.preferred_spread) {
        const bool by_node = one.topology_key == "kubernetes.io/hostname";
        std::map<std::string, std::int64_t> there;
        for (const std::string& node : counted) {
            const std::string* const found = naive_domain(world, node, one.topology_key);
            const std::string domain = found == nullptr ? "" : *found;
            there[by_node ? node : domain] += by_node ? naive_count_on(world, pod, one, node) : 0;
        }
        for (const auto& [name, node] : world.nodes) {
            if (by_node || !naive_has_soft_keys(pod, node)) continue;
            if (naive_domain(world, name, one.topology_key) == nullptr) continue;
            const auto at = there.find(*naive_domain(world, name, one.topology_key));
            if (at == there.end() || !naive_policies_count(pod, one, node)) continue;
            at->second += naive_count_on(world, pod, one, name);
        }
        const double weight = std::log(static_cast<double>(there.size() + 2));
        for (const std::string& node : counted) {
            raw[node] += 0;
            if (naive_domain(world, node, one.topology_key) == nullptr) continue;
            const std::string& at = by_node ? node : *naive_domain(world, node, one.topology_key);
            raw[node] += static_cast<double>(there.at(at)) * weight + (one.max_skew - 1);
        }
    }
    std::int64_t least = INT64_MAX;
    std::int64_t most = 0;
    for (const auto& [node, score] : raw) {
        least = std::min<std::int64_t>(least, std::llround(score));
        most = std::max<std::int64_t>(most, std::llround(score));
    }
    NaiveScores scores;
    for (const std::string& node : feasible) {
        const std::int64_t own = counted.contains(node) ? std::llround(raw[node]) : 0;
        scores[node] = !counted.contains(node) ? 0
                       : most == 0             ? 100
                                               : 100 * (most + least - own) / most;
    }
    return scores;
}

}  // namespace tests
