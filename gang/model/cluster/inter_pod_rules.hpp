#pragma once
// Rules between pods (affinity, anti-affinity, topology spread) and all that they are decided by:
// who is placed where, what those ask that wait, and which labels are known for it.

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/value/account.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "core/value/node.hpp"
#include "gang/model/cluster/placed_pods.hpp"
#include "gang/model/cluster/rule_labels.hpp"
#include "gang/model/cluster/waiting_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gang {

class InterPodRules {
public:
    /// Both live as long.
    InterPodRules(core::Cluster& cluster, const core::Namespaces& namespaces)
        : namespaces_(namespaces),
          placed_({cluster, namespaces, rules_, labels_}),
          waiting_({cluster, namespaces, rules_, labels_}) {}
    InterPodRules(const InterPodRules&) = delete;
    InterPodRules& operator=(const InterPodRules&) = delete;

    /// The node came, or is another now.
    void node_changed(core::NodeIndex node, const core::Node& value);
    void node_went(core::NodeIndex node);

    core::DomainRules& rules() { return rules_; }
    const core::DomainRules& rules() const { return rules_; }
    RuleLabels& labels() { return labels_; }
    const RuleLabels& labels() const { return labels_; }
    PlacedPods& placed() { return placed_; }
    WaitingRules& waiting() { return waiting_; }
    const WaitingRules& waiting() const { return waiting_; }

    /// Somebody has a rule that speaks of labels of namespaces.
    bool needs_namespaces() const {
        return placed_.needs_namespaces() || waiting_.needs_namespaces();
    }
    /// They are others, or known at last. Pods that wait whose rules were taken over anew are
    /// returned.
    std::vector<WaitingRules::Taken> namespaces_changed();
    /// It is known whom the rules mean, or that nobody will say.
    bool is_resolved(core::RulesId rules) const;

    /// Grows when rules may leave pods other nodes than before.
    std::uint64_t version() const {
        return nodes_version_ + placed_.version() + waiting_.version();
    }
    /// 0 when nothing is known because of pods.
    std::size_t remembered() const {
        return placed_.size() + waiting_.size() + waiting_.by_labels_count();
    }
    /// Whether what is shared has as many owners; walks everything, for tests.
    std::vector<core::Account> accounts() const;

private:
    const core::Namespaces& namespaces_;
    core::DomainRules rules_;
    RuleLabels labels_;
    PlacedPods placed_;
    WaitingRules waiting_;
    std::uint64_t nodes_version_ = 0;
};

}  // namespace gang
