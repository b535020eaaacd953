#include "core/domain/domain_question.hpp"

#include "core/filter/filters.hpp"

#include <algorithm>

namespace core {

namespace {

bool is_kept_off_by_taints(const Node& node, const Constraints& constraints) {
    return !node.taints.empty() &&
           find_untolerated_taint(node.taints, constraints.tolerations) != nullptr;
}

}  // namespace

// The node itself is looked at only where its answer is open: reading it is what costs.
bool is_counted(const SpreadConstraint& constraint, const Node& node, const Constraints& own) {
    if (constraint.node_affinity_policy == NodeInclusionPolicy::honor &&
        (!own.node_selector.empty() || own.has_required_affinity) &&
        !(matches_node_selector(node, own.node_selector) && matches_required_affinity(node, own))) {
        return false;
    }
    return constraint.node_taints_policy == NodeInclusionPolicy::ignore ||
           !is_kept_off_by_taints(node, own);
}

DomainQuestion::DomainQuestion(
    const DomainRules& rules, const IncomingPod& pod, const Cluster& cluster)
    : in_(rules),
      pod_(pod),
      cluster_(cluster),
      rules_(find_rules(rules, pod.rules)),
      live_(rules.find_live(pod.rules)) {}

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

template <typename Visit>
void DomainQuestion::for_each_domain_with(
    TopologyKeyId key, const NodeCounts& counts, Visit visit) const {
    counts.for_each([&](NodeIndex node, const PodCount&) {
        const DomainId domain = in_.domains().domain_of(key, node);
        if (!domain.is_none()) visit(domain);
    });
}

bool DomainQuestion::has_spread_keys(NodeIndex node) const {
    return std::none_of(
        live_->spread_keys.begin(), live_->spread_keys.end(), [&](TopologyKeyId key) {
            return in_.domains().domain_of(key, node).is_none();
        });
}

bool DomainQuestion::counts_all(const SpreadConstraint& constraint) const {
    const Constraints& own = pod_.constraints;
    return live_->spread_keys.size() == 1 &&
           constraint.node_taints_policy == NodeInclusionPolicy::ignore &&
           (constraint.node_affinity_policy == NodeInclusionPolicy::ignore ||
            (own.node_selector.empty() && !own.has_required_affinity));
}

bool DomainQuestion::counts_for(const SpreadConstraint& constraint, NodeIndex node) const {
    return has_spread_keys(node) &&
           is_counted(constraint, cluster_.nodes().node(node), pod_.constraints);
}

std::vector<std::optional<std::int64_t>> DomainQuestion::matching(RuleRef rule) const {
    const TopologyKeyId key = in_.key_of(pod_.rules, rule);
    std::vector<std::optional<std::int64_t>> result(in_.domains().bound(key));
    const auto* constraint = rule.kind == RuleKind::spread ? &rules_->spread[rule.index] : nullptr;
    const DomainMap& map = in_.domains().map(key, cluster_);
    if (constraint != nullptr && counts_all(*constraint)) constraint = nullptr;
    if (constraint == nullptr) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (map.first[i] < map.first[i + 1]) result[i] = 0;
        }
    } else {
        const auto order = cluster_.nodes().by_name();
        for (std::size_t position = 0; position < order.size(); ++position) {
            const DomainId domain = map.by_position[position];
            if (domain.is_none() || result[domain.value]) continue;
            if (counts_for(*constraint, order[position])) result[domain.value] = 0;
        }
    }
    const SelectionId selection = rule.kind == RuleKind::spread ? live_->spread[rule.index]
                                  : rule.kind == RuleKind::affinity
                                      ? live_->affinity
                                      : live_->anti_affinity[rule.index];
    const bool of_spread = rule.kind == RuleKind::spread;
    in_.matches().counts(selection).for_each([&](NodeIndex node, const PodCount& count) {
        const DomainId domain = in_.domains().domain_of(key, node);
        if (domain.is_none()) return;
        if (constraint != nullptr && !counts_for(*constraint, node)) return;
        result[domain.value] =
            result[domain.value].value_or(0) + (of_spread ? count.staying : count.all);
    });
    return result;
}

TopologyKeyId DomainRules::key_of(RulesId id, RuleRef rule) const {
    const LiveRules& live = live_[id.value];
    switch (rule.kind) {
        case RuleKind::affinity:
            return live.affinity_keys[rule.index];
        case RuleKind::anti_affinity:
            return live.anti_affinity_keys[rule.index];
        case RuleKind::spread:
            return live.spread_keys[rule.index];
    }
    ENSURE(!"a known kind of rule");
    return {};
}

void DomainQuestion::add_spread(std::size_t index, bool is_excepted) {
    const SpreadConstraint& constraint = rules_->spread[index];
    Check check{live_->spread_keys[index], DomainReason::spread};
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
            if (counts[i].value_or(0) + itself - least > constraint.max_skew) {
                check.forbidden.set(i, true);
            }
        }
    }
    checks_.push_back(std::move(check));
}

// The first of pods that want to be near each other finds nobody: it may go wherever the labels
// are, if it matches its own terms.
void DomainQuestion::add_affinity(bool is_excepted) {
    if (rules_->affinity.empty()) return;
    const NodeCounts& there = in_.matches().counts(live_->affinity);
    bool is_anybody_there = false;
    for (const TopologyKeyId key : live_->affinity_keys) {
        for_each_domain_with(key, there, [&](DomainId) { is_anybody_there = true; });
    }
    const bool may_be_first =
        !is_anybody_there &&
        selection_of_all(rules_->affinity).matches(pod_.namespace_name, pod_.labels);
    for (const TopologyKeyId key : live_->affinity_keys) {
        Check check{key, DomainReason::affinity};
        check.without_key = DomainReason::affinity;
        if (!is_excepted && !may_be_first) {
            for (std::size_t i = 0; i < in_.domains().bound(key); ++i) check.forbidden.set(i, true);
            for_each_domain_with(key, there, [&check](DomainId domain) {
                check.forbidden.set(domain.value, false);
            });
        }
        checks_.push_back(std::move(check));
    }
}

void DomainQuestion::forbid_domains_with(
    TopologyKeyId key, const NodeCounts& counts, DomainReason reason) {
    Check check{key, reason};
    for_each_domain_with(
        key, counts, [&check](DomainId domain) { check.forbidden.set(domain.value, true); });
    checks_.push_back(std::move(check));
}

void DomainQuestion::add_anti_affinity(std::size_t index) {
    forbid_domains_with(
        live_->anti_affinity_keys[index],
        in_.matches().counts(live_->anti_affinity[index]),
        DomainReason::anti_affinity);
}

void DomainQuestion::add_existing() {
    if (pod_.constraints.left_out.contains(FilterId::inter_pod_affinity)) return;
    in_.terms().apart().for_each_match(
        pod_.namespace_name,
        pod_.labels,
        [this](TopologyKeyId key, std::int64_t, const NodeCounts& counts) {
            forbid_domains_with(key, counts, DomainReason::existing_anti_affinity);
        });
}

std::optional<DomainReason> DomainQuestion::find_reason(NodeIndex node) const {
    for (const Check& check : checks_) {
        const DomainId domain = in_.domains().domain_of(check.key, node);
        if (domain.is_none()) {
            if (check.without_key) return check.without_key;
        } else if (check.forbidden.test(domain.value)) {
            return check.reason;
        }
    }
    return std::nullopt;
}

/// One after another, so a node counts for the first check that forbids it.
AllowedNodes DomainQuestion::ask(const NodeBitmap& eligible) const {
    AllowedNodes result{eligible, {}};
    for (const Check& check : checks_) apply(check, result);
    return result;
}

void DomainQuestion::apply(const Check& check, AllowedNodes& allowed) const {
    const DomainMap& map = in_.domains().map(check.key, cluster_);
    const auto refuse = [&allowed](const NodeBitmap& nodes, DomainReason reason) {
        allowed.refused[static_cast<std::size_t>(reason)] += allowed.nodes.remove(nodes);
    };
    if (check.without_key) refuse(map.without_key, *check.without_key);
    NodeBitmap nodes;
    check.forbidden.for_each(
        [&](std::size_t domain) { map.add(DomainId{static_cast<std::uint32_t>(domain)}, nodes); });
    refuse(nodes, check.reason);
}

bool DomainRules::concerns(const IncomingPod& pod) const {
    if (!pod.rules.is_none() && rules(pod.rules).has_required()) return true;
    return !pod.constraints.left_out.contains(FilterId::inter_pod_affinity) &&
           terms_.apart().matches(pod.namespace_name, pod.labels);
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
    for (const NodeIndex node : cluster.nodes().by_name()) {
        reasons.push_back(question.find_reason(node));
    }
    return reasons;
}

RoomByDomain DomainRules::room_by_domain(
    const IncomingPod& pod,
    RuleRef rule,
    const NodeBitmap& open,
    std::span<const std::int32_t> capacities,
    const Cluster& cluster) const {
    const DomainQuestion question(*this, pod, cluster);
    RoomByDomain room{.kind = rule.kind, .key = key_of(pod.rules, rule), .domains = {}};
    const auto matching = question.matching(rule);
    const DomainMap& map = domains_.map(room.key, cluster);
    for (const DomainId domain : domains_.by_name(room.key)) {
        const auto& there = matching[domain.value];
        if (!there) continue;
        std::int64_t capacity = 0;
        for (const Position position : map.nodes_of(domain)) {
            capacity += open.test(position) ? capacities[position] : 0;
        }
        room.domains.push_back({domain, *there, capacity});
    }
    map.without_key.for_each([&](std::size_t position) {
        room.capacity_without_key += open.test(position) ? capacities[position] : 0;
    });
    if (rule.kind == RuleKind::spread) {
        room.max_skew = rules(pod.rules).spread[rule.index].max_skew;
        room.min_domains = rules(pod.rules).spread[rule.index].min_domains;
    }
    return room;
}

std::vector<TopologyKeyId> DomainRules::keys_of(RulesId id) const {
    if (id.is_none()) return {};
    const LiveRules& live = live_[id.value];
    std::vector<TopologyKeyId> keys = live.affinity_keys;
    keys.insert(keys.end(), live.spread_keys.begin(), live.spread_keys.end());
    keys.insert(keys.end(), live.anti_affinity_keys.begin(), live.anti_affinity_keys.end());
    return keys;
}

}  // namespace core
