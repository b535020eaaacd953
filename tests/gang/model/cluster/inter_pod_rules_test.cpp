// Rules between pods: who waits with which, who is placed, and what labels of namespaces change.
#include "gang/model/cluster/inter_pod_rules.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

/// Not on a node with such a pod.
core::PodRules apart_from(const std::string& app) {
    core::PodAffinityTerm term;
    term.topology_key = "kubernetes.io/hostname";
    term.selector = {true, {{"app", core::LabelOperator::in, {app}}}};
    term.namespaces = {"etl"};
    core::PodRules rules;
    rules.anti_affinity = {term};
    return rules;
}

core::Pod with_app(const std::string& name, const std::string& app) {
    core::Pod pod = tests::pod(name, 1'000, 100);
    pod.uid = name;
    pod.labels = {{"app", app}};
    return pod;
}

}  // namespace

TEST_CASE("inter-pod rules: pods without terms are kept once somebody has waited with rules") {
    core::Cluster cluster;
    cluster.upsert_node(tests::node("n1", 8, 8'192));
    const core::Namespaces namespaces;
    gang::InterPodRules rules(cluster, namespaces);
    rules.placed().place(with_app("before", "web"), "n1");
    CHECK(rules.placed().size() == 0);
    CHECK(rules.waiting().wait_for_executors("d1", 0, apart_from("web"), "etl").empty());
    CHECK_FALSE(rules.waiting().of_executors("d1", 0).is_none());
    CHECK(rules.waiting().of_executors("d1", 1).is_none());
    CHECK(rules.waiting().of("d1").is_none());
    CHECK_FALSE(rules.labels().are_known());
    CHECK(rules.placed().fill() == 0);
    rules.placed().place(with_app("after", "web"), "n1");
    CHECK(rules.placed().size() == 1);
    const std::uint64_t version = rules.version();
    rules.placed().remove("after");
    CHECK(rules.version() == version + 1);
    rules.waiting().stop_for_executors("d1");
    CHECK(rules.remembered() == 0);
    for (const core::Account& account : rules.accounts()) {
        CHECK(account.held == account.owned);
    }
}

TEST_CASE("inter-pod rules: who cannot know its namespaces has them as soon as they are told") {
    core::Cluster cluster;
    core::Namespaces namespaces;
    namespaces.missing("forbidden");
    gang::InterPodRules rules(cluster, namespaces);
    core::PodRules asked = apart_from("web");
    asked.anti_affinity[0].namespaces.clear();
    asked.anti_affinity[0].namespace_selector = {true, {{"team", core::LabelOperator::in, {"x"}}}};
    const std::string problem = rules.waiting().wait_for_executors("d1", 0, asked, "etl");
    CHECK(problem.find("forbidden") != std::string::npos);
    CHECK(rules.needs_namespaces());
    CHECK(rules.waiting().size() == 0);
    namespaces.listed({{"etl", {{"team", "x"}}}});
    const auto taken = rules.namespaces_changed();
    REQUIRE(taken.size() == 1);
    CHECK(taken[0].uid == "d1/0");
    CHECK(taken[0].problem_before == problem);
    CHECK(taken[0].problem.empty());
    CHECK(rules.waiting().size() == 1);
    CHECK(rules.namespaces_changed().empty());
}
