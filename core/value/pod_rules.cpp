#include "core/value/pod_rules.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace core {

namespace {

/// Labels by which pods of one template differ.
constexpr std::array<std::string_view, 6> own_labels = {
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-completion-index",
    "controller-revision-hash",
    "spark-app-name",
    "spark-exec-id",
    "statefulset.kubernetes.io/pod-name"};

SpreadConstraint default_constraint(
    std::string key, std::int32_t max_skew, const LabelSelector& alike) {
    SpreadConstraint constraint;
    constraint.topology_key = std::move(key);
    constraint.max_skew = max_skew;
    constraint.selector = alike;
    return constraint;
}

}  // namespace

void add_default_spread(Boxed<PodRules>& rules, const StringMap& labels) {
    if (rules && (!rules->spread.empty() || !rules->preferred_spread.empty())) return;
    LabelSelector alike;
    alike.is_set = true;
    for (const auto& [key, value] : labels) {
        if (std::find(own_labels.begin(), own_labels.end(), key) != own_labels.end()) continue;
        alike.require({key, LabelOperator::in, {value}});
    }
    if (alike.requirements.empty()) return;
    if (!rules) rules.emplace();
    rules->preferred_spread = {
        default_constraint("kubernetes.io/hostname", 3, alike),
        default_constraint("topology.kubernetes.io/zone", 5, alike)};
    rules->spreads_by_default = true;
}

namespace {

bool any_by_labels(const std::vector<PodAffinityTerm>& terms) {
    return std::any_of(terms.begin(), terms.end(), [](const PodAffinityTerm& term) {
        return term.needs_namespace_labels();
    });
}

}  // namespace

std::string_view requires_namespace_labels(const PodRules& rules) {
    return any_by_labels(rules.affinity)        ? "podAffinity"
           : any_by_labels(rules.anti_affinity) ? "podAntiAffinity"
                                                : "";
}

bool needs_namespace_labels(const PodRules& rules) {
    return !requires_namespace_labels(rules).empty() ||
           std::any_of(
               rules.preferred.begin(), rules.preferred.end(), [](const PreferredPods& one) {
                   return one.term.needs_namespace_labels();
               });
}

}  // namespace core
