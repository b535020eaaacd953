#include "gang/sim/plane/pod_rules.hpp"

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

core::LabelSelector selector(std::string_view label, const std::string& value) {
    core::LabelSelector made{true, {}};
    made.require({std::string(label), core::LabelOperator::in, {value}});
    return made;
}

/// Of pods in this namespace; empty: in all.
core::PodAffinityTerm term(
    std::string_view topology_key, core::LabelSelector pods, const std::string& namespace_name) {
    core::PodAffinityTerm made;
    made.topology_key = topology_key;
    made.selector = std::move(pods);
    if (namespace_name.empty()) {
        made.namespace_selector.is_set = true;
    } else {
        made.namespaces = {namespace_name};
    }
    return made;
}

core::SpreadConstraint spread(std::string_view topology_key, core::LabelSelector pods) {
    core::SpreadConstraint made;
    made.topology_key = topology_key;
    made.selector = std::move(pods);
    return made;
}

std::string any_group(Random& random) {
    return random.percent(50) ? "a" : "b";
}

void put_label(core::StringMap& labels, std::string_view key, const std::string& value) {
    const auto at = std::lower_bound(
        labels.begin(), labels.end(), key, [](const auto& entry, std::string_view wanted) {
            return entry.first < wanted;
        });
    labels.emplace(at, std::string(key), value);
}

}  // namespace

void label_topology(core::Node& node, NodeId id, Random& random) {
    put_label(node.labels, host_label, node.name);
    const std::int64_t zone = random.between(0, 3);
    if (id == 0 || zone < 3) {
        put_label(node.labels, zone_label, "z" + std::to_string(zone));
    }
}

void put_rules(core::Pod& pod, const std::string& group, const core::PodRules& rules) {
    if (!group.empty()) {
        put_label(pod.labels, group_label, group);
    }
    if (!rules.empty()) {
        pod.rules = rules;
    }
}

void give_lone_rules(core::Pod& pod, Random& random) {
    const std::string group = any_group(random);
    const std::string other = group == "a" ? "b" : "a";
    const core::LabelSelector own = selector(group_label, group);
    const std::string& here = pod.namespace_name;
    core::PodRules rules;
    switch (random.between(0, 8)) {
        case 0:
            rules.anti_affinity = {term(host_label, own, here)};
            break;
        case 1:
            rules.anti_affinity = {term(zone_label, own, here)};
            break;
        case 2:
            rules.affinity = {term(zone_label, own, here)};
            break;
        case 3:
            rules.affinity = {term(zone_label, selector(group_label, other), here)};
            break;
        case 4:
            rules.spread = {spread(zone_label, own)};
            break;
        case 5:  // everywhere, those of other schedulers too
            rules.anti_affinity = {term(host_label, own, {})};
            break;
        case 6:
            rules.spread = {spread(zone_label, own)};
            rules.anti_affinity = {term(host_label, own, here)};
            break;
        case 7:
            rules.affinity = {term(zone_label, own, here)};
            rules.anti_affinity = {term(host_label, selector(group_label, other), here)};
            break;
        default:
            break;  // the label alone
    }
    put_rules(pod, group, rules);
}

/// Executors ask something of each other alone: what they ask of others is not known when slots are
/// reserved, and two gangs could wait for each other for ever.
GangRules draw_gang_rules(const std::string& tenant, std::uint32_t application, Random& random) {
    GangRules made;
    if (random.percent(50)) {
        made.group = any_group(random);
    }
    const core::LabelSelector drivers = selector("spark-role", "driver");
    core::LabelSelector executors =
        selector("spark-app-selector", "spark-" + std::to_string(application));
    executors.require({"spark-role", core::LabelOperator::in, {"executor"}});
    switch (random.between(0, 6)) {
        case 0:
            made.driver.anti_affinity = {term(host_label, drivers, tenant)};
            break;
        case 1:
            made.driver.anti_affinity = {term(zone_label, drivers, {})};
            break;
        case 2:
            made.driver.spread = {spread(zone_label, drivers)};
            made.needs_zone = true;
            break;
        case 3:
            made.executors.anti_affinity = {term(host_label, executors, tenant)};
            break;
        case 4:
            made.executors.spread = {spread(host_label, executors)};
            break;
        case 5:
            made.executors.spread = {spread(zone_label, executors)};
            made.needs_zone = true;
            break;
        default:
            made.in_one_zone = application % 2 == 0;
            made.or_anywhere = application % 6 == 4;
            break;  // and the label, if any
    }
    return made;
}

core::StringMap topology_annotations(const GangRules& rules) {
    core::StringMap annotations;
    if (rules.in_one_zone) {
        annotations.emplace_back("gang-scheduler/topology-key", std::string(zone_label));
    }
    if (rules.or_anywhere) {
        annotations.emplace_back("gang-scheduler/topology-mode", "preferred");
    }
    return annotations;
}

void give_foreign_rules(core::Pod& pod, Random& random) {
    core::PodRules rules;
    const std::string group = any_group(random);
    const std::string own = random.percent(50) ? group : std::string();
    if (random.percent(60)) {
        const bool is_by_zone = random.percent(40);
        rules.anti_affinity = {
            term(is_by_zone ? zone_label : host_label, selector(group_label, group), {})};
    }
    put_rules(pod, own, rules);
}

}  // namespace gang::sim
