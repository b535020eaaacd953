#pragma once
// A cluster with DomainRules beside it, led as their owner has to, and the same told naively.

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "tests/core/domain/naive_rules.hpp"

#include <string>
#include <vector>

namespace tests {

inline core::LabelSelector selector(const core::StringMap& labels) {
    core::LabelSelector made{true, {}};
    for (const auto& [key, value] : labels) made.require({key, core::LabelOperator::in, {value}});
    return made;
}

inline core::PodAffinityTerm term(
    const std::string& key, const core::StringMap& labels, const std::string& in = "default") {
    return {key, selector(labels), {in}, {}};
}

inline core::SpreadConstraint spread(
    const std::string& key, const core::StringMap& labels, std::int32_t max_skew = 1) {
    core::SpreadConstraint made;
    made.max_skew = max_skew;
    made.topology_key = key;
    made.selector = selector(labels);
    return made;
}

inline core::PlacedPod placed(const RuledPod& pod, core::NodeIndex node) {
    return {node, pod.namespace_name, pod.labels, &pod.rules, pod.is_deleting};
}

struct DomainWorld {
    core::Cluster cluster;
    core::DomainRules rules;
    NaiveWorld naive;
    std::vector<std::string> uids;  ///< parallel to the naive pods
    int next_uid = 0;

    void upsert_node(const std::string& name, const core::StringMap& labels) {
        core::Node node;
        node.name = name;
        node.ready = true;
        node.labels = labels;
        upsert_node(node);
    }
    void upsert_node(const core::Node& node) {
        cluster.upsert_node(node);
        rules.node_changed(*cluster.nodes().find(node.name), node);
        naive.nodes[node.name] = node;
    }
    void remove_node(const std::string& name) {
        rules.node_went(*cluster.nodes().find(name));
        cluster.remove_node(name);
        naive.nodes.erase(name);
    }
    /// Its allocation is what keeps the node's number.
    void place(const RuledPod& pod) {
        uids.push_back(std::to_string(next_uid++));
        cluster.upsert_pod(uids.back(), pod.node, {}, core::UsedBy::other_scheduler);
        rules.pod_placed(placed(pod, cluster.node_or_placeholder(pod.node)), cluster);
        naive.pods.push_back(pod);
    }
    void take_away(std::size_t index) {
        const RuledPod pod = naive.pods[index];
        naive.pods.erase(naive.pods.begin() + static_cast<std::ptrdiff_t>(index));
        rules.pod_gone(placed(pod, cluster.node_or_placeholder(pod.node)));
        cluster.remove_pod(uids[index]);
        uids.erase(uids.begin() + static_cast<std::ptrdiff_t>(index));
    }
    /// Counted and filled: to be released.
    core::RulesId retain(const RuledPod& pod) {
        if (pod.rules.empty()) return {};
        const core::RulesId id = rules.retain(pod.rules, pod.namespace_name, cluster);
        rules.fill([this](auto visit) {
            for (const RuledPod& one : naive.pods) {
                visit(placed(one, cluster.node_or_placeholder(one.node)));
            }
        });
        return id;
    }
    void release(core::RulesId id) {
        if (!id.is_none()) rules.release(id);
    }

    core::NodeBitmap all_nodes() const {
        core::NodeBitmap nodes;
        for (std::size_t i = 0; i < cluster.nodes().count(); ++i) nodes.set(i, true);
        return nodes;
    }
    core::AllowedNodes allowed(const RuledPod& pod, core::RulesId id) const {
        return rules.allowed(
            {id, pod.namespace_name, pod.labels, pod.constraints}, all_nodes(), cluster);
    }
    core::AllowedNodes naive_allowed(const RuledPod& pod) const {
        core::AllowedNodes made{all_nodes(), {}};
        std::size_t position = 0;
        for (const auto& [name, node] : naive.nodes) {
            if (const auto reason = naive_reason(naive, pod, name)) {
                made.nodes.set(position, false);
                ++made.refused[static_cast<std::size_t>(*reason)];
            }
            ++position;
        }
        return made;
    }
    /// Of one rule that such pods have among themselves.
    core::RoomByDomain room(
        const RuledPod& pod,
        core::RulesId id,
        core::RuleRef rule,
        const std::vector<std::int32_t>& capacities) const {
        const core::IncomingPod incoming{id, pod.namespace_name, pod.labels, pod.constraints};
        const auto open = rules.allowed(incoming, all_nodes(), cluster, rule);
        return rules.room_by_domain(incoming, rule, open.nodes, capacities, cluster);
    }
    /// Asks once for these rules: names of nodes.
    std::vector<std::string> ask(const RuledPod& pod) {
        const core::RulesId id = retain(pod);
        const core::AllowedNodes answer = allowed(pod, id);
        release(id);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < cluster.nodes().count(); ++i) {
            if (answer.nodes.test(i))
                names.push_back(cluster.nodes().name(cluster.nodes().by_name()[i]));
        }
        return names;
    }
    std::vector<core::ReasonCount> reasons(const RuledPod& pod) {
        const core::RulesId id = retain(pod);
        const core::AllowedNodes answer = allowed(pod, id);
        release(id);
        return reasons_of(answer);
    }
};

}  // namespace tests
