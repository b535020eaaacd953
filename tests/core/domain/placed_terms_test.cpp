#include "core/domain/placed_terms.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

TEST_CASE("placed terms: each kind is counted by itself, and gone with its pod") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1"));
    core::DomainIndex keys;
    keys.node_changed(*cluster.nodes().find("n1"), build::node("n1"));
    core::PodAffinityTerm term;
    term.topology_key = "kubernetes.io/hostname";
    term.selector = {};
    term.selector.is_set = true;
    core::PodRules rules;
    rules.anti_affinity = {term};
    rules.preferred = {{term, 5}, {term, -7}};
    core::PreferredPods unknown{term, 9};
    unknown.term.namespace_selector.is_set = true;
    unknown.term.namespace_selector.requirements = {{"team", core::LabelOperator::exists, {}}};
    rules.preferred.push_back(unknown);
    const core::StringMap labels;
    const core::PlacedPod pod{*cluster.nodes().find("n1"), "spark", labels, &rules, false};

    core::PlacedTerms terms;
    const std::uint64_t version = terms.apart().version();
    terms.placed(pod, keys, cluster);
    CHECK(terms.apart().size() == 1);
    CHECK(terms.near().size() == 0);
    CHECK(terms.preferred().size() == 2);
    CHECK(terms.apart().version() > version);
    terms.gone(pod, keys);
    CHECK(terms.size() == 0);
    CHECK(keys.size() == 0);
}
