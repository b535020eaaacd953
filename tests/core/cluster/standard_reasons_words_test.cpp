// Each reason in kube-scheduler's words, and which of several is named.

#include "core/cluster/standard_reasons.hpp"
#include "core/value/device/cards.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {
namespace reason_words {

using core::Constraints;
using core::Resources;

/// A node, and a pod that it takes; a test spoils one of them.
struct Ask {
    core::Node node = build::node("n1").cpu(4).memory("4Gi").ephemeral("4Gi").pods(3);
    Resources wanted = build::resources("4", "4Gi");
    Constraints constraints;
    core::Headroom headroom;
    std::vector<std::pair<std::string, Resources>> there;  ///< pods of others
};

std::string why(const Ask& ask) {
    core::Cluster cluster;
    cluster.upsert_node(ask.node);
    cluster.set_headroom(ask.headroom);
    for (const auto& [uid, resources] : ask.there) {
        cluster.upsert_pod(uid, ask.node.name, resources, core::UsedBy::other_scheduler);
    }
    const core::ShapeId shape = cluster.intern_shape(ask.wanted, ask.constraints);
    const std::string text = core::describe_as_kube_scheduler(cluster, shape, core::View::free);
    const std::string front = "0/1 nodes are available: ";
    REQUIRE(text.starts_with(front));
    return text.substr(front.size());
}

std::string why(const std::function<void(Ask&)>& spoil) {
    Ask ask;
    spoil(ask);
    return why(ask);
}

core::VolumeNodes elsewhere(core::VolumeRule rule) {
    core::NodeSelectorTerm term;
    term.match_expressions.push_back({"zone", core::SelectorOperator::in, {"b"}});
    return {rule, {term}, {}};
}

const std::string two_gpus = core::name_of(core::GpuWish{2, 4000, 0, ""});

TEST_CASE("standard reasons: what filters say of a node") {
    CHECK(why([](Ask& ask) { ask.node.ready = false; }) == "1 node(s) had untolerated taint(s).");
    CHECK(why([](Ask& ask) { ask.node.is_quarantined = true; }) == "1 node(s) just refused a pod.");
    CHECK(why([](Ask& ask) {
              ask.node.refuses_host_ports = true;
              ask.constraints.has_host_ports = true;
          }) == "1 node(s) didn't have free ports for the requested pod ports.");
    CHECK(why([](Ask& ask) { ask.node.unschedulable = true; }) == "1 node(s) were unschedulable.");
    CHECK(why([](Ask& ask) {
              ask.node.taints = {{"k", "v", core::TaintEffect::no_execute}};
          }) == "1 node(s) had untolerated taint(s).");
    CHECK(why([](Ask& ask) {
              ask.constraints.node_selector = {{"zone", "a"}};
          }) == "1 node(s) didn't match Pod's node affinity/selector.");
    CHECK(why([](Ask& ask) {
              ask.constraints.has_required_affinity = true;
              ask.constraints.required_affinity = {elsewhere(core::VolumeRule::zone).terms.front()};
          }) == "1 node(s) didn't match Pod's node affinity/selector.");
    const auto volume = [](core::VolumeRule rule) {
        return why([rule](Ask& ask) { ask.constraints.volumes = {elsewhere(rule)}; });
    };
    CHECK(volume(core::VolumeRule::affinity) == "1 node(s) didn't match PersistentVolume's node affinity.");
    CHECK(volume(core::VolumeRule::zone) == "1 node(s) had no available volume zone.");
    CHECK(volume(core::VolumeRule::unreachable) == "1 node(s) didn't find available persistent volumes to bind.");
    CHECK(volume(core::VolumeRule::storage) == "1 node(s) did not have enough free storage.");
}

TEST_CASE("standard reasons: what a node is short of, and by one unit only") {
    CHECK(why(Ask{}) == ".");  // of nothing
    CHECK(why([](Ask& ask) { ++ask.wanted.cpu_milli; }) == "1 Insufficient cpu.");
    CHECK(why([](Ask& ask) { ++ask.wanted.memory_bytes; }) == "1 Insufficient memory.");
    CHECK(why([](Ask& ask) { ask.headroom.cpu_milli = 1; }) == "1 Insufficient cpu.");
    CHECK(why([](Ask& ask) { ask.headroom.memory_bytes = 1; }) == "1 Insufficient memory.");
    CHECK(why([](Ask& ask) { ask.wanted.ephemeral_bytes = ask.node.allocatable.ephemeral_bytes; }) == ".");
    CHECK(why([](Ask& ask) {
              ask.wanted.ephemeral_bytes = ask.node.allocatable.ephemeral_bytes + 1;
          }) == "1 Insufficient ephemeral-storage.");
    CHECK(why([](Ask& ask) { ask.node.pods = 0; }) == "1 Too many pods.");
    CHECK(why([](Ask& ask) { ask.node.pods = 1; }) == ".");
    const auto devices = [](std::int64_t has, std::int64_t asks) {
        return why([=](Ask& ask) {
            if (has > 0) ask.node.allocatable.extended = {{"example.com/d", has}};
            ask.wanted.extended = {{"example.com/d", asks}};
        });
    };
    CHECK(devices(2, 2) == ".");
    CHECK(devices(2, 3) == "1 Insufficient example.com/d.");
    CHECK(devices(0, 1) == "1 Insufficient example.com/d.");
    CHECK(why([](Ask& ask) {
              ask.wanted.extended = {{two_gpus, 1}};
          }) == "1 node(s) had too few GPUs, or too full ones.");
    // What is not asked for is not short, even where more is taken than there is.
    CHECK(why([](Ask& ask) {
              ask.there = {{"u", build::resources("5", "5Gi")}};
              ask.there.front().second.ephemeral_bytes = build::bytes("5Gi");
              ask.wanted = {};
          }) == ".");
    CHECK(
        why([](Ask& ask) {
            ask.there = {{"u", build::resources("5", "5Gi")}};
            ask.wanted = {1, 1, 0, {{"example.com/d", 1}, {two_gpus, 1}}};
        }) ==
        "1 Insufficient cpu, 1 Insufficient example.com/d, 1 Insufficient memory, "
        "1 node(s) had too few GPUs, or too full ones.");
}

TEST_CASE("standard reasons: cards that are too few, or too full, whatever their sum") {
    const std::string no_gpu = "1 node(s) had too few GPUs, or too full ones.";
    Ask shared;
    shared.wanted.extended = {{"volcano.sh/vgpu=1,units=3000", 1}};
    CHECK(why(shared) == no_gpu);
    shared.node.cards = core::NodeCards{"volcano.sh/vgpu-memory", {{"GPU-a", 2999, 100, 10}}, {}};
    CHECK(why(shared) == no_gpu);
    shared.node.cards = core::NodeCards{"volcano.sh/vgpu-memory", {{"GPU-a", 3000, 100, 10}}, {}};
    CHECK(why(shared) == ".");
    shared.wanted.cpu_milli = 5'000;
    CHECK(why(shared) == "1 Insufficient cpu.");
    shared.node.cards = {};
    CHECK(why(shared) == "1 Insufficient cpu, 1 node(s) had too few GPUs, or too full ones.");

    Ask units;  // four on each of two cards
    units.node.allocatable.extended = {{"alnair/vgpu-memory", 8}};
    units.node.cards = core::NodeCards{"alnair/vgpu-memory", {{"U1", 4}, {"U2", 4}}, {}};
    units.wanted.extended = {{"alnair/vgpu-memory", 5}};
    CHECK(why(units) == no_gpu);
    units.wanted.extended = {{"alnair/vgpu-memory", 9}};
    CHECK(why(units) == "1 Insufficient alnair/vgpu-memory.");
}

TEST_CASE("standard reasons: ports before all that is short, disks and limits of volumes behind it") {
    const auto with = [](const Resources& there, const Resources& wanted, std::int64_t cpu) {
        return why([&](Ask& ask) {
            ask.there = {{"u", there}};
            ask.wanted = wanted;
            ask.wanted.cpu_milli = cpu;
            core::set_volume_limits(ask.node.allocatable, {{"ebs", 1}});
        });
    };
    Resources port;
    core::add_host_ports(port, {{"", "TCP", 80}});
    const std::string ports = "1 node(s) didn't have free ports for the requested pod ports.";
    CHECK(with(port, port, 1) == ports);
    CHECK(with(port, port, 9'000) == ports);
    CHECK(with({}, port, 1) == ".");
    Resources disk;
    core::add_disks(disk, {{"gce-pd d1", false}});
    CHECK(with(disk, disk, 1) == "1 node(s) had no available disk.");
    CHECK(with(disk, disk, 9'000) == "1 Insufficient cpu.");
    CHECK(with({}, disk, 1) == ".");
    Resources disk_and_port = disk;
    core::add_host_ports(disk_and_port, {{"", "TCP", 80}});
    CHECK(with(disk_and_port, disk_and_port, 1) == ports);
    Resources first;
    core::add_volumes(first, {{"ebs", "v1"}});
    Resources next;
    core::add_volumes(next, {{"ebs", "v2"}});
    Resources own;
    core::add_volumes(own, {{"ebs", ""}});
    const std::string too_many = "1 node(s) exceed max volume count.";
    CHECK(with(first, next, 1) == too_many);
    CHECK(with(first, own, 1) == too_many);
    CHECK(with(own, own, 1) == too_many);
    CHECK(with(first, next, 9'000) == "1 Insufficient cpu.");
    CHECK(with(first, first, 1) == ".");  // it is there already
    CHECK(with({}, own, 1) == ".");
    Resources both = next;
    core::add_disks(both, {{"gce-pd d1", false}});
    Resources there = first;
    core::add_disks(there, {{"gce-pd d1", false}});
    CHECK(with(there, both, 1) == "1 node(s) had no available disk.");
}

TEST_CASE("standard reasons: a filter about volumes is named where nothing is short, and then what others say") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(1).label("zone", "a"));
    cluster.upsert_node(build::node("n2").cpu(4).label("zone", "a"));
    cluster.upsert_node(build::node("n3").cpu(4).label("zone", "b"));
    cluster.upsert_node(build::node("n4").cpu(4).label("zone", "b"));
    cluster.upsert_node(build::node("n5").cpu(1).label("zone", "b"));
    core::Constraints constraints;
    constraints.volumes = {elsewhere(core::VolumeRule::zone)};
    const core::ShapeId shape = cluster.intern_shape(build::resources("2"), constraints);
    CHECK(
        core::describe_as_kube_scheduler(cluster, shape, core::View::free) ==
        "0/5 nodes are available: 1 node(s) had no available volume zone, 2 Insufficient cpu.");
    const std::array<std::string_view, 5> further = {"a", "b", "others", "", "e"};
    CHECK(
        core::describe_as_kube_scheduler(cluster, shape, core::View::free, further) ==
        "0/5 nodes are available: 1 node(s) had no available volume zone, 1 others, 2 Insufficient cpu.");
}

TEST_CASE("standard reasons: whoever lacks a port lacks nothing else") {
    core::Cluster cluster;
    cluster.upsert_node(build::node("n1").cpu(4));
    Resources port = build::resources("1");
    core::add_host_ports(port, {{"", "TCP", 80}});
    core::Constraints constraints;
    const auto text = [&] {
        const core::ShapeId shape = cluster.intern_shape(port, constraints);
        const std::array<std::string_view, 1> further = {"others"};
        return core::describe_as_kube_scheduler(cluster, shape, core::View::free, further);
    };
    CHECK(text() == "0/1 nodes are available: 1 others.");
    cluster.upsert_pod("u", "n1", port, core::UsedBy::other_scheduler);
    const std::string ports = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    CHECK(text() == ports);
    constraints.volumes = {elsewhere(core::VolumeRule::zone)};
    CHECK(text() == ports);
    cluster.remove_pod("u");
    CHECK(text() == "0/1 nodes are available: 1 node(s) had no available volume zone.");
    port.cpu_milli = 5'000;
    CHECK(text() == "0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_CASE("standard reasons: which nodes required affinity names") {
    core::Cluster cluster;
    for (const char* name : {"n1", "n2", "n3"}) cluster.upsert_node(build::node(name).cpu(1).label("zone", "a"));
    core::Constraints constraints;
    const auto text = [&] {
        const core::ShapeId shape = cluster.intern_shape(build::resources("2"), constraints);
        std::string found = core::describe_as_kube_scheduler(cluster, shape, core::View::free);
        cluster.release_shape(shape);
        return found;
    };
    const std::string all_short = "0/3 nodes are available: 3 Insufficient cpu.";
    const std::string one_short =
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].";
    core::NodeSelectorTerm named;
    named.match_fields.push_back({"metadata.name", core::SelectorOperator::in, {"n1", "n2"}});
    named.match_fields.push_back({"metadata.name", core::SelectorOperator::in, {"n2", "n3"}});
    constraints.required_affinity = {named};
    CHECK(text() == all_short);  // none is required
    constraints.has_required_affinity = true;
    CHECK(text() == one_short);
    constraints.left_out = core::FilterSet{}.with(core::FilterId::node_affinity);
    CHECK(text() == all_short);
    constraints.left_out = {};
    named.match_fields.push_back({"metadata.name", core::SelectorOperator::not_in, {"n1"}});
    constraints.required_affinity = {named};
    CHECK(text() == one_short);
    named.match_fields.erase(named.match_fields.begin(), named.match_fields.begin() + 2);
    constraints.required_affinity = {named};  // not in: leaves the names open
    CHECK(
        text() == "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient cpu.");
    named.match_fields.clear();
    named.match_expressions.push_back({"zone", core::SelectorOperator::in, {"a"}});
    constraints.required_affinity.push_back(named);
    CHECK(text() == all_short);
}

}  // namespace reason_words
}  // namespace
