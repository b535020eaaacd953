#include "gang/model/cluster/placed_pods.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gang {

core::PlacedPod PlacedPods::seen(const Placed& placed) const {
    const Identity& identity = identities_[placed.identity];
    return {
        placed.node,
        identity.namespace_name,
        identity.labels,
        identity.rules.empty() ? nullptr : &identity.rules,
        placed.is_deleting};
}

void PlacedPods::set_rules(Identity& identity, core::PodRules rules) const {
    if (core::needs_namespace_labels(rules)) {
        identity.asked = rules;
    }
    identity.rules = core::with_namespaces(std::move(rules), in_.namespaces);
}

void PlacedPods::forget_identity(IdentityId id) {
    by_labels_count_ -= identities_[id].asked.empty() ? 0 : 1;
    identities_.release(id);
}

void PlacedPods::put(std::string_view uid, const Identity& identity, Placed placed) {
    placed.identity = identities_.intern(identity).id;
    by_labels_count_ += identity.asked.empty() ? 0 : 1;
    if (const auto before = pods_.take(uid)) {
        const bool is_same = before->node == placed.node && before->identity == placed.identity &&
                             before->is_deleting == placed.is_deleting;
        if (!is_same) {
            in_.rules.pod_gone(seen(*before));
            in_.rules.pod_placed(seen(placed), in_.cluster);
            ++version_;
        }
        forget_identity(before->identity);
    } else {
        in_.rules.pod_placed(seen(placed), in_.cluster);
        ++version_;
    }
    pods_.insert(uid, placed);
}

void PlacedPods::place(const core::Pod& pod, const std::string& node) {
    const bool has_terms = pod.rules.has_value() && pod.rules->has_terms();
    if (!in_.labels.are_wanted() && !has_terms) {
        remove(pod.uid);
        return;
    }
    Identity identity{pod.namespace_name, in_.labels.pick(pod.labels), {}};
    if (has_terms) {
        core::PodRules rules = *pod.rules;
        rules.spread.clear();
        rules.preferred_spread.clear();
        set_rules(identity, std::move(rules));
    }
    Placed placed;
    placed.node = in_.cluster.node_or_placeholder(node);
    placed.list = in_.labels.list();
    placed.is_deleting = pod.deleting;
    put(pod.uid, identity, placed);
}

void PlacedPods::remove(std::string_view uid) {
    if (pods_.size() == 0) {
        return;
    }
    const auto placed = pods_.take(uid);
    if (!placed) {
        return;
    }
    ++version_;
    in_.rules.pod_gone(seen(*placed));
    forget_identity(placed->identity);
}

void PlacedPods::listed(
    std::string_view uid,
    core::NodeIndex node,
    const std::string& namespace_name,
    const core::StringMap& labels,
    bool is_deleting) {
    const auto before = pods_.find(uid);
    if (!in_.labels.is_listing() || (before && before->list == in_.labels.list())) {
        return;
    }
    Identity identity{namespace_name, in_.labels.pick(labels), {}};
    if (before) {
        identity.rules = identities_[before->identity].rules;
        identity.asked = identities_[before->identity].asked;
    }
    Placed placed;
    placed.node = node;
    placed.list = in_.labels.list();
    placed.is_deleting = is_deleting;
    put(uid, identity, placed);
}

std::size_t PlacedPods::fill() {
    if (in_.rules.all_filled() || !in_.labels.are_known()) {
        return 0;
    }
    ++version_;
    in_.rules.fill([this](const auto& visit) {
        pods_.for_each([&](std::string_view, const Placed& placed) { visit(seen(placed)); });
    });
    return pods_.size();
}

/// Whom the rules mean is looked up once for all pods that are alike.
void PlacedPods::namespaces_changed() {
    if (!needs_namespaces()) {
        return;
    }
    std::map<IdentityId, std::optional<Identity>> now;  ///< nothing: they mean whom they meant
    std::vector<std::pair<std::string, IdentityId>> others;
    pods_.for_each([&](std::string_view uid, const Placed& pod) {
        const Identity& before = identities_[pod.identity];
        if (before.asked.empty()) {
            return;
        }
        const auto [at, is_new] = now.try_emplace(pod.identity);
        if (is_new) {
            Identity identity = before;
            set_rules(identity, before.asked);
            if (identity.rules != before.rules) {
                at->second = std::move(identity);
            }
        }
        if (at->second) {
            others.emplace_back(uid, pod.identity);
        }
    });
    for (const auto& [uid, before] : others) {
        put(uid, *now.at(before), *pods_.find(uid));
    }
}

}  // namespace gang
