#pragma once
// Nodes, pods and rules between pods by a chance that is the same everywhere, and their words: for recorded
// transcripts.

#include "tests/core/domain/domain_world.hpp"
#include "tests/support/transcript.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

class RulesWalk {
public:
    using Words = std::vector<std::string>;

    explicit RulesWalk(std::uint64_t seed) : walk(seed) {}

    bool one_in(std::size_t n) { return walk.pick(n) == 0; }
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(walk.pick(static_cast<std::size_t>(high - low + 1)));
    }
    const std::string& any(const Words& words) { return walk.of(words); }

    core::Node node(const std::string& name) {
        core::Node made;
        made.name = name;
        made.ready = true;
        made.pods = between(1, 8);
        made.allocatable = {between(0, 4) * 1000, std::int64_t{64} << 30, 0, {}};
        made.labels = {{"host", name}, {"kubernetes.io/hostname", name}, {"pool", any({"p", "q"})}};
        if (!one_in(4)) made.labels.emplace_back("rack", any({"1", "2", "3"}));
        if (!one_in(4)) made.labels.emplace_back("zone", any({"a", "b", "c"}));
        if (one_in(6)) made.taints.push_back({"own", "", core::TaintEffect::no_schedule});
        return made;
    }
    core::StringMap labels() {
        core::StringMap made;
        if (!one_in(4)) made.emplace_back("role", any({"e", "d"}));
        if (one_in(2)) made.emplace_back("tier", any({"x", "y"}));
        return made;
    }
    core::LabelSelector some_pods() {
        if (one_in(14)) return {};
        core::LabelSelector made{true, {}};
        if (!one_in(6)) made.require({"role", core::LabelOperator::in, {any({"e", "e", "d"})}});
        if (one_in(5)) made.require({"tier", core::LabelOperator::not_in, {"x"}});
        return made;
    }
    core::PodAffinityTerm term() {
        core::PodAffinityTerm made{any({"zone", "zone", "rack", "host", "nothing"}), some_pods(), {"x"}, {}};
        if (one_in(5)) made.namespaces = {"y"};
        if (one_in(8)) made.namespace_selector.is_set = true;
        return made;
    }
    core::SpreadConstraint constraint() {
        core::SpreadConstraint made;
        made.max_skew = static_cast<std::int32_t>(between(1, 3));
        made.topology_key = any({"zone", "zone", "rack", "host", "kubernetes.io/hostname", "nothing"});
        made.selector = some_pods();
        made.min_domains = static_cast<std::int32_t>(one_in(3) ? between(1, 4) : 1);
        if (one_in(3)) made.node_affinity_policy = core::NodeInclusionPolicy::ignore;
        if (one_in(3)) made.node_taints_policy = core::NodeInclusionPolicy::honor;
        return made;
    }
    core::PodRules rules(bool has_preferences) {
        core::PodRules made;
        for (std::int64_t n = one_in(3) ? 0 : between(1, 2); n > 0; --n) {
            switch (between(0, 2)) {
                case 0:
                    made.affinity.push_back(term());
                    break;
                case 1:
                    made.anti_affinity.push_back(term());
                    break;
                default:
                    made.spread.push_back(constraint());
            }
        }
        for (std::int64_t n = has_preferences ? between(0, 2) : 0; n > 0; --n) {
            if (one_in(2)) {
                const auto weight = static_cast<std::int32_t>(between(1, 100));
                made.preferred.push_back({term(), one_in(2) ? weight : -weight});
            } else {
                made.preferred_spread.push_back(constraint());
            }
        }
        made.spreads_by_default = !made.preferred_spread.empty() && one_in(3);
        return made;
    }
    core::Constraints constraints() {
        core::Constraints made;
        if (one_in(5)) made.node_selector = {{"pool", "p"}};
        if (one_in(6)) {
            made.has_required_affinity = true;
            made.required_affinity = {{{{"rack", core::SelectorOperator::in, {"1", "2"}}}, {}}};
        }
        if (one_in(3)) made.tolerations.push_back({"own", true, "", true, {}, -1});
        if (one_in(12)) {
            made.left_out = core::FilterSet{}.with(core::FilterId::inter_pod_affinity);
        }
        return made;
    }
    RuledPod pod(bool has_preferences) {
        RuledPod made;
        made.namespace_name = any({"x", "x", "y"});
        made.labels = labels();
        made.rules = rules(has_preferences);
        made.constraints = constraints();
        return made;
    }
    core::PodScoring scoring() {
        core::PodScoring made;
        if (one_in(3)) made.required_affinity = static_cast<std::int32_t>(between(0, 1) * 50);
        made.ignores_placed = one_in(4);
        return made;
    }

    Walk walk;
};

inline std::string rules_text(const core::LabelSelector& selector) {
    if (!selector.is_set) return "nobody";
    std::string text = "{";
    for (const core::LabelRequirement& one : selector.requirements) {
        text += one.key + (one.op == core::LabelOperator::in ? "=" : "!=") +
                (one.values.empty() ? "" : one.values[0]) + " ";
    }
    return text + "}";
}

inline std::string rules_text(const core::PodAffinityTerm& term) {
    std::string text = term.topology_key + rules_text(term.selector);
    for (const std::string& name : term.namespaces) text += name;
    return text + (term.namespace_selector.is_set ? "*" : "");
}

inline std::string rules_text(const core::SpreadConstraint& constraint) {
    using enum core::NodeInclusionPolicy;
    return constraint.topology_key + rules_text(constraint.selector) + std::to_string(constraint.max_skew) + "/" +
           std::to_string(constraint.min_domains) + (constraint.node_affinity_policy == ignore ? "i" : "") +
           (constraint.node_taints_policy == honor ? "h" : "");
}

inline std::string rules_text(const RuledPod& pod) {
    std::string text = pod.namespace_name;
    for (const auto& [key, value] : pod.labels) text += " " + value;
    for (const auto& one : pod.rules.affinity) text += " near " + rules_text(one);
    for (const auto& one : pod.rules.anti_affinity) text += " apart " + rules_text(one);
    for (const auto& one : pod.rules.spread) text += " spread " + rules_text(one);
    for (const auto& one : pod.rules.preferred) text += " " + std::to_string(one.weight) + " " + rules_text(one.term);
    for (const auto& one : pod.rules.preferred_spread) text += " rather " + rules_text(one);
    if (pod.rules.spreads_by_default) text += " by default";
    if (!pod.constraints.node_selector.empty()) text += " pool p";
    if (pod.constraints.has_required_affinity) text += " rack 1-2";
    if (!pod.constraints.tolerations.empty()) text += " tolerant";
    if (!pod.constraints.left_out.empty()) text += " alone";
    return text;
}

inline std::string rules_text(const core::Node& node) {
    std::string text = node.name + "(" + std::to_string(node.allocatable.cpu_milli / 1000);
    for (const auto& [key, value] : node.labels) {
        if (value != node.name) text += " " + value;
    }
    return text + (node.taints.empty() ? ")" : " own)");
}

}  // namespace tests
