#include "gang/model/cluster/inter_pod_rules.hpp"

namespace gang {

void InterPodRules::node_changed(core::NodeIndex node, const core::Node& value) {
    rules_.node_changed(node, value);
    nodes_version_ += rules_.size() > 0 ? 1 : 0;
}

/// Its pods are in no domain any more, and the domain may have gone with it.
void InterPodRules::node_went(core::NodeIndex node) {
    rules_.node_went(node);
    nodes_version_ += rules_.size() > 0 ? 1 : 0;
}

std::vector<WaitingRules::Taken> InterPodRules::namespaces_changed() {
    placed_.namespaces_changed();
    return waiting_.namespaces_changed();
}

bool InterPodRules::is_resolved(core::RulesId rules) const {
    return rules.is_none() || namespaces_.is_answered() ||
           !core::needs_namespace_labels(rules_.rules(rules));
}

std::vector<core::Account> InterPodRules::accounts() const {
    return {
        {"identities of placed pods", placed_.identity_references(), placed_.size()},
        {"rules of pods that wait", rules_.references(), waiting_.size()}};
}

}  // namespace gang
