// TOY-13: a policy of one's own is a function and a row in one file of core/score. CMakeLists.txt
// adds them to a copy of score_table.hpp, and builds all of core/ with that copy: nothing else knows
// of it.

#include "core/placement/packing_policy.hpp"
#include "core/placement/placement.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using build::node;
using build::resources;

namespace {

struct Nodes {
    Nodes() {
        for (const auto& [name, memory] :
             {std::pair{"n1", "4Gi"}, std::pair{"n2", "16Gi"}, std::pair{"n3", "8Gi"}}) {
            cluster.upsert_node(node(name).cpu(8).memory(memory));
        }
    }
    core::Cluster cluster;
    core::Planner planner;
};

}  // namespace

TEST_CASE("TOY-13: own policy: it has a name like the others") {
    const auto policy = core::find_packing_policy("most-memory");
    REQUIRE(policy);
    CHECK(core::to_string(*policy) == "most-memory");
    CHECK(core::packing_names().find("most-memory") != std::string::npos);
    CHECK(core::packing_policies().size() >= 3);
    for (const core::PackingPolicy known : core::packing_policies()) {
        CHECK(core::find_packing_policy(core::to_string(known)) == known);
    }
}

TEST_CASE("TOY-13: own policy: pods and gangs go where it says") {
    Nodes nodes;
    const core::ShapeId pod = nodes.cluster.intern_shape(resources("1", "2Gi"), {});
    core::PlacementRequest request;
    request.policy = *core::find_packing_policy("most-memory");
    request.driver = pod;
    request.executors = {{pod, 10}};
    const auto plan = nodes.planner.find(nodes.cluster, request);
    REQUIRE(plan);
    CHECK(nodes.cluster.nodes().name(plan->driver) == "n2");
    std::string text;
    for (const core::NodeCount& one : plan->executors[0]) {
        text += fmt::format("{}:{} ", nodes.cluster.nodes().name(one.node), one.count);
    }
    CHECK(text == "n2:7 n3:3 ");
}

TEST_CASE("TOY-13: own policy: the others choose as before") {
    Nodes nodes;
    const core::ShapeId pod = nodes.cluster.intern_shape(resources("1", "2Gi"), {});
    core::PlacementRequest request;
    request.driver = pod;
    request.policy = core::PackingPolicy::first_by_name;
    CHECK(nodes.cluster.nodes().name(nodes.planner.find(nodes.cluster, request)->driver) == "n1");
}
