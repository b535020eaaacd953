#include "core/filter/filters.hpp"

#include "core/base/result.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/inline_volumes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace core {

namespace {

/// Go's strconv.ParseInt(text, 10, 64): a sign is allowed, the whole text must be the number.
std::optional<std::int64_t> parse_integer(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::nullopt;
    }
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

bool contains(const std::vector<std::string>& values, const std::string& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

/// Both sides must be integers, else the requirement does not hold.
bool compares(const NodeSelectorRequirement& requirement, const std::string* actual) {
    if (actual == nullptr || requirement.values.size() != 1) return false;
    const std::optional<std::int64_t> left = parse_integer(*actual);
    const std::optional<std::int64_t> right = parse_integer(requirement.values.front());
    if (!left || !right) return false;
    return requirement.op == SelectorOperator::greater ? *left > *right : *left < *right;
}

/// labels.Requirement.Matches: a missing key satisfies NotIn and DoesNotExist only.
bool holds(const NodeSelectorRequirement& requirement, const std::string* actual) {
    switch (requirement.op) {
        case SelectorOperator::in:
            return actual != nullptr && contains(requirement.values, *actual);
        case SelectorOperator::not_in:
            return actual == nullptr || !contains(requirement.values, *actual);
        case SelectorOperator::exists:
            return actual != nullptr;
        case SelectorOperator::does_not_exist:
            return actual == nullptr;
        case SelectorOperator::greater:
        case SelectorOperator::less:
            return compares(requirement, actual);
    }
    ENSURE(!"a known selector operator");
    return false;
}

/// The API server admits only metadata.name with In or NotIn and one value.
bool holds_for_field(const NodeSelectorRequirement& requirement, const Node& node) {
    return requirement.key == "metadata.name" && holds(requirement, &node.name);
}

bool keeps_off(const Taint& taint) {
    return taint.effect != TaintEffect::prefer_no_schedule;
}

/// The control plane's own, for a node's condition or a cordon.
bool is_of_condition(const Taint& taint) {
    return taint.key.starts_with("node.kubernetes.io/");
}

bool passes_node_ports(const Node& node, const Constraints& constraints) {
    return !node.refuses_host_ports || !constraints.has_host_ports;
}

bool passes_cordon(const Node& node, const Constraints& constraints) {
    return !node.unschedulable || tolerates_cordon(constraints.tolerations);
}

bool passes_taints(const Node& node, const Constraints& constraints) {
    return find_untolerated_taint(node.taints, constraints.tolerations) == nullptr;
}

bool passes_node_selector(const Node& node, const Constraints& constraints) {
    return matches_node_selector(node, constraints.node_selector);
}

bool has_value_of(const Node& node, const LabelValues& label) {
    const std::string* actual = find_value(node.labels, label.key);
    return actual != nullptr &&
           std::binary_search(label.values.begin(), label.values.end(), *actual);
}

bool passes_volumes(const Node& node, const Constraints& constraints, VolumeRule rule) {
    return std::all_of(
        constraints.volumes.begin(), constraints.volumes.end(), [&](const VolumeNodes& one) {
            return one.rule != rule ||
                   std::any_of(one.terms.begin(), one.terms.end(), [&](const auto& term) {
                       return matches_term(node, term);
                   }) ||
                   std::any_of(one.labels->begin(), one.labels->end(), [&](const auto& label) {
                       return has_value_of(node, label);
                   });
        });
}

bool passes_volume_affinity(const Node& node, const Constraints& constraints) {
    return passes_volumes(node, constraints, VolumeRule::affinity);
}

bool passes_volume_reach(const Node& node, const Constraints& constraints) {
    return passes_volumes(node, constraints, VolumeRule::unreachable);
}

bool passes_volume_zone(const Node& node, const Constraints& constraints) {
    return passes_volumes(node, constraints, VolumeRule::zone);
}

bool passes_volume_storage(const Node& node, const Constraints& constraints) {
    return passes_volumes(node, constraints, VolumeRule::storage);
}

/// What a filter asks of one node alone. The others are a matter of room, or of other pods.
struct Rule {
    FilterId filter;
    FilterReason reason;
    bool (*passes)(const Node& node, const Constraints& constraints);
};

constexpr std::array rules = {
    Rule{FilterId::node_ports, FilterReason::port_refused, passes_node_ports},
    Rule{FilterId::node_unschedulable, FilterReason::cordoned, passes_cordon},
    Rule{FilterId::taint_toleration, FilterReason::untolerated_taint, passes_taints},
    Rule{FilterId::node_affinity, FilterReason::node_selector, passes_node_selector},
    Rule{FilterId::node_affinity, FilterReason::node_affinity, matches_required_affinity},
    Rule{FilterId::volume_binding, FilterReason::volume_affinity, passes_volume_affinity},
    Rule{FilterId::volume_binding, FilterReason::volume_unreachable, passes_volume_reach},
    Rule{FilterId::volume_binding, FilterReason::volume_storage, passes_volume_storage},
    Rule{FilterId::volume_zone, FilterReason::volume_zone, passes_volume_zone}};

}  // namespace

bool matches_term(const Node& node, const NodeSelectorTerm& term) {
    if (term.match_expressions.empty() && term.match_fields.empty()) return false;
    const auto expression_holds = [&node](const NodeSelectorRequirement& requirement) {
        return holds(requirement, find_value(node.labels, requirement.key));
    };
    const auto field_holds = [&node](const NodeSelectorRequirement& requirement) {
        return holds_for_field(requirement, node);
    };
    return std::all_of(
               term.match_expressions.begin(), term.match_expressions.end(), expression_holds) &&
           std::all_of(term.match_fields.begin(), term.match_fields.end(), field_holds);
}

bool matches_node_selector(const Node& node, const StringMap& selector) {
    return std::all_of(selector.begin(), selector.end(), [&node](const auto& wanted) {
        const std::string* actual = find_value(node.labels, wanted.first);
        return actual != nullptr && *actual == wanted.second;
    });
}

bool matches_required_affinity(const Node& node, const Constraints& constraints) {
    if (!constraints.has_required_affinity) return true;
    return std::any_of(
        constraints.required_affinity.begin(),
        constraints.required_affinity.end(),
        [&node](const NodeSelectorTerm& term) { return matches_term(node, term); });
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
    if (!toleration.any_effect && toleration.effect != taint.effect) return false;
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    if (toleration.exists) return true;
    // Without a key only Exists is valid; Equal on an empty key must not tolerate every key.
    return toleration.key == taint.key && toleration.value == taint.value;
}

bool any_tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
    return std::any_of(tolerations.begin(), tolerations.end(), [&taint](const Toleration& one) {
        return tolerates(one, taint);
    });
}

const Taint* find_untolerated_taint(
    const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations) {
    const auto found = std::find_if(taints.begin(), taints.end(), [&](const Taint& taint) {
        return keeps_off(taint) && !any_tolerates(tolerations, taint);
    });
    return found == taints.end() ? nullptr : &*found;
}

bool tolerates_cordon(const std::vector<Toleration>& tolerations) {
    return any_tolerates(
        tolerations, {"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule});
}

FilterVerdict filter_node(const Node& node, const Constraints& constraints) {
    if (!node.ready) return {FilterReason::not_ready, nullptr};
    if (node.is_quarantined) return {FilterReason::quarantined, nullptr};
    for (const Rule& rule : rules) {
        if (constraints.left_out.contains(rule.filter) || rule.passes(node, constraints)) continue;
        const bool is_taint = rule.filter == FilterId::taint_toleration;
        return {
            rule.reason,
            is_taint ? find_untolerated_taint(node.taints, constraints.tolerations) : nullptr};
    }
    return {};
}

void leave_out(FilterSet filters, Resources& requests, Constraints& constraints) {
    constraints.left_out = filters;
    if (filters.contains(FilterId::node_ports)) {
        constraints.has_host_ports = false;
        requests = without_host_ports(std::move(requests));
    }
    if (filters.contains(FilterId::volume_restrictions)) {
        const auto volumes = inline_volumes(requests);  // these go on counting
        requests = without_disks(std::move(requests));
        add_volumes(requests, volumes);
    }
    if (filters.contains(FilterId::node_volume_limits)) {
        requests = without_all_volumes(std::move(requests));
    }
}

void leave_out(FilterSet filters, Boxed<PodRules>& rules) {
    if (!rules) return;
    if (filters.contains(FilterId::pod_topology_spread)) rules->spread.clear();
    if (filters.contains(FilterId::inter_pod_affinity)) {
        rules->affinity.clear();
        rules->anti_affinity.clear();
    }
    if (rules->empty()) rules.reset();
}

void leave_out(FilterSet filters, Boxed<std::vector<ClaimUse>>& claims) {
    if (filters.contains(FilterId::volume_binding) && filters.contains(FilterId::volume_zone) &&
        filters.contains(FilterId::volume_restrictions) &&
        filters.contains(FilterId::node_volume_limits)) {
        claims.reset();
    }
}

bool is_closed(const Node& node) {
    return !node.ready || node.is_quarantined || node.refuses_host_ports || node.unschedulable ||
           std::any_of(node.taints.begin(), node.taints.end(), [](const Taint& taint) {
               return keeps_off(taint) && is_of_condition(taint);
           });
}

bool passes_when_open(const Node& node, const Constraints& constraints) {
    const auto keeps_off_for_good = [&constraints](const Taint& taint) {
        return keeps_off(taint) && !is_of_condition(taint) &&
               !any_tolerates(constraints.tolerations, taint);
    };
    const bool passes_taints = constraints.left_out.contains(FilterId::taint_toleration) ||
                               std::none_of(
                                   node.taints.begin(), node.taints.end(), keeps_off_for_good);
    return passes_taints && std::all_of(rules.begin(), rules.end(), [&](const Rule& rule) {
               const bool is_lasting =
                   rule.filter == FilterId::node_affinity || is_about_volumes(rule.reason);
               return !is_lasting || constraints.left_out.contains(rule.filter) ||
                      rule.passes(node, constraints);
           });
}

std::string describe(const FilterVerdict& verdict) {
    switch (verdict.reason) {
        case FilterReason::none:
            return "eligible";
        case FilterReason::not_ready:
            return "not ready";
        case FilterReason::quarantined:
            return "just refused a pod";
        case FilterReason::port_refused:
            return "just refused a host port";
        case FilterReason::cordoned:
            return "cordoned";
        case FilterReason::untolerated_taint:
            return "untolerated taint " + verdict.taint->key +
                   (verdict.taint->value.empty() ? "" : "=" + verdict.taint->value);
        case FilterReason::node_selector:
            return "did not match the node selector";
        case FilterReason::node_affinity:
            return "did not match the node affinity";
        case FilterReason::volume_affinity:
            return "out of reach of its volume";
        case FilterReason::volume_zone:
            return "in another zone than its volume";
        case FilterReason::volume_unreachable:
            return "no volume can be made for it there";
        case FilterReason::volume_storage:
            return "not enough free storage for its volume";
    }
    ENSURE(!"a known filter reason");
    return {};
}

}  // namespace core
