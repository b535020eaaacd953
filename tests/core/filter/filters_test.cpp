#include "core/filter/filters.hpp"

#include "core/filter/filter_names.hpp"
#include "core/value/exclusive.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using build::node;
using core::Constraints;
using core::filter_node;
using core::FilterReason;
using core::NodeSelectorRequirement;
using core::SelectorOperator;
using core::TaintEffect;
using core::Toleration;

namespace {

bool matches(const core::Node& candidate, NodeSelectorRequirement requirement) {
    Constraints constraints;
    constraints.has_required_affinity = true;
    constraints.required_affinity = {{{std::move(requirement)}, {}}};
    return core::matches_required_affinity(candidate, constraints);
}

Toleration tolerate(std::string key, std::string value) {
    Toleration made;
    made.key = std::move(key);
    made.value = std::move(value);
    return made;
}

Toleration tolerate_any(std::string key) {
    Toleration made;
    made.key = std::move(key);
    made.exists = true;
    return made;
}

}  // namespace

TEST_CASE("PRED-4: filters: every entry of a node selector must match") {
    const core::Node n = node("n1").label("pool", "batch").label("zone", "a");
    CHECK(core::matches_node_selector(n, {}));
    CHECK(core::matches_node_selector(n, {{"pool", "batch"}, {"zone", "a"}}));
    CHECK_FALSE(core::matches_node_selector(n, {{"pool", "batch"}, {"zone", "b"}}));
    CHECK_FALSE(core::matches_node_selector(n, {{"disk", ""}}));
}

TEST_CASE("PRED-4: filters: the six operators of node affinity") {
    const core::Node n = node("n1").label("pool", "batch").label("gen", "7").label("odd", "x7");
    using enum SelectorOperator;
    CHECK(matches(n, {"pool", in, {"web", "batch"}}));
    CHECK_FALSE(matches(n, {"pool", in, {"web"}}));
    CHECK_FALSE(matches(n, {"none", in, {"web"}}));
    CHECK(matches(n, {"pool", not_in, {"web"}}));
    CHECK_FALSE(matches(n, {"pool", not_in, {"web", "batch"}}));
    CHECK(matches(n, {"none", not_in, {"web"}}));
    CHECK(matches(n, {"pool", exists, {}}));
    CHECK_FALSE(matches(n, {"none", exists, {}}));
    CHECK(matches(n, {"none", does_not_exist, {}}));
    CHECK_FALSE(matches(n, {"pool", does_not_exist, {}}));
    CHECK(matches(n, {"gen", greater, {"6"}}));
    CHECK(matches(n, {"gen", greater, {"-6"}}));
    CHECK_FALSE(matches(n, {"gen", greater, {"7"}}));
    CHECK(matches(n, {"gen", less, {"+8"}}));
    CHECK_FALSE(matches(n, {"gen", less, {"7"}}));
    for (const SelectorOperator op : {greater, less}) {
        CHECK_FALSE(matches(n, {"none", op, {"1"}}));
        CHECK_FALSE(matches(n, {"odd", op, {"1"}}));
        CHECK_FALSE(matches(n, {"gen", op, {"x"}}));
        CHECK_FALSE(matches(n, {"gen", op, {}}));
        CHECK_FALSE(matches(n, {"gen", op, {"1", "9"}}));
        CHECK_FALSE(matches(n, {"gen", op, {"99999999999999999999"}}));
        CHECK_FALSE(matches(n, {"gen", op, {"+-1"}}));
    }
}

TEST_CASE("filters: requirements of a term are and-ed, terms are or-ed") {
    const core::Node n = node("n1").label("a", "1").label("b", "2");
    const NodeSelectorRequirement good{"a", SelectorOperator::in, {"1"}};
    const NodeSelectorRequirement bad{"b", SelectorOperator::in, {"1"}};
    Constraints constraints;
    constraints.has_required_affinity = true;
    constraints.required_affinity = {{{good, bad}, {}}};
    CHECK_FALSE(core::matches_required_affinity(n, constraints));
    constraints.required_affinity.push_back({{good}, {}});
    CHECK(core::matches_required_affinity(n, constraints));
}

TEST_CASE("filters: matchFields knows the node's name only") {
    const core::Node n = node("n1");
    Constraints constraints;
    constraints.has_required_affinity = true;
    constraints.required_affinity = {{{}, {{"metadata.name", SelectorOperator::in, {"n1"}}}}};
    CHECK(core::matches_required_affinity(n, constraints));
    CHECK_FALSE(core::matches_required_affinity(node("n2"), constraints));
    constraints.required_affinity = {{{}, {{"metadata.name", SelectorOperator::not_in, {"n1"}}}}};
    CHECK_FALSE(core::matches_required_affinity(n, constraints));
    constraints.required_affinity = {{{}, {{"metadata.uid", SelectorOperator::not_in, {"x"}}}}};
    CHECK_FALSE(core::matches_required_affinity(n, constraints));
}

TEST_CASE("filters: an empty term, and affinity without terms, match nothing") {
    const core::Node n = node("n1");
    Constraints constraints;
    CHECK(core::matches_required_affinity(n, constraints));
    constraints.has_required_affinity = true;
    CHECK_FALSE(core::matches_required_affinity(n, constraints));
    constraints.required_affinity = {{}};
    CHECK_FALSE(core::matches_required_affinity(n, constraints));
}

TEST_CASE("filters: a toleration's key, value, operator and effect") {
    const core::Taint taint{"dedicated", "gpu", TaintEffect::no_schedule};
    CHECK(core::tolerates(tolerate("dedicated", "gpu"), taint));
    CHECK_FALSE(core::tolerates(tolerate("dedicated", "web"), taint));
    CHECK_FALSE(core::tolerates(tolerate("other", "gpu"), taint));
    CHECK_FALSE(core::tolerates(tolerate("", "gpu"), taint));
    CHECK(core::tolerates(tolerate_any("dedicated"), taint));
    CHECK(core::tolerates(tolerate_any(""), taint));
    CHECK_FALSE(core::tolerates(tolerate_any("other"), taint));
    Toleration for_execute = tolerate_any("dedicated");
    for_execute.any_effect = false;
    for_execute.effect = TaintEffect::no_execute;
    CHECK_FALSE(core::tolerates(for_execute, taint));
    for_execute.effect = TaintEffect::no_schedule;
    CHECK(core::tolerates(for_execute, taint));
}

TEST_CASE("PRED-6: filters: NoSchedule and NoExecute exclude, PreferNoSchedule does not") {
    const Constraints nothing;
    CHECK(filter_node(node("n").taint("a", "", TaintEffect::prefer_no_schedule), nothing).passes());
    const core::Node no_schedule = node("n").taint("a", "", TaintEffect::no_schedule);
    CHECK(filter_node(no_schedule, nothing).reason == FilterReason::untolerated_taint);
    const core::Node no_execute = node("n").taint("a", "", TaintEffect::no_execute);
    CHECK(filter_node(no_execute, nothing).reason == FilterReason::untolerated_taint);
    Constraints tolerant;
    tolerant.tolerations = {tolerate_any("a")};
    CHECK(filter_node(no_execute, tolerant).passes());
}

TEST_CASE("filters: the first untolerated taint is named") {
    const core::Node n = node("n").taint("a", "1").taint("dedicated", "gpu").taint("c", "3");
    const std::vector<Toleration> tolerations = {tolerate("a", "1")};
    const core::Taint* taint = core::find_untolerated_taint(n.taints, tolerations);
    REQUIRE(taint != nullptr);
    CHECK(taint->key == "dedicated");
    CHECK(
        describe(core::FilterVerdict{FilterReason::untolerated_taint, taint}) ==
        "untolerated taint dedicated=gpu");
    const core::Taint bare{"only-key", "", TaintEffect::no_execute};
    CHECK(
        describe(core::FilterVerdict{FilterReason::untolerated_taint, &bare}) ==
        "untolerated taint only-key");
}

TEST_CASE("PRED-5: filters: a cordoned node takes only what tolerates the cordon") {
    const core::Node n = node("n").cordoned();
    Constraints constraints;
    CHECK(filter_node(n, constraints).reason == FilterReason::cordoned);
    SUBCASE("by key") {
        constraints.tolerations = {tolerate_any("node.kubernetes.io/unschedulable")};
        CHECK(filter_node(n, constraints).passes());
    }
    SUBCASE("by everything") {
        constraints.tolerations = {tolerate_any("")};
        CHECK(filter_node(n, constraints).passes());
    }
    SUBCASE("not by another effect") {
        constraints.tolerations = {tolerate_any("node.kubernetes.io/unschedulable")};
        constraints.tolerations[0].any_effect = false;
        constraints.tolerations[0].effect = TaintEffect::no_execute;
        CHECK(filter_node(n, constraints).reason == FilterReason::cordoned);
    }
}

TEST_CASE("filters: a node that is not ready takes nothing, whatever is tolerated") {
    Constraints tolerant;
    tolerant.tolerations = {tolerate_any("")};
    CHECK(filter_node(node("n").ready(false), tolerant).reason == FilterReason::not_ready);
}

TEST_CASE("filters: selector and affinity give their own reasons") {
    Constraints constraints;
    constraints.node_selector = {{"pool", "x"}};
    CHECK(filter_node(node("n"), constraints).reason == FilterReason::node_selector);
    constraints.node_selector.clear();
    constraints.has_required_affinity = true;
    CHECK(filter_node(node("n"), constraints).reason == FilterReason::node_affinity);
}

TEST_CASE("filters: what a profile leaves out is not asked") {
    const core::Node tainted = node("n").taint("a", "").cordoned();
    Constraints constraints;
    constraints.node_selector = {{"pool", "x"}};
    const auto without = [&](core::FilterSet left_out) {
        Constraints rules = constraints;
        core::Resources none;
        core::leave_out(left_out, none, rules);
        return filter_node(tainted, rules).reason;
    };
    using core::FilterId;
    constexpr core::FilterSet none;
    CHECK(without(none) == FilterReason::cordoned);
    CHECK(without(none.with(FilterId::node_unschedulable)) == FilterReason::untolerated_taint);
    constexpr auto open = none.with(FilterId::node_unschedulable).with(FilterId::taint_toleration);
    CHECK(without(open) == FilterReason::node_selector);
    CHECK(without(open.with(FilterId::node_affinity)) == FilterReason::none);
    CHECK(without(core::all_filters) == FilterReason::none);
    constraints.left_out = open.with(FilterId::node_affinity);
    CHECK(core::passes_when_open(tainted, constraints));
    CHECK(filter_node(node("n").ready(false), constraints).reason == FilterReason::not_ready);
}

TEST_CASE("filters: without NodePorts a pod wants no port") {
    Constraints constraints;
    constraints.has_host_ports = true;
    core::Resources requests;
    requests.cpu_milli = 500;
    requests.extended = {{"nvidia.com/gpu", 1}};
    core::Resources with_ports = requests;
    core::add_host_ports(with_ports, {{"", "TCP", 80}, {"10.0.0.1", "UDP", 53}});
    core::leave_out(core::FilterSet{}.with(core::FilterId::node_ports), with_ports, constraints);
    CHECK(with_ports == requests);
    CHECK_FALSE(constraints.has_host_ports);
}

TEST_CASE("filters: every name stands for a filter, and each filter has its plugin's name") {
    for (const core::FilterName& one : core::filter_names()) {
        CAPTURE(one.name);
        CHECK_FALSE(one.filters.empty());
        CHECK(core::find_filter_name(one.name) == &one);
    }
    for (std::size_t i = 0; i < core::filter_count; ++i) {
        const auto id = static_cast<core::FilterId>(i);
        const core::FilterName* const found = core::find_filter_name(core::to_string(id));
        REQUIRE(found != nullptr);
        CHECK(found->filters == core::FilterSet{}.with(id));
        CHECK_FALSE(found->is_predicate);
    }
    CHECK(core::find_filter_name("PodFitsHostPort") == nullptr);
    CHECK(core::find_filter_name("MatchNodeSelector")
              ->filters.contains(core::FilterId::node_affinity));
    CHECK(core::to_string(core::FilterId::inter_pod_affinity) == "InterPodAffinity");
}
