// The profiles' filters and scores in our own file.
#include "config/loader.hpp"
#include "config/plugins/profile_view.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

core::Result<config::Loaded> load(const std::string& profile) {
    return config::load("profiles:\n  - schedulerName: a\n" + profile, "f");
}

std::string wrong(const std::string& profile) {
    const auto loaded = load(profile);
    return loaded ? "" : loaded.error().message;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("filters: none named is all of them, and costs the pods' constraints nothing") {
    const auto loaded = load("");
    REQUIRE(loaded);
    CHECK(loaded->schema.profiles.front().left_out.empty());
    CHECK(loaded->warnings.empty());
}

TEST_CASE("filters: names of plugins and of predicates") {
    const auto loaded = load("    filters: [GeneralPredicates, PodToleratesNodeTaints]\n");
    REQUIRE(loaded);
    const auto filters = config::view(loaded->schema.profiles.front()).filters;
    CHECK(
        filters ==
        std::vector<std::string>{
            "NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity", "TaintToleration"});
}

TEST_CASE("filters: what is not built is a warning, once and at its place") {
    const auto loaded = load("    filters: [NodeResourcesFit, DynamicResources]\n");
    REQUIRE(loaded);
    CHECK(
        loaded->warnings ==
        std::vector<std::string>{"f:3:33: the filter DynamicResources is not built here and has "
                                 "no effect"});
    CHECK(
        config::view(loaded->schema.profiles.front()).not_built ==
        std::vector<std::string>{"DynamicResources"});
}

TEST_CASE("filters: a wrong list is refused, and says what was meant") {
    CHECK(contains(
        wrong("    filters: [NodeResourceFit]\n"),
        "f:3:14: profiles[0].filters: found unknown filter \"NodeResourceFit\", expected the name "
        "of a filter of kube-scheduler, did you mean \"NodeResourcesFit\"?"));
    CHECK(contains(
        wrong("    filters: [TaintToleration]\n"), "found no NodeResourcesFit, expected it: "));
    CHECK(contains(wrong("    filters: []\n"), "found no NodeResourcesFit"));
    CHECK(contains(wrong("    filters: all\n"), "expected a list of filters"));
    CHECK(contains(
        wrong("    filters: [NodeResourcesFit, NodeName, NodeName]\n"),
        "found \"NodeName\" twice"));
}

TEST_CASE("SCORE-12: a weight is a whole number from 1 to 2^31 - 1") {
    const auto with_weight = [](const std::string& weight) {
        return wrong("    scores: [{name: LeastRequestedPriority, weight: " + weight + "}]\n");
    };
    CHECK(with_weight("1").empty());
    CHECK(with_weight("2147483647").empty());
    for (const char* weight : {"0", "-1", "2147483648", "9223372036854775808", "1.5", "x"}) {
        CAPTURE(weight);
        CHECK(contains(with_weight(weight), "expected a whole number from 1 to 2147483647"));
    }
    CHECK(load("    scores: [{name: EqualPriority}]\n")->schema.profiles[0].scores[0].weight == 1);
}

TEST_CASE("scores: known ones without effect are warnings, unknown ones are refused") {
    const auto loaded = load("    scores: [{name: NodePreferAvoidPods, weight: 3}]\n");
    REQUIRE(loaded);
    REQUIRE(loaded->warnings.size() == 1);
    CHECK(contains(
        loaded->warnings[0], "f:3:21: the score NodePreferAvoidPods is not built here and has no"));
    const auto view = config::view(loaded->schema.profiles[0]);
    REQUIRE(view.scores.size() == 1);
    CHECK_FALSE(view.scores[0].is_built);
    CHECK(view.packing.empty());
    CHECK(contains(
        wrong("    scores: [{name: LeastRequestedPriorty}]\n"),
        "did you mean \"LeastRequestedPriority\"?"));
}

TEST_CASE("scores: beside a packing, or twice, or with arguments of others") {
    CHECK(contains(
        wrong("    packing: tightest\n    scores: [{name: EqualPriority}]\n"),
        "profiles[0]: found packing beside scores, expected one of them"));
    CHECK(contains(
        wrong("    scores: [{name: NodeResourcesFit}, {name: LeastRequestedPriority}]\n"),
        "found NodeResourcesLeastAllocated a second time, expected each score once"));
    CHECK(contains(
        wrong("    scores: [{name: RequestedToCapacityRatio}]\n"), "found no shape, expected it"));
    CHECK(contains(
        wrong("    scores: [{name: EqualPriority, shape: [{utilization: 0, score: 1}]}]\n"),
        "found a shape, expected none"));
    CHECK(contains(
        wrong("    scores: [{name: TaintToleration, resources: [{name: cpu}]}]\n"),
        "found resources, expected none"));
    CHECK(contains(
        wrong("    scores: [{name: RequestedToCapacityRatio, shape: [{utilization: 9, score: 1}, "
              "{utilization: 9, score: 2}]}]\n"),
        "expected rising values of utilization"));
    CHECK(contains(
        wrong("    scores: [{name: NodeResourcesFit, resources: [{name: pods}]}]\n"),
        "expected cpu, memory or an extended resource"));
    CHECK(contains(
        wrong("    scores: [{name: RequestedToCapacityRatio, shape: [{utilization: 0, score: 11}]}]"
              "\n"),
        "expected a whole number from 0 to 10"));
}
