#include "core/domain/domain_rules.hpp"

#include <algorithm>

namespace core {

std::string_view describe(DomainReason reason) {
    switch (reason) {
        case DomainReason::spread_label_missing:
            return "node(s) didn't match pod topology spread constraints (missing required label)";
        case DomainReason::spread:
            return "node(s) didn't match pod topology spread constraints";
        case DomainReason::affinity:
            return "node(s) didn't match pod affinity rules";
        case DomainReason::anti_affinity:
            return "node(s) didn't match pod anti-affinity rules";
        case DomainReason::existing_anti_affinity:
            return "node(s) didn't satisfy existing pods anti-affinity rules";
    }
    ENSURE(!"a known reason");
    return {};
}

std::vector<ReasonCount> reasons_of(const AllowedNodes& allowed) {
    std::vector<ReasonCount> reasons;
    for (std::size_t i = 0; i < domain_reasons; ++i) {
        if (allowed.refused[i] == 0) continue;
        reasons.push_back(
            {std::string(describe(static_cast<DomainReason>(i))), allowed.refused[i]});
    }
    std::sort(reasons.begin(), reasons.end(), [](const ReasonCount& a, const ReasonCount& b) {
        return a.count != b.count ? a.count > b.count : a.reason < b.reason;
    });
    return reasons;
}

std::vector<RuleRef> rules_among_themselves(
    const PodRules& rules, const std::string& namespace_name, const StringMap& labels) {
    std::vector<RuleRef> found;
    const bool are_near = selection_of_all(rules.affinity).matches(namespace_name, labels);
    for (std::size_t i = 0; are_near && i < rules.affinity.size(); ++i) {
        found.push_back({RuleKind::affinity, i});
    }
    for (std::size_t i = 0; i < rules.anti_affinity.size(); ++i) {
        if (selection_of(rules.anti_affinity[i]).matches(namespace_name, labels)) {
            found.push_back({RuleKind::anti_affinity, i});
        }
    }
    for (std::size_t i = 0; i < rules.spread.size(); ++i) {
        if (selection_of(rules.spread[i], namespace_name).matches(namespace_name, labels)) {
            found.push_back({RuleKind::spread, i});
        }
    }
    return found;
}

bool prefers_among_themselves(
    const PodRules& rules, const std::string& namespace_name, const StringMap& labels) {
    return std::any_of(
               rules.preferred.begin(),
               rules.preferred.end(),
               [&](const PreferredPods& one) {
                   return is_known(one) && selection_of(one.term).matches(namespace_name, labels);
               }) ||
           std::any_of(
               rules.preferred_spread.begin(),
               rules.preferred_spread.end(),
               [&](const SpreadConstraint& one) {
                   return selection_of(one, namespace_name).matches(namespace_name, labels);
               });
}

void DomainRules::pod_placed(const PlacedPod& pod, const Cluster& cluster) {
    matches_.placed(pod);
    terms_.placed(pod, domains_, cluster);
}

void DomainRules::pod_gone(const PlacedPod& pod) {
    matches_.gone(pod);
    terms_.gone(pod, domains_);
}

RulesId DomainRules::retain(
    const PodRules& rules, const std::string& namespace_name, const Cluster& cluster) {
    const auto [id, is_new] = interned_.intern({rules, namespace_name});
    if (!is_new) return id;
    if (id.value >= live_.size()) live_.resize(id.value + 1);
    LiveRules& live = live_[id.value];
    if (!rules.affinity.empty()) live.affinity = matches_.retain(selection_of_all(rules.affinity));
    for (const PodAffinityTerm& term : rules.affinity) {
        live.affinity_keys.push_back(domains_.retain(term.topology_key, cluster));
    }
    for (const PodAffinityTerm& term : rules.anti_affinity) {
        live.anti_affinity.push_back(matches_.retain(selection_of(term)));
        live.anti_affinity_keys.push_back(domains_.retain(term.topology_key, cluster));
    }
    for (const SpreadConstraint& one : rules.spread) {
        live.spread.push_back(matches_.retain(selection_of(one, namespace_name)));
        live.spread_keys.push_back(domains_.retain(one.topology_key, cluster));
    }
    for (const PreferredPods& one : rules.preferred) {
        live.preferred.push_back(
            matches_.retain(is_known(one) ? selection_of(one.term) : PodSelection{}));
        live.preferred_keys.push_back(domains_.retain(one.term.topology_key, cluster));
    }
    for (const SpreadConstraint& one : rules.preferred_spread) {
        live.preferred_spread.push_back(matches_.retain(selection_of(one, namespace_name)));
        live.preferred_spread_keys.push_back(domains_.retain(one.topology_key, cluster));
    }
    return id;
}

void DomainRules::release(RulesId id) {
    if (!interned_.release(id)) return;
    const auto release = [this](SelectionId selection) { matches_.release(selection); };
    const LiveRules& live = live_[id.value];
    live.for_each_selection(release);
    live.for_each_preference(release);
    for (const auto* keys :
         {&live.affinity_keys,
          &live.anti_affinity_keys,
          &live.spread_keys,
          &live.preferred_keys,
          &live.preferred_spread_keys}) {
        for (const TopologyKeyId key : *keys) domains_.release(key);
    }
    live_[id.value] = {};
}

bool DomainRules::is_filled(RulesId id) const {
    bool filled = true;
    if (id.is_none()) return filled;
    live_[id.value].for_each_selection(
        [&](SelectionId selection) { filled = filled && matches_.is_filled(selection); });
    return filled;
}

bool DomainRules::are_preferences_filled(RulesId id) const {
    bool filled = true;
    if (id.is_none()) return filled;
    live_[id.value].for_each_preference(
        [&](SelectionId selection) { filled = filled && matches_.is_filled(selection); });
    return filled;
}

std::uint64_t DomainRules::version(RulesId id) const {
    std::uint64_t version = nodes_version_ + terms_.apart().version();
    if (id.is_none()) return version;
    live_[id.value].for_each_selection(
        [&](SelectionId selection) { version += matches_.version(selection); });
    return version;
}

}  // namespace core
