// The cluster as it is counted: which versions grow with which event, and which nodes are to be
// looked at.

#include "gang/model/cluster/cluster_model.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using gang::ClusterModel;
using Names = std::set<std::string>;

namespace {

core::Pod bound(const std::string& name, const std::string& node, std::int64_t cpu_milli) {
    core::Pod pod = tests::pod(name, cpu_milli, 100);
    pod.uid = "uid-" + name;
    pod.node_name = node;
    return pod;
}

struct Versions {
    std::uint64_t nodes;
    std::uint64_t ceiling;
    std::uint64_t shrink;
    friend bool operator==(const Versions&, const Versions&) = default;
};

Versions versions(const ClusterModel& model) {
    return {model.nodes_version(), model.ceiling_version(), model.shrink_version()};
}

}  // namespace

TEST_CASE("cluster model: a new node takes nothing away, a changed one may") {
    ClusterModel model;
    model.upsert_node(tests::node("n1", 4, 1'000));
    CHECK(versions(model) == Versions{1, 1, 0});
    model.upsert_node(tests::node("n1", 4, 1'000));
    CHECK(versions(model) == Versions{1, 1, 0});
    model.upsert_node(tests::node("n1", 3, 1'000));
    CHECK(versions(model) == Versions{2, 2, 1});
    model.remove_node("n1");
    CHECK(versions(model) == Versions{3, 3, 2});
    model.remove_node("n1");
    CHECK(versions(model) == Versions{3, 3, 2});
}

TEST_CASE("cluster model: a pod of another scheduler lowers the ceiling, its end raises it") {
    ClusterModel model;
    model.upsert_node(tests::node("n1", 4, 1'000));
    model.upsert_other_pod(bound("a", "n1", 1'000));
    CHECK(versions(model) == Versions{1, 2, 1});
    model.upsert_other_pod(bound("a", "n1", 1'000));
    CHECK(versions(model) == Versions{1, 2, 1});
    model.remove_other_pod("uid-a");
    CHECK(versions(model) == Versions{1, 3, 1});
    model.remove_other_pod("uid-a");
    CHECK(versions(model) == Versions{1, 3, 1});
}

TEST_CASE(
    "cluster model: a pod of another scheduler that has ended, or has no node, takes nothing") {
    ClusterModel model;
    model.upsert_node(tests::node("n1", 4, 1'000));
    model.upsert_other_pod(bound("a", "n1", 1'000));
    core::Pod ended = bound("a", "n1", 1'000);
    ended.phase = core::PodPhase::succeeded;
    model.upsert_other_pod(ended);
    CHECK_FALSE(model.cluster().pods().find("uid-a"));
    model.upsert_other_pod(bound("b", "", 1'000));
    CHECK_FALSE(model.cluster().pods().find("uid-b"));
}

TEST_CASE("cluster model: nodes to check are those where something may be in the way") {
    ClusterModel model;
    model.upsert_node(tests::node("n1", 4, 1'000));
    model.upsert_node(tests::node("n2", 4, 1'000));
    CHECK(model.take_nodes_to_check().empty());
    model.upsert_other_pod(bound("a", "n1", 3'000));
    CHECK(model.take_nodes_to_check().empty());
    model.upsert_other_pod(bound("b", "n1", 3'000));  // more than there is
    CHECK(model.take_nodes_to_check() == Names{"n1"});
    CHECK(model.take_nodes_to_check().empty());
    model.upsert_node(tests::node("n1", 2, 1'000));
    CHECK(model.take_nodes_to_check() == Names{"n1"});
    model.upsert_node(tests::node("n2", 2, 1'000));  // nobody is there
    CHECK(model.take_nodes_to_check().empty());
    model.remove_node("n2");
    CHECK(model.take_nodes_to_check() == Names{"n2"});
}

TEST_CASE("cluster model: a node in quarantine is closed until something is heard of it") {
    ClusterModel model;
    model.upsert_node(tests::node("n1", 4, 1'000));
    const auto node = [&model]() -> const core::Node& {
        return model.cluster().nodes().node(*model.cluster().nodes().find("n1"));
    };
    const std::int64_t until_ms = model.refused("n1", false, 1'000);
    CHECK(node().is_quarantined);
    CHECK(model.take_nodes_to_check() == Names{"n1"});
    SUBCASE("the node itself") {
        model.upsert_node(tests::node("n1", 4, 1'000));
    }
    SUBCASE("a pod that comes") {
        model.upsert_other_pod(bound("a", "n1", 100));
    }
    SUBCASE("nothing, for long") {
        model.expire_quarantine(until_ms);
    }
    SUBCASE("a pod of ours") {
        model.lift_quarantine("n1");
    }
    CHECK_FALSE(node().is_quarantined);
}
