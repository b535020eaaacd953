// kube-scheduler's Policy files.
#include "tests/config/kube.hpp"

#include <doctest/doctest.h>

using tests::contains;
using tests::filters;
using tests::loaded;
using tests::scores;
using tests::wrong;

namespace {

/// As the lecture has it, closed where the slide breaks off.
constexpr const char* lecture = R"({
"kind" : "Policy",
"apiVersion" : "v1",
"predicates" : [
    {"name" : "PodFitsHostPorts"},
    {"name" : "PodFitsResources"},
    {"name" : "NoDiskConflict"},
    {"name" : "MatchNodeSelector"},
    {"name" : "HostName"}
    ],
"priorities" : [
    {"name" : "LeastRequestedPriority", "weight" : 1},
    {"name" : "BalancedResourceAllocation", "weight" : 1},
    {"name" : "ServiceSpreadingPriority", "weight" : 1},
    {"name" : "EqualPriority", "weight" : 1}
    ],
"extenders" : [
    {
        "urlPrefix": "http://localhost:8888/",
        "filterVerb": "filter",
        "prioritizeVerb": "prioritize",
        "weight": 1,
        "enableHttps": false
    }
    ],
"hardPodAffinitySymmetricWeight" : 10
}
)";

std::string policy(const std::string& rest) {
    return "{\"kind\": \"Policy\", \"apiVersion\": \"v1\"" + rest + "}";
}

}  // namespace

TEST_CASE("SEC-4: the lecture's Policy gives the mapped plugins and the two that always stay") {
    const config::Loaded found = loaded(lecture);
    REQUIRE(found.schema.profiles.size() == 1);
    CHECK(found.schema.profiles[0].scheduler_name == "gang-scheduler");
    CHECK(
        filters(found) ==
        "NodeResourcesFit NodeName NodePorts NodeAffinity NodeUnschedulable TaintToleration "
        "VolumeRestrictions");
    CHECK(
        scores(found) ==
        "NodeResourcesLeastAllocated*1 NodeResourcesBalancedAllocation*1 service-spreading*1 "
        "first-by-name*1");
    CHECK(found.warnings.size() == 1);
    CHECK(contains(found.warnings[0], "hardPodAffinitySymmetricWeight has no effect"));
    REQUIRE(found.schema.extenders.size() == 1);
    CHECK(found.schema.extenders[0].url_prefix == "http://localhost:8888/");
    CHECK(found.schema.extenders[0].filter_verb == "filter");
    CHECK(found.schema.extenders[0].timeout_ms == 5'000);
}

TEST_CASE("SEC-4: a priority without weight has 1, and an unknown predicate is named") {
    CHECK(
        scores(loaded(policy(", \"priorities\": [{\"name\": \"MostRequestedPriority\"}]"))) ==
        "NodeResourcesMostAllocated*1");
    CHECK(
        wrong("{\n\"kind\": \"Policy\", \"apiVersion\": \"v1\",\n\"predicates\": [\n"
              "    {\"name\": \"PodFitsHostPort\"}]}") ==
        "policy.cfg:4:5: unknown predicate \"PodFitsHostPort\", did you mean PodFitsHostPorts?");
    CHECK(contains(
        wrong(policy(", \"priorities\": [{\"name\": \"LeastRequestPriority\"}]")),
        "unknown priority \"LeastRequestPriority\", did you mean LeastRequestedPriority?"));
    CHECK(contains(
        wrong(policy(", \"predicates\": [{\"name\": \"TaintToleration\"}]")),
        "unknown predicate \"TaintToleration\""));
}

TEST_CASE("SEC-4b: an absent list means the defaults, an empty one only what always stays") {
    CHECK(
        filters(loaded(policy(""))) ==
        "NodeResourcesFit NodeName NodePorts NodeAffinity NodeUnschedulable TaintToleration "
        "PodTopologySpread InterPodAffinity VolumeRestrictions VolumeBinding VolumeZone "
        "NodeVolumeLimits (DynamicResources)");
    CHECK(loaded(policy("")).warnings.empty());
    const config::Loaded empty = loaded(policy(", \"predicates\": [], \"priorities\": []"));
    CHECK(filters(empty) == "NodeResourcesFit NodeUnschedulable TaintToleration");
    CHECK(scores(empty).empty());
    CHECK(empty.schema.profiles[0].packing == core::PackingPolicy::first_by_name);
    REQUIRE(empty.warnings.size() == 1);
    CHECK(
        contains(empty.warnings[0], "PodFitsResources is added: NodeResourcesFit cannot be left"));
}

TEST_CASE("SEC-4b: a misspelt kind and a file that breaks off are refused, with the place") {
    CHECK(contains(wrong("{\"kind\": \"Polcy\", \"apiVersion\": \"v1\"}"), "found \"Polcy\""));
    CHECK(contains(wrong("{\"kind\": \"Policy\", \"apiVersion\": \"v2\"}"), "apiVersion v1"));
    const std::string text = lecture;
    const std::string broken = wrong(text.substr(0, text.find("\"extenders\"")));
    CHECK(contains(broken, "found no valid YAML"));
    CHECK(broken.starts_with("policy.cfg:17:"));
}

TEST_CASE("SEC-5: the weight of required affinity, under both names") {
    const auto right = loaded(policy(", \"hardPodAffinitySymmetricWeight\": 10"));
    CHECK(right.warnings.empty());
    CHECK(right.schema.profiles[0].pod_scoring.required_affinity == 10);
    const auto other = loaded(policy(", \"hardPodAffinityScoreWeight\": 10"));
    REQUIRE(other.warnings.size() == 1);
    CHECK(other.schema.profiles[0].pod_scoring.required_affinity == 10);
    CHECK(contains(other.warnings[0], "hardPodAffinityScoreWeight is no key of a Policy"));
    for (const char* key : {"hardPodAffinitySymmetricWeight", "hardPodAffinityScoreWeight"}) {
        CHECK(contains(
            wrong(policy(", \"" + std::string(key) + "\": 101")), "a whole number from 0 to 100"));
    }
}

TEST_CASE("SCORE-12: weights of priorities") {
    for (const char* weight : {"0", "-1", "2147483648", "\"1\""}) {
        CAPTURE(weight);
        CHECK(contains(
            wrong(policy(
                ", \"priorities\": [{\"name\": \"EqualPriority\", \"weight\": " +
                std::string(weight) + "}]")),
            "expected a whole number from 1 to 2147483647"));
    }
}

TEST_CASE("policy: requested to capacity under a name of one's own") {
    const config::Loaded found = loaded(policy(R"(, "priorities": [{
        "name": "mine", "weight": 5, "argument": {"requestedToCapacityRatioArguments": {
            "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}],
            "resources": [{"name": "nvidia.com/gpu", "weight": 3}, {"name": "pods"}]}}}])"));
    CHECK(scores(found) == "RequestedToCapacityRatio*5");
    const core::WeightedScore& score = found.schema.profiles[0].scores[0];
    CHECK(score.shape == std::vector<core::ShapePoint>{{0, 0}, {100, 100}});
    CHECK(score.resources == std::vector<core::ResourceWeight>{{"nvidia.com/gpu", 3}});
    CHECK(contains(found.warnings.at(0), "\"pods\" has no effect on scores here"));
    CHECK(contains(
        wrong(policy(
            R"(, "priorities": [{"name": "a", "argument": {"requestedToCapacityRatioArguments": {}}}])")),
        "found no shape"));
    CHECK(contains(
        loaded(
            policy(
                R"(, "priorities": [{"name": "a", "argument": {"labelPreference": {"label": "x"}}}])"))
            .warnings.at(0),
        "labelPreference is understood, and has no effect here"));
}

TEST_CASE("policy: unknown keys, keys twice, and wrong kinds of values") {
    CHECK(contains(
        wrong(policy(", \"predicate\": []")), "unknown key \"predicate\" in a Policy, did"));
    CHECK(contains(wrong(policy(", \"predicates\": {}")), "expected a list of predicates"));
    CHECK(contains(wrong(policy(", \"predicates\": [], \"predicates\": []")), "a second time"));
    CHECK(contains(wrong(policy(", \"predicates\": [\"HostName\"]")), "expected a predicate"));
    CHECK(contains(wrong(policy(", \"predicates\": [{}]")), "found a predicate without name"));
    CHECK(contains(
        loaded(policy(", \"alwaysCheckAllPredicates\": true")).warnings.at(0),
        "alwaysCheckAllPredicates is understood, and has no effect here"));
}

TEST_CASE("policy: extenders are checked as kube-scheduler checks them") {
    const auto extenders = [](const std::string& list) {
        return wrong(policy(", \"extenders\": [" + list + "]"));
    };
    CHECK(contains(extenders("{}"), "found an extender without urlPrefix"));
    CHECK(contains(
        extenders("{\"urlPrefix\": \"http://a\", \"prioritizeVerb\": \"p\"}"),
        "found prioritizeVerb without weight"));
    const std::string binder = "{\"urlPrefix\": \"http://a\", \"bindVerb\": \"b\"}";
    CHECK(contains(extenders(binder), "bindVerb is not supported"));
    CHECK(contains(extenders("{\"urlPrefix\": \"a\"}"), "found urlPrefix \"a\", expected a URL"));
    CHECK(contains(
        extenders("{\"urlPrefix\": \"https://a\", \"tlsConfig\": {\"keyData\": \"aa==\"}}"),
        "keyData is not supported: name a file instead"));
    const std::string managed =
        "{\"urlPrefix\": \"http://a\", \"managedResources\": [{\"name\": \"example.com/a\", "
        "\"ignoredByScheduler\": true}], \"httpTimeout\": 5000000000, \"ignorable\": true}";
    CHECK(extenders(managed).empty());
    CHECK(contains(extenders(managed + "," + managed), "found example.com/a twice"));
    CHECK(contains(
        extenders("{\"urlPrefix\": \"http://a\", \"managedResources\": [{\"name\": \"cpu\"}]}"),
        "expected the full name of an extended resource"));
    CHECK(contains(
        extenders("{\"urlPrefix\": \"http://a\", \"enableHTTPS\": true}"),
        "unknown key \"enableHTTPS\" in an extender, did you mean enableHttps?"));
}
