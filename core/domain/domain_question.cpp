#include "core/domain/domain_question.hpp"

#include "core/filter/filters.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace core {

namespace {

bool is_kept_off_by_taints(const Node& node, const Constraints& constraints) {
    return !node.taints.empty() &&
           find_untolerated_taint(node.taints, constraints.tolerations) != nullptr;
}

}  // namespace

DomainQuestion::DomainQuestion(
    const DomainRules& rules, const IncomingPod& pod, const Cluster& cluster)
    : in_(rules),
      pod_(pod),
      cluster_(cluster),
      rules_(pod.rules.is_none() ? nullptr : &rules.rules(pod.rules)),
      live_(pod.rules.is_none() ? nullptr : &rules.live_[pod.rules.value]) {}

// kube-scheduler asks PodTopologySpread before InterPodAffinity, and there affinity first.
void DomainQuestion::add_checks(const std::optional<RuleRef>& except) {
    const auto is_excepted = [&except](RuleKind kind, std::size_t index) {
        return except == RuleRef{kind, index};
    };
    if (rules_ != nullptr) {
        for (std::size_t i = 0; i < rules_->spread.size(); ++i) {
            add_spread(i, is_excepted(RuleKind::spread, i));
        }
        add_affinity(except && except->kind == RuleKind::affinity);
        for (std::size_t i = 0; i < rules_->anti_affinity.size(); ++i) {
            if (!is_excepted(RuleKind::anti_affinity, i)) add_anti_affinity(i);
        }
    }
    add_existing();
}

DomainQuestion::Check DomainQuestion::check_of(TopologyKeyId key, DomainReason reason) const {
    return {key, std::vector<bool>(in_.domains_.bound(key)), reason, std::nullopt};
}

DomainQuestion::Sums DomainQuestion::sums(TopologyKeyId key, const NodeCounts& counts) const {
    Sums result(in_.domains_.bound(key));
    counts.for_each([&](NodeIndex node, const PodCount& count) {
        const DomainId domain = in_.domains_.domain_of(key, node);
        if (!domain.is_none()) result[domain.value] += count.all;
    });
    return result;
}

bool DomainQuestion::has_spread_keys(NodeIndex node) const {
    return std::none_of(
        live_->spread_keys.begin(), live_->spread_keys.end(), [&](TopologyKeyId key) {
            return in_.domains_.domain_of(key, node).is_none();
        });
}

// The node itself is looked at only where its answer is open: reading it is what costs.
bool DomainQuestion::counts_for(const SpreadConstraint& constraint, NodeIndex node) const {
    if (!has_spread_keys(node)) return false;
    const Constraints& own = pod_.constraints;
    if (constraint.node_affinity_policy == NodeInclusionPolicy::honor &&
        (!own.node_selector.empty() || own.has_required_affinity) &&
        !(matches_node_selector(cluster_.node(node), own.node_selector) &&
          matches_required_affinity(cluster_.node(node), own))) {
        return false;
    }
    return constraint.node_taints_policy == NodeInclusionPolicy::ignore ||
           !is_kept_off_by_taints(cluster_.node(node), own);
}

std::vector<std::optional<std::int64_t>> DomainQuestion::matching(RuleRef rule) const {
    const TopologyKeyId key = key_of(rule);
    std::vector<std::optional<std::int64_t>> result(in_.domains_.bound(key));
    const auto* constraint = rule.kind == RuleKind::spread ? &rules_->spread[rule.index] : nullptr;
    for (const NodeIndex node : cluster_.nodes_by_name()) {
        const DomainId domain = in_.domains_.domain_of(key, node);
        if (domain.is_none() || result[domain.value]) continue;
        if (constraint == nullptr || counts_for(*constraint, node)) result[domain.value] = 0;
    }
    const SelectionId selection = rule.kind == RuleKind::spread ? live_->spread[rule.index]
                                  : rule.kind == RuleKind::affinity
                                      ? live_->affinity
                                      : live_->anti_affinity[rule.index];
    in_.matches_.counts(selection).for_each([&](NodeIndex node, const PodCount& count) {
        const DomainId domain = in_.domains_.domain_of(key, node);
        if (domain.is_none()) return;
        if (constraint != nullptr && !counts_for(*constraint, node)) return;
        result[domain.value] =
            result[domain.value].value_or(0) + (constraint != nullptr ? count.staying : count.all);
    });
    return result;
}

TopologyKeyId DomainQuestion::key_of(RuleRef rule) const {
    switch (rule.kind) {
        case RuleKind::affinity:
            return live_->affinity_keys[rule.index];
        case RuleKind::anti_affinity:
            return live_->anti_affinity_keys[rule.index];
        case RuleKind::spread:
            return live_->spread_keys[rule.index];
    }
    ENSURE(!"a known kind of rule");
    return {};
}

void DomainQuestion::add_spread(std::size_t index, bool is_excepted) {
    const SpreadConstraint& constraint = rules_->spread[index];
    Check check = check_of(live_->spread_keys[index], DomainReason::spread);
    check.without_key = DomainReason::spread_label_missing;
    if (!is_excepted) {
        const auto counts = matching({RuleKind::spread, index});
        std::int64_t domains = 0;
        std::int64_t least = INT64_MAX;
        for (const auto& count : counts) {
            if (!count) continue;
            ++domains;
            least = std::min(least, *count);
        }
        if (domains < constraint.min_domains) least = 0;
        const std::int64_t itself = constraint.selector.matches(pod_.labels) ? 1 : 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            check.forbidden[i] = counts[i].value_or(0) + itself - least > constraint.max_skew;
        }
    }
    checks_.push_back(std::move(check));
}

// The first of pods that want to be near each other finds nobody: it may go wherever the labels
// are, if it matches its own terms.
void DomainQuestion::add_affinity(bool is_excepted) {
    if (rules_->affinity.empty()) return;
    const std::size_t before = checks_.size();
    bool is_anybody_there = false;
    for (const TopologyKeyId key : live_->affinity_keys) {
        Check check = check_of(key, DomainReason::affinity);
        check.without_key = DomainReason::affinity;
        const Sums there = sums(key, in_.matches_.counts(live_->affinity));
        for (std::size_t i = 0; i < there.size(); ++i) {
            check.forbidden[i] = there[i] == 0;
            is_anybody_there = is_anybody_there || there[i] > 0;
        }
        checks_.push_back(std::move(check));
    }
    const bool may_be_first =
        !is_anybody_there &&
        selection_of_all(rules_->affinity).matches(pod_.namespace_name, pod_.labels);
    if (!is_excepted && !may_be_first) return;
    for (std::size_t i = before; i < checks_.size(); ++i) {
        std::fill(checks_[i].forbidden.begin(), checks_[i].forbidden.end(), false);
    }
}

void DomainQuestion::add_anti_affinity(std::size_t index) {
    Check check = check_of(live_->anti_affinity_keys[index], DomainReason::anti_affinity);
    const Sums there = sums(check.key, in_.matches_.counts(live_->anti_affinity[index]));
    for (std::size_t i = 0; i < there.size(); ++i) check.forbidden[i] = there[i] > 0;
    checks_.push_back(std::move(check));
}

void DomainQuestion::add_existing() {
    if (pod_.constraints.left_out.contains(FilterId::inter_pod_affinity)) return;
    in_.terms_.for_each_match(
        pod_.namespace_name, pod_.labels, [this](TopologyKeyId key, const NodeCounts& counts) {
            Check check = check_of(key, DomainReason::existing_anti_affinity);
            const Sums there = sums(key, counts);
            for (std::size_t i = 0; i < there.size(); ++i) check.forbidden[i] = there[i] > 0;
            checks_.push_back(std::move(check));
        });
}

std::optional<DomainReason> DomainQuestion::find_reason(NodeIndex node) const {
    for (const Check& check : checks_) {
        const DomainId domain = in_.domains_.domain_of(check.key, node);
        if (domain.is_none()) {
            if (check.without_key) return check.without_key;
        } else if (check.forbidden[domain.value]) {
            return check.reason;
        }
    }
    return std::nullopt;
}

AllowedNodes DomainQuestion::ask(const NodeBitmap& eligible) const {
    AllowedNodes result{eligible, {}};
    if (checks_.empty()) return result;
    const auto order = cluster_.nodes_by_name();
    for (std::size_t position = 0; position < order.size(); ++position) {
        if (!eligible.test(position)) continue;
        if (const auto reason = find_reason(order[position])) {
            result.nodes.set(position, false);
            ++result.refused[static_cast<std::size_t>(*reason)];
        }
    }
    return result;
}

bool DomainRules::concerns(const IncomingPod& pod) const {
    if (!pod.rules.is_none() && !rules(pod.rules).empty()) return true;
    if (pod.constraints.left_out.contains(FilterId::inter_pod_affinity)) return false;
    bool is_reached = false;
    terms_.for_each_match(pod.namespace_name, pod.labels, [&](TopologyKeyId, const NodeCounts&) {
        is_reached = true;
    });
    return is_reached;
}

AllowedNodes DomainRules::allowed(
    const IncomingPod& pod,
    const NodeBitmap& eligible,
    const Cluster& cluster,
    const std::optional<RuleRef>& except) const {
    DomainQuestion question(*this, pod, cluster);
    question.add_checks(except);
    return question.ask(eligible);
}

std::vector<std::optional<DomainReason>> DomainRules::reasons_by_position(
    const IncomingPod& pod, const Cluster& cluster) const {
    DomainQuestion question(*this, pod, cluster);
    question.add_checks(std::nullopt);
    std::vector<std::optional<DomainReason>> reasons;
    for (const NodeIndex node : cluster.nodes_by_name()) {
        reasons.push_back(question.find_reason(node));
    }
    return reasons;
}

RoomByDomain DomainRules::room_by_domain(
    const IncomingPod& pod,
    RuleRef rule,
    const NodeBitmap& open,
    std::span<const std::int64_t> capacities,
    const Cluster& cluster) const {
    const DomainQuestion question(*this, pod, cluster);
    RoomByDomain room{.kind = rule.kind, .key = question.key_of(rule), .domains = {}};
    const auto matching = question.matching(rule);
    std::vector<std::int64_t> capacity(matching.size());
    const auto order = cluster.nodes_by_name();
    for (std::size_t position = 0; position < order.size(); ++position) {
        if (!open.test(position)) continue;
        const DomainId domain = domains_.domain_of(room.key, order[position]);
        (domain.is_none() ? room.capacity_without_key : capacity[domain.value]) +=
            capacities[position];
    }
    for (std::size_t i = 0; i < matching.size(); ++i) {
        if (!matching[i]) continue;
        const DomainId domain{static_cast<std::uint32_t>(i)};
        room.domains.push_back(
            {domains_.name(room.key, domain), domain, *matching[i], capacity[i]});
    }
    std::sort(room.domains.begin(), room.domains.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    if (rule.kind == RuleKind::spread) {
        room.max_skew = rules(pod.rules).spread[rule.index].max_skew;
        room.min_domains = rules(pod.rules).spread[rule.index].min_domains;
    }
    return room;
}

std::vector<TopologyKeyId> DomainRules::keys_of(RulesId id) const {
    if (id.is_none()) return {};
    const Live& live = live_[id.value];
    std::vector<TopologyKeyId> keys = live.affinity_keys;
    keys.insert(keys.end(), live.spread_keys.begin(), live.spread_keys.end());
    keys.insert(keys.end(), live.anti_affinity_keys.begin(), live.anti_affinity_keys.end());
    return keys;
}

std::vector<DomainId> DomainRules::domains_by_name(
    TopologyKeyId key, const Cluster& cluster) const {
    std::map<std::string_view, DomainId> by_name;
    for (const NodeIndex node : cluster.nodes_by_name()) {
        const DomainId domain = domains_.domain_of(key, node);
        if (!domain.is_none()) by_name.emplace(domains_.name(key, domain), domain);
    }
    std::vector<DomainId> domains;
    for (const auto& [name, domain] : by_name) domains.push_back(domain);
    return domains;
}

NodeBitmap DomainRules::nodes_of(TopologyKeyId key, DomainId domain, const Cluster& cluster) const {
    NodeBitmap nodes;
    const auto order = cluster.nodes_by_name();
    for (std::size_t position = 0; position < order.size(); ++position) {
        nodes.set(position, domains_.domain_of(key, order[position]) == domain);
    }
    return nodes;
}

}  // namespace core
