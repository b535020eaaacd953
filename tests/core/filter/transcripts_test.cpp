// Nodes and constraints drawn by chance from usual and odd words: what the filters say of each pair, in full.

#include "core/filter/filter_names.hpp"
#include "core/filter/filters.hpp"
#include "core/filter/preference.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace filter_walk {

using namespace core;
using tests::Walk;
using Words = std::vector<std::string>;

const Words numbers = {
    "7",
    "6",
    "8",
    "0",
    "1",
    "-1",
    "+7",
    "-7",
    "+-7",
    "++7",
    "",
    "+",
    "07",
    "7 ",
    "x7",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808"};

const Words taint_keys = {
    "dedicated", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable", "other"};

TaintEffect any_effect(Walk& walk) {
    return static_cast<TaintEffect>(walk.pick(3));
}

std::string name_of(TaintEffect effect) {
    constexpr std::array names = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
    return names[static_cast<std::size_t>(effect)];
}

Node any_node(Walk& walk) {
    Node node;
    node.name = walk.of(Words{"n1", "n2", "n3"});
    node.ready = walk.pick(12) != 0;
    node.is_quarantined = walk.pick(12) == 0;
    node.refuses_host_ports = walk.pick(8) == 0;
    node.unschedulable = walk.pick(8) == 0;
    for (std::size_t i = walk.pick(3) * walk.pick(2); i > 0; --i) {
        node.taints.push_back({walk.of(taint_keys), walk.of(Words{"", "gpu"}), any_effect(walk)});
    }
    node.labels = {{"gen", walk.of(numbers)}, {"pool", walk.of(Words{"a", "b", ""})}};
    if (walk.pick(2) == 0) node.labels.emplace_back("zone", walk.of(Words{"x", "y"}));
    return node;
}

NodeSelectorRequirement any_requirement(Walk& walk) {
    NodeSelectorRequirement made;
    made.key = walk.of(Words{"gen", "pool", "zone", "none"});
    made.op = static_cast<SelectorOperator>(walk.pick(6));
    for (std::size_t i = walk.pick(5) == 0 ? walk.pick(3) : 1; i > 0; --i) {
        made.values.push_back(walk.of(made.key == "gen" ? numbers : Words{"a", "b", "x", "y", ""}));
    }
    return made;
}

NodeSelectorTerm any_term(Walk& walk) {
    NodeSelectorTerm term;
    for (std::size_t i = walk.pick(3); i > 0; --i) term.match_expressions.push_back(any_requirement(walk));
    if (walk.pick(4) == 0) {
        term.match_fields.push_back(
            {walk.of(Words{"metadata.name", "metadata.name", "metadata.uid"}),
             static_cast<SelectorOperator>(walk.pick(2)),
             {walk.of(Words{"n1", "n2"})}});
    }
    return term;
}

Constraints any_constraints(Walk& walk) {
    Constraints made;
    if (walk.pick(4) == 0) made.node_selector = {{"pool", walk.of(Words{"a", "b"})}};
    if (walk.pick(8) == 0) made.node_selector.emplace_back("zone", "x");
    made.has_required_affinity = walk.pick(4) == 0;
    for (std::size_t i = made.has_required_affinity ? walk.pick(3) : 0; i > 0; --i) {
        made.required_affinity.push_back(any_term(walk));
    }
    for (std::size_t i = walk.pick(3); i > 0; --i) {
        const std::int32_t weight = walk.pick(4) == 0 ? std::numeric_limits<std::int32_t>::max() : 40;
        made.preferred_affinity.push_back({weight, any_term(walk)});
    }
    for (std::size_t i = walk.pick(3) * walk.pick(2); i > 0; --i) {
        Toleration one;
        one.key = walk.pick(4) == 0 ? "" : walk.of(taint_keys);
        one.exists = walk.pick(2) == 0;
        one.value = walk.of(Words{"", "gpu"});
        one.any_effect = walk.pick(2) == 0;
        one.effect = any_effect(walk);
        made.tolerations.push_back(one);
    }
    made.has_host_ports = walk.pick(2) == 0;
    for (std::size_t i = walk.pick(3) * walk.pick(2); i > 0; --i) {
        VolumeNodes one;
        one.rule = static_cast<VolumeRule>(walk.pick(4));
        if (walk.pick(2) == 0) one.terms.push_back(any_term(walk));
        if (walk.pick(2) == 0) one.labels = {{{"pool", {"a", "b"}}, {"zone", {"y"}}}};
        made.volumes.push_back(one);
    }
    if (walk.pick(3) == 0) made.points = {{"n1", 5}, {"n3", 7}};
    for (std::size_t i = walk.pick(6) == 0 ? 3 : 0; i > 0; --i) {
        made.left_out = made.left_out.with(static_cast<FilterId>(walk.pick(filter_count)));
    }
    return made;
}

std::string text_of(const NodeSelectorRequirement& requirement) {
    constexpr std::array operators = {"in", "not-in", "exists", "not-there", ">", "<"};
    std::string text = requirement.key + " " + operators[static_cast<std::size_t>(requirement.op)];
    for (const std::string& value : requirement.values) text += " '" + value + "'";
    return text;
}

std::string text_of(const NodeSelectorTerm& term) {
    std::string text = "(";
    for (const auto& one : term.match_expressions) text += text_of(one) + "; ";
    for (const auto& one : term.match_fields) text += "field " + text_of(one) + "; ";
    return text + ")";
}

std::string text_of(const Node& node) {
    std::string text = node.name;
    if (!node.ready) text += " not-ready";
    if (node.is_quarantined) text += " quarantined";
    if (node.refuses_host_ports) text += " no-ports";
    if (node.unschedulable) text += " cordoned";
    for (const auto& [key, value] : node.labels) text += " " + key + "=" + value;
    for (const Taint& taint : node.taints) {
        text += " " + taint.key + "=" + taint.value + ":" + name_of(taint.effect);
    }
    return text;
}

std::string text_of(const Constraints& constraints) {
    std::string text;
    for (const auto& [key, value] : constraints.node_selector) text += " " + key + "=" + value;
    if (constraints.has_required_affinity) text += " must";
    for (const auto& term : constraints.required_affinity) text += text_of(term);
    for (const auto& one : constraints.preferred_affinity) {
        text += " " + std::to_string(one.weight) + text_of(one.term);
    }
    for (const Toleration& one : constraints.tolerations) {
        text += " tolerates " + one.key + (one.exists ? "" : "=" + one.value) +
                (one.any_effect ? "" : ":" + name_of(one.effect));
    }
    if (constraints.has_host_ports) text += " ports";
    for (const VolumeNodes& one : constraints.volumes) {
        text += " volume" + std::to_string(static_cast<int>(one.rule));
        for (const auto& term : one.terms) text += text_of(term);
        for (const auto& label : *one.labels) text += " " + label.key;
    }
    if (!constraints.points.empty()) text += " points";
    if (!constraints.left_out.empty()) text += " without " + std::to_string(constraints.left_out.bits);
    return text;
}

/// The same node as it is when nothing is the matter with it.
Node opened(Node node) {
    node.ready = true;
    node.is_quarantined = false;
    node.refuses_host_ports = false;
    node.unschedulable = false;
    std::erase_if(node.taints, [](const Taint& taint) { return taint.key.starts_with("node.kubernetes.io/"); });
    return node;
}

std::string text_of(const Resources& resources) {
    std::string text = std::to_string(resources.cpu_milli) + "m";
    for (const auto& one : resources.extended) text += ", " + one.name + ":" + std::to_string(one.amount);
    return text;
}

TEST_CASE("filters: what they say of odd nodes and odd pods") {
    Walk walk(1);
    std::string told;
    for (int i = 0; i < 700; ++i) {
        const Node node = any_node(walk);
        const Constraints constraints = any_constraints(walk);
        const FilterVerdict verdict = filter_node(node, constraints);
        const Preference preference = find_preference(node, constraints);
        told += text_of(node) + " |" + text_of(constraints) + "\n  " + describe(verdict);
        told += is_about_volumes(verdict.reason) ? ", of volumes" : "";
        told += is_closed(node) ? ", closed" : "";
        told += passes_when_open(node, constraints) ? ", open to it" : "";
        told += is_better_avoided(node) ? ", better avoided" : "";
        told += " " + std::to_string(preference.taints) + "/" + std::to_string(preference.weight) + "/" +
                std::to_string(preference.points) + "\n";
        // Whom nothing closes is closed to nobody.
        CHECK(is_closed(opened(node)) == false);
        CHECK(passes_when_open(node, constraints) == filter_node(opened(node), constraints).passes());
        if (!is_closed(node)) {
            CHECK(passes_when_open(node, constraints) == verdict.passes());
        }
    }
    tests::check_transcript("core/filter/transcripts/verdicts", told);
}

TEST_CASE("filters: each of four kinds of volumes keeps an open node out for its own reason") {
    const std::array<FilterReason, 4> reasons = {
        FilterReason::volume_affinity,
        FilterReason::volume_zone,
        FilterReason::volume_unreachable,
        FilterReason::volume_storage};
    const std::array<std::string, 4> words = {
        "out of reach of its volume",
        "in another zone than its volume",
        "no volume can be made for it there",
        "not enough free storage for its volume"};
    Node node;
    node.name = "n1";
    node.ready = true;
    node.labels = {{"zone", "x"}};
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        Constraints constraints;
        constraints.volumes = {{static_cast<VolumeRule>(i), {}, {}}};
        CHECK(filter_node(node, constraints).reason == reasons[i]);
        CHECK(describe(filter_node(node, constraints)) == words[i]);
        CHECK_FALSE(passes_when_open(node, constraints));
        constraints.volumes[0].labels = {{{"zone", {"w", "x"}}}};
        CHECK(filter_node(node, constraints).passes());
        CHECK(passes_when_open(node, constraints));
        constraints.volumes[0].labels = {{{"zone", {"w", "y"}}}};
        constraints.volumes[0].terms = {{{{"zone", SelectorOperator::exists, {}}}, {}}};
        CHECK(filter_node(node, constraints).passes());
        CHECK(passes_when_open(node, constraints));
    }
    CHECK(describe(FilterVerdict{}) == "eligible");
}

TEST_CASE("filters: a taint of a condition closes a node only if it keeps pods off") {
    for (const std::string key : {"node.kubernetes.io/not-ready", "dedicated"}) {
        for (const auto effect :
             {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule, TaintEffect::no_execute}) {
            CAPTURE(key);
            CAPTURE(static_cast<int>(effect));
            Node node;
            node.ready = true;
            node.taints = {{key, "", effect}};
            const bool is_hard = effect != TaintEffect::prefer_no_schedule;
            const bool is_of_condition = key != "dedicated";
            CHECK(is_closed(node) == (is_hard && is_of_condition));
            CHECK(passes_when_open(node, {}) == (!is_hard || is_of_condition));
        }
    }
}

TEST_CASE("filters: what each set of filters that a profile leaves out takes from a pod") {
    Resources asked;
    asked.cpu_milli = 500;
    asked.extended = {{"nvidia.com/gpu", 1}};
    add_host_ports(asked, {{"", "TCP", 80}});
    add_disks(asked, {{"gce-pd d1", false}, {"aws-ebs v1", false}});
    add_volumes(asked, {{"a.example.com", ""}, {"a.example.com", "v1"}});
    const PodAffinityTerm term{"zone", {true, {}}, {"x"}, {}};
    SpreadConstraint spread;
    spread.topology_key = "zone";
    std::string told;
    constexpr std::array ids = {
        FilterId::node_ports,
        FilterId::pod_topology_spread,
        FilterId::inter_pod_affinity,
        FilterId::volume_restrictions,
        FilterId::volume_binding,
        FilterId::volume_zone,
        FilterId::node_volume_limits};
    for (std::size_t bits = 0; bits < std::size_t{1} << ids.size(); ++bits) {
        FilterSet filters;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if ((bits >> i & 1U) != 0) filters = filters.with(ids[i]);
            if ((bits >> i & 1U) != 0) told += std::string(to_string(ids[i])) + " ";
        }
        Resources requests = asked;
        Constraints constraints;
        constraints.has_host_ports = true;
        leave_out(filters, requests, constraints);
        CHECK(constraints.left_out == filters);
        told += "\n  " + text_of(requests) + (constraints.has_host_ports ? " ports" : "");
        for (std::size_t kinds = 0; kinds < 8; ++kinds) {
            PodRules made;
            if ((kinds & 1U) != 0) made.affinity = {term};
            if ((kinds & 2U) != 0) made.anti_affinity = {term};
            if ((kinds & 4U) != 0) made.spread = {spread};
            Boxed<PodRules> rules(made);
            leave_out(filters, rules);
            told += rules ? " " + std::to_string(rules->affinity.size()) +
                                std::to_string(rules->anti_affinity.size()) +
                                std::to_string(rules->spread.size())
                          : " none";
        }
        Boxed<PodRules> nothing;
        leave_out(filters, nothing);
        CHECK_FALSE(nothing.has_value());
        Boxed<std::vector<ClaimUse>> claims(std::vector<ClaimUse>{{"data", false}});
        leave_out(filters, claims);
        told += claims ? " claims\n" : "\n";
    }
    tests::check_transcript("core/filter/transcripts/left_out", told);
}

TEST_CASE("filters: the names, and what each stands for") {
    std::string told;
    for (const FilterName& one : filter_names()) {
        told += std::string(one.name) + (one.is_predicate ? " (predicate):" : ":");
        for (std::size_t i = 0; i < filter_count; ++i) {
            const auto id = static_cast<FilterId>(i);
            if (one.filters.contains(id)) told += " " + std::string(to_string(id));
        }
        told += "\n";
    }
    tests::check_transcript("core/filter/transcripts/names", told);
    CHECK(find_filter_name("") == nullptr);
}

}  // namespace filter_walk
