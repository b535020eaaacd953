#include "core/value/exclusive.hpp"

#include "core/cluster/cluster.hpp"
#include "core/cluster/standard_reasons.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using core::HostPort;
using core::InTreeDisk;
using core::Resources;

namespace {

Resources with(const std::vector<HostPort>& ports) {
    Resources made = build::resources("1");
    core::add_host_ports(made, ports);
    return made;
}

Resources with_disk(const InTreeDisk& disk) {
    Resources made = build::resources("1");
    core::add_disks(made, {disk});
    return made;
}

/// Whether both pods may stand on one node.
bool agree(const std::vector<HostPort>& a, const std::vector<HostPort>& b) {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(8));
    cluster.upsert_pod("u1", "n1", with(a), core::UsedBy::other_scheduler);
    const core::ShapeId second = cluster.intern_shape(with(b), {});
    const auto count = cluster.capacity(*cluster.nodes().find("n1"), second, core::View::free);
    CHECK_FALSE(cluster.columns().is_overcommitted(*cluster.nodes().find("n1")));
    return count > 0;
}

}  // namespace

TEST_CASE("PRED-3: exclusive: ports conflict by number, protocol and address") {
    const HostPort everywhere{"", "TCP", 8080};
    const HostPort zeros{"0.0.0.0", "TCP", 8080};
    const HostPort here{"127.0.0.1", "TCP", 8080};
    const HostPort there{"10.0.0.1", "TCP", 8080};
    CHECK_FALSE(agree({everywhere}, {everywhere}));
    CHECK_FALSE(agree({everywhere}, {zeros}));
    CHECK_FALSE(agree({zeros}, {here}));
    CHECK_FALSE(agree({here}, {everywhere}));
    CHECK_FALSE(agree({here}, {here}));
    CHECK(agree({here}, {there}));
    CHECK(agree({everywhere}, {{"", "UDP", 8080}}));
    CHECK(agree({everywhere}, {{"", "TCP", 8081}}));
    CHECK_FALSE(agree({{"", "TCP", 1}, everywhere}, {there, {"", "TCP", 2}}));
}

TEST_CASE("PRED-7: exclusive: a disk is there once, for one pod or for those that only read") {
    const auto agree_about = [](const InTreeDisk& a, const InTreeDisk& b) {
        core::Cluster cluster;
        cluster.upsert_node(build::node("n1").cpu(8));
        cluster.upsert_pod("u1", "n1", with_disk(a), core::UsedBy::other_scheduler);
        const core::ShapeId second = cluster.intern_shape(with_disk(b), {});
        return cluster.capacity(*cluster.nodes().find("n1"), second, core::View::free) > 0;
    };
    const InTreeDisk writer{"gce-pd d1", false};
    const InTreeDisk reader{"gce-pd d1", true};
    CHECK_FALSE(agree_about(writer, writer));
    CHECK_FALSE(agree_about(writer, reader));
    CHECK_FALSE(agree_about(reader, writer));
    CHECK(agree_about(reader, reader));
    CHECK(agree_about(writer, {"gce-pd d2", false}));
    CHECK(agree_about(writer, {"aws-ebs d1", false}));
    CHECK(core::without_disks(with_disk(writer)) == build::resources("1"));
    CHECK_FALSE(core::takes_host_ports(with_disk(writer)));
}

TEST_CASE("exclusive: what is short of a disk alone is told so in kube-scheduler's words") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(8));
    cluster.upsert_node(build::node("n2").cpu(1));
    const InTreeDisk disk{"rbd m1/pool/image", false};
    for (const char* node : {"n1", "n2"}) {
        cluster.upsert_pod(node, node, with_disk(disk), core::UsedBy::other_scheduler);
    }
    const core::ShapeId shape = cluster.intern_shape(with_disk(disk), {});
    CHECK(
        core::describe_as_kube_scheduler(cluster, shape, core::View::free, {}) ==
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had no available disk.");
}

TEST_CASE("exclusive: ports of one pod do not conflict, and none is asked for twice") {
    const HostPort everywhere{"", "TCP", 80};
    const HostPort here{"127.0.0.1", "TCP", 80};
    CHECK(with({everywhere, everywhere}) == with({everywhere}));
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(8));
    const core::ShapeId shape = cluster.intern_shape(with({everywhere, here, here}), {});
    CHECK(cluster.capacity(*cluster.nodes().find("n1"), shape, core::View::free) == 1);
}

TEST_CASE("exclusive: a name's number that comes to mean a resource is offered by no node") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(8));
    const core::NodeIndex n1 = *cluster.nodes().find("n1");
    cluster.release_shape(cluster.intern_shape(with({{"", "TCP", 80}}), {}));
    Resources cards = build::resources("1");
    build::set(cards, "example.com/card", "1");
    const core::ShapeId shape = cluster.intern_shape(cards, {});
    CHECK(cluster.capacity(n1, shape, core::View::free) == 0);
}

TEST_CASE("exclusive: people read the port, and no amount of it") {
    const HostPort here{"127.0.0.1", "UDP", 53};
    CHECK(core::describe(with({{"", "TCP", 80}})) == "1 cpu, host port 80/TCP");
    CHECK(core::describe(with({here})) == "1 cpu, host port 53/UDP of 127.0.0.1");
    CHECK(core::without_exclusives(with({here})) == build::resources("1"));
}
