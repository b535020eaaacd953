#include "core/cluster/standard_reasons.hpp"

#include "core/value/exclusive.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using build::node;
using build::resources;
using core::View;

namespace {

std::string reasons(core::Cluster& cluster, const core::Resources& asked) {
    const core::ShapeId shape = cluster.intern_shape(asked, {});
    std::string text = core::describe_as_kube_scheduler(cluster, shape, View::free);
    cluster.release_shape(shape);
    return text;
}

}  // namespace

TEST_CASE("TOY-3, PRED-8: standard reasons: the line of kubectl describe") {
    core::Cluster cluster;
    for (const char* name : {"n1", "n2"}) {
        cluster.upsert_node(node(name).cpu(8).extended("nvidia.com/gpu", "4"));
    }
    core::Resources five = resources("1");
    build::set(five, "nvidia.com/gpu", "5");
    CHECK(reasons(cluster, five) == "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
}

TEST_CASE("PRED-1: standard reasons: each amount that is short is named") {
    core::Cluster cluster;
    cluster.upsert_node(node("n1").cpu(1));
    core::Resources asked = resources("2", "64Ti");
    asked.ephemeral_bytes = std::int64_t{1} << 50;
    CHECK(
        reasons(cluster, asked) ==
        "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient ephemeral-storage, "
        "1 Insufficient memory.");
}

TEST_CASE("standard reasons: a node counts once for the first plugin that fails it") {
    core::Cluster cluster;
    cluster.upsert_node(node("cordoned").cpu(8).cordoned());
    cluster.upsert_node(node("down").cpu(8).ready(false));
    cluster.upsert_node(node("full").cpu(1).pods(0));
    cluster.upsert_node(node("port").cpu(1));
    cluster.upsert_node(node("tainted").cpu(1).taint("k", "v"));
    core::Resources asked = resources("2");
    core::add_host_ports(asked, {{"", "TCP", 80}, {"", "UDP", 80}});
    cluster.upsert_pod("u", "port", asked, core::UsedBy::other_scheduler);
    CHECK(
        reasons(cluster, asked) ==
        "0/5 nodes are available: 1 Insufficient cpu, 1 Too many pods, "
        "1 node(s) didn't have free ports for the requested pod ports, "
        "1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).");
}

TEST_CASE("standard reasons: nodes that node affinity does not even name") {
    core::Cluster cluster;
    for (const char* name : {"n1", "n2", "n3"}) cluster.upsert_node(node(name).cpu(1).cordoned());
    using Names = std::vector<std::string>;
    const auto with_terms = [&](const std::vector<std::vector<Names>>& terms) {
        core::Constraints constraints;
        constraints.has_required_affinity = true;
        for (const auto& fields : terms) {
            core::NodeSelectorTerm& term = constraints.required_affinity.emplace_back();
            for (const Names& names : fields) {
                term.match_fields.push_back({"metadata.name", core::SelectorOperator::in, names});
            }
        }
        const core::ShapeId shape = cluster.intern_shape(resources("1"), constraints);
        std::string text = core::describe_as_kube_scheduler(cluster, shape, View::free);
        cluster.release_shape(shape);
        return text;
    };
    const std::string plugin = "node(s) didn't satisfy plugin(s) [NodeAffinity].";
    CHECK(
        with_terms({{{"n1"}}, {{"n2"}}}) ==
        "0/3 nodes are available: 1 " + plugin.substr(0, plugin.size() - 1) +
            ", 2 node(s) were unschedulable.");
    CHECK(with_terms({{{"n4"}}}) == "0/3 nodes are available: 3 " + plugin);
    CHECK(
        with_terms({{{"n1"}, {"n2"}}}) ==
        "0/3 nodes are available: pod affinity terms conflict.");
    CHECK(with_terms({}) == "0/3 nodes are available: 3 node(s) were unschedulable.");
}

TEST_CASE("standard reasons: without nodes") {
    core::Cluster cluster;
    CHECK(reasons(cluster, resources("1")) == "no nodes available to schedule pods");
}
