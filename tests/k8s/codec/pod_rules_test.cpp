#include "k8s/codec/pod/codec_pod.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using Op = core::LabelOperator;

core::Pod pod_with(const std::string& spec) {
    auto pod = k8s::decode_pod(
        R"({"metadata": {"name": "p", "namespace": "team",
            "labels": {"app": "a", "hash": "7"}}, "spec": {)" +
        spec + "}}");
    REQUIRE(pod.has_value());
    return *std::move(pod);
}

core::PodAffinityTerm term_of(const std::string& json) {
    const core::Pod pod = pod_with(
        R"("affinity": {"podAffinity":
           {"requiredDuringSchedulingIgnoredDuringExecution": [)" +
        json + "]}}");
    CHECK(pod.problem == "");
    REQUIRE(pod.rules);
    REQUIRE(pod.rules->affinity.size() == 1);
    return pod.rules->affinity[0];
}

core::SpreadConstraint spread_of(const std::string& json) {
    const core::Pod pod = pod_with(R"("topologySpreadConstraints": [)" + json + "]");
    CHECK(pod.problem == "");
    REQUIRE(pod.rules);
    REQUIRE(pod.rules->spread.size() == 1);
    return pod.rules->spread[0];
}

std::string problem_of_term(const std::string& json) {
    return pod_with(
               R"("affinity": {"podAntiAffinity":
                  {"requiredDuringSchedulingIgnoredDuringExecution": [)" +
               json + "]}}")
        .problem;
}

std::string problem_of_spread(const std::string& json) {
    return pod_with(R"("topologySpreadConstraints": [)" + json + "]").problem;
}

}  // namespace

TEST_CASE("pod_rules: affinity, anti-affinity and spread, required and preferred") {
    const core::Pod pod = pod_with(R"(
      "affinity": {
        "podAffinity": {
          "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 7, "podAffinityTerm":
              {"topologyKey": "rack", "labelSelector": {"matchLabels": {"app": "a"}}}}],
          "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "a"}}}]},
        "podAntiAffinity": {
          "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 100, "podAffinityTerm": {"topologyKey": "host", "namespaces": ["x"]}}],
          "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "host", "namespaces": ["y", "x", "y"], "labelSelector":
              {"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["2", "1"]},
                                    {"key": "a", "operator": "Exists"}]}}]}},
      "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway"},
        {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3,
         "labelSelector": {}, "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor"}])");
    CHECK(pod.problem == "");
    REQUIRE(pod.rules);
    const core::LabelSelector app{true, {{"app", Op::in, {"a"}}}};
    const core::LabelSelector both{true, {{"a", Op::exists, {}}, {"b", Op::not_in, {"1", "2"}}}};
    using core::NodeInclusionPolicy;
    CHECK(
        *pod.rules ==
        core::PodRules{
            {{"zone", app, {"team"}, {}}},
            {{"host", both, {"x", "y"}, {}}},
            {{2, "zone", {true, {}}, 3, NodeInclusionPolicy::ignore, NodeInclusionPolicy::honor}},
            {{{"rack", app, {"team"}, {}}, 7}, {{"host", {}, {"x"}, {}}, -100}},
            {{1, "rack", {}, 1, NodeInclusionPolicy::honor, NodeInclusionPolicy::ignore}}});
}

TEST_CASE("pod_rules: a pod that asks nothing of others has none") {
    CHECK_FALSE(pod_with("").rules);
    CHECK_FALSE(pod_with(R"("affinity": {"podAffinity": {}, "podAntiAffinity":
        {"requiredDuringSchedulingIgnoredDuringExecution": []}})")
                    .rules);
}

TEST_CASE("pod_rules: which namespaces a term means") {
    CHECK(term_of(R"({"topologyKey": "z"})").namespaces == std::vector<std::string>{"team"});
    const auto all =
        term_of(R"({"topologyKey": "z", "namespaces": ["x"], "namespaceSelector": {}})");
    CHECK(all.means_all_namespaces());
    CHECK_FALSE(all.needs_namespace_labels());
    CHECK(all.namespaces.empty());
    const auto by_labels =
        term_of(R"({"topologyKey": "z", "namespaceSelector": {"matchLabels": {"team": "x"}}})");
    CHECK(by_labels.needs_namespace_labels());
    CHECK(by_labels.namespaces.empty());
    CHECK(core::requires_namespace_labels({{by_labels}, {}, {}}) == "podAffinity");
}

TEST_CASE("pod_rules: a selector that is not there stays so") {
    CHECK_FALSE(term_of(R"({"topologyKey": "z", "matchLabelKeys": ["app"]})").selector.is_set);
    CHECK_FALSE(spread_of(R"({"maxSkew": 1, "topologyKey": "z",
        "whenUnsatisfiable": "DoNotSchedule", "matchLabelKeys": ["app"]})")
                    .selector.is_set);
}

TEST_CASE("pod_rules: label keys stand for the pod's own values, merged already or not") {
    const core::LabelSelector merged{true, {{"app", Op::not_in, {"a"}}, {"hash", Op::in, {"7"}}}};
    CHECK(
        term_of(R"({"topologyKey": "z", "labelSelector": {}, "matchLabelKeys": ["hash", "none"],
            "mismatchLabelKeys": ["app"]})")
            .selector == merged);
    CHECK(
        term_of(R"({"topologyKey": "z", "matchLabelKeys": ["hash"], "mismatchLabelKeys": ["app"],
            "labelSelector": {"matchExpressions": [
              {"key": "hash", "operator": "In", "values": ["7"]},
              {"key": "app", "operator": "NotIn", "values": ["a"]}]}})")
            .selector == merged);
    // Merged when the pod was made, and the label has changed since.
    CHECK(
        term_of(R"({"topologyKey": "z", "matchLabelKeys": ["hash"], "labelSelector":
            {"matchExpressions": [{"key": "hash", "operator": "In", "values": ["6"]}]}})")
            .selector == core::LabelSelector{true, {{"hash", Op::in, {"6"}}}});
    const core::LabelSelector spread_merged{true, {{"hash", Op::in, {"7"}}}};
    CHECK(
        spread_of(R"({"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchExpressions": [
              {"key": "hash", "operator": "In", "values": ["7"]}]}, "matchLabelKeys": ["hash"]})")
            .selector == spread_merged);
}

TEST_CASE("pod_rules: a bad field is the pod's problem") {
    CHECK(problem_of_term("{}") == "topologyKey: expected the name of a node label");
    CHECK(
        problem_of_term(R"({"topologyKey": "z", "labelSelector":
            {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}})") ==
        "operator of a label selector: expected In, NotIn, Exists or DoesNotExist");
    CHECK(
        problem_of_term(R"({"topologyKey": "z", "namespaces": "x"})") ==
        "namespaces: expected an array of strings");
    const auto preferred = [](const char* preference) {
        return pod_with(
                   R"("affinity": {"podAffinity":
                      {"preferredDuringSchedulingIgnoredDuringExecution": [)" +
                   std::string(preference) + "]}}")
            .problem;
    };
    CHECK(
        preferred(R"({"weight": 0, "podAffinityTerm": {"topologyKey": "z"}})") ==
        "weight of a preferred pod affinity term: expected a number from 1 to 100");
    CHECK(
        preferred(R"({"weight": 101, "podAffinityTerm": {"topologyKey": "z"}})") ==
        "weight of a preferred pod affinity term: expected a number from 1 to 100");
    CHECK(preferred(R"({"weight": 1})") == "podAffinityTerm: expected a term");
    CHECK(
        preferred(R"({"weight": 1, "podAffinityTerm": {}})") ==
        "topologyKey: expected the name of a node label");
    const auto spread = [](const std::string& skew, const std::string& when, const char* rest) {
        return problem_of_spread(
            R"({"topologyKey": "z", "maxSkew": )" + skew + R"(, "whenUnsatisfiable": ")" + when +
            "\"" + rest + "}");
    };
    CHECK(spread("1", "DoNotSchedule", "") == "");
    CHECK(spread("0", "DoNotSchedule", "") == "maxSkew: expected a number from 1 on, of 32 bits");
    CHECK(
        spread("4294967297", "DoNotSchedule", "") ==
        "maxSkew: expected a number from 1 on, of 32 bits");
    CHECK(spread("null", "DoNotSchedule", "") == "maxSkew: expected a number");
    CHECK(
        spread("1", "Maybe", "") == "whenUnsatisfiable: expected DoNotSchedule or ScheduleAnyway");
    CHECK(
        spread("1", "DoNotSchedule", R"(, "minDomains": 0)") ==
        "minDomains: expected a number from 1 on, of 32 bits");
    CHECK(
        spread("1", "DoNotSchedule", R"(, "nodeTaintsPolicy": "No")") ==
        "nodeTaintsPolicy: expected Honor or Ignore");
}
