// The ledger as it is shown, node by node: what keeps pods off it, who holds what, and each of its cards.

#include "gang/view/node_ledgers.hpp"

#include "core/value/exclusive.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/preempt/evicting.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using gang::HeldUnit;
using tests::World;

namespace {

gang::NodeLedger ledger_of(const World& world, const std::string& name) {
    for (gang::NodeLedger& node : world.scheduler->ledger()) {
        if (node.name == name) return std::move(node);
    }
    return {};
}

/// "open 0 etl/a, nominated -1 etl/b".
std::string units_of(const gang::NodeLedger& node) {
    std::string text;
    for (const HeldUnit& unit : node.units) {
        text += (text.empty() ? "" : ", ") + std::string(to_string(unit.state)) + " " +
                std::to_string(unit.slot) + " " + unit.gang;
    }
    return text;
}

/// "U1 of r: 3 of 16, ...".
std::string cards_of(const gang::NodeLedger& node) {
    std::string text;
    for (const gang::CardLedger& card : node.cards) {
        text += (text.empty() ? "" : ", ") + card.id + " of " + card.resource + ": " +
                std::to_string(card.free) + " of " + std::to_string(card.units);
    }
    return text;
}

core::Pod pod_elsewhere(const std::string& name, const std::string& node, std::int64_t cpu_milli = 500) {
    core::Pod pod = tests::pod(name, cpu_milli, 100);
    pod.scheduler_name = "another";
    pod.node_name = node;
    return pod;
}

}  // namespace

TEST_CASE("node ledgers: what keeps pods off a node is said, all of it, in words") {
    const std::vector<std::pair<std::string, std::function<void(core::Node&)>>> states = {
        {"", [](core::Node&) {}},
        {"not ready", [](core::Node& node) { node.ready = false; }},
        {"cordoned", [](core::Node& node) { node.unschedulable = true; }},
        {"tainted dedicated=spark",
         [](core::Node& node) { node.taints = {{"dedicated", "spark", core::TaintEffect::no_schedule}}; }},
        {"tainted gone", [](core::Node& node) { node.taints = {{"gone", "", core::TaintEffect::no_execute}}; }},
        {"", [](core::Node& node) { node.taints = {{"mild", "x", core::TaintEffect::prefer_no_schedule}}; }},
        {"not ready, cordoned, tainted a=b, tainted c",
         [](core::Node& node) {
             node.ready = false;
             node.unschedulable = true;
             node.taints = {
                 {"a", "b", core::TaintEffect::no_schedule},
                 {"mild", "x", core::TaintEffect::prefer_no_schedule},
                 {"c", "", core::TaintEffect::no_execute}};
         }}};
    for (const auto& [words, change] : states) {
        CAPTURE(words);
        World world;
        core::Node node = tests::node("n1", 4, 16 * 1024);
        change(node);
        world.add_node(node);
        world.settle();
        CHECK(ledger_of(world, "n1").state == words);
    }
}

TEST_CASE("node ledgers: a node whose kubelet has just refused a pod says so") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto refused = world.create(tests::pod("p", 500, 100));
    world.settle();
    REQUIRE(world.is_bound(refused));
    world.change_pod(refused, [](core::Pod& pod) {
        pod.phase = core::PodPhase::failed;
        pod.failure = "OutOfcpu";
    });
    world.settle();
    CHECK(ledger_of(world, "n1").state == "refuses pods that should fit");
}

TEST_CASE("node ledgers: the pool is what the first of the usual clouds' labels says, the zone its own label") {
    const std::vector<std::pair<std::string, core::StringMap>> pools = {
        {"", {{"pool", "x"}}},
        {"a", {{"kubernetes.azure.com/agentpool", "a"}}},
        {"g", {{"cloud.google.com/gke-nodepool", "g"}, {"kubernetes.azure.com/agentpool", "a"}}},
        {"e", {{"cloud.google.com/gke-nodepool", "g"}, {"eks.amazonaws.com/nodegroup", "e"}}},
        {"k", {{"eks.amazonaws.com/nodegroup", "e"}, {"karpenter.sh/nodepool", "k"}}}};
    World world;
    for (std::size_t i = 0; i < pools.size(); ++i) {
        core::Node node = tests::node("n" + std::to_string(i), 4, 16 * 1024);
        node.labels = pools[i].second;
        if (i % 2 == 0) node.labels.emplace_back("topology.kubernetes.io/zone", "z" + std::to_string(i));
        world.add_node(node);
    }
    world.settle();
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const gang::NodeLedger node = ledger_of(world, "n" + std::to_string(i));
        CHECK(node.pool == pools[i].first);
        CHECK(node.zone == (i % 2 == 0 ? "z" + std::to_string(i) : ""));
    }
}

TEST_CASE("node ledgers: numbers of a node, of pods of everybody, and of a node that is not there") {
    World world;
    core::Node node = tests::node("n1", 8, 16 * 1024);
    node.allocatable.ephemeral_bytes = 10'000;
    node.allocatable.extended = {{"nvidia.com/gpu", 4}};
    world.add_node(node);
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.create_executors(driver, 1);
    core::Pod other = pod_elsewhere("other", "n1", 500);
    other.requests.ephemeral_bytes = 3'000;
    other.requests.extended = {{"nvidia.com/gpu", 1}};
    world.create(other);
    world.create(pod_elsewhere("lost", "n9", 700));
    world.settle();
    const auto all = world.scheduler->ledger();
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "n1");
    CHECK(all[0].is_present);
    CHECK(all[0].adds_up);
    CHECK(all[0].allocatable.cpu_milli == 8'000);
    CHECK(all[0].bound.cpu_milli == 2'500);
    CHECK(all[0].held.cpu_milli == 2'000);
    CHECK(all[0].free.cpu_milli == 3'500);
    CHECK(all[0].free.memory_bytes == (16 * 1024 - 4 * 1408 - 100) * tests::mebibyte);
    CHECK(all[0].free.ephemeral_bytes == 7'000);
    CHECK(all[0].free.extended_amount("nvidia.com/gpu") == 3);
    CHECK(all[0].pods_allocatable == 110);
    CHECK(all[0].pods_bound == 3);
    CHECK(all[0].pods_free == 105);
    CHECK(units_of(all[0]) == "open 1 etl/a, open 2 etl/a");
    REQUIRE(all[0].bound_by.size() == 1);
    CHECK(all[0].bound_by[0].pods == 2);
    CHECK(all[1].name == "n9");
    CHECK_FALSE(all[1].is_present);
    CHECK(all[1].bound.cpu_milli == 700);
    CHECK(all[1].pods_bound == 1);
    CHECK(all[1].allocatable.cpu_milli == 0);
    const gang::NodeSums sums = world.scheduler->node_sums();
    CHECK(sums.allocatable.cpu_milli == 8'000);
    CHECK(sums.allocatable.memory_bytes == 16 * 1024 * tests::mebibyte);
    CHECK(sums.allocatable.ephemeral_bytes == 10'000);
    CHECK(sums.free.cpu_milli == 3'500);
    CHECK(sums.free.ephemeral_bytes == 7'000);
    CHECK(sums.free.extended_amount("nvidia.com/gpu") == 3);
}

TEST_CASE("node ledgers: what every node offers once is no part of what adds up, nor of the sums") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    core::Pod pod = tests::pod("p", 500, 100);
    core::add_host_ports(pod.requests, {{"", "TCP", 8080}});
    REQUIRE(pod.requests.extended.size() == 1);
    const std::string port = pod.requests.extended[0].name;
    const auto uid = world.create(pod);
    world.settle();
    REQUIRE(world.is_bound(uid));
    const gang::NodeLedger node = ledger_of(world, "n1");
    CHECK(node.adds_up);
    CHECK(node.bound.extended_amount(port) == pod.requests.extended[0].amount);
    CHECK(node.free.extended_amount(port) == -pod.requests.extended[0].amount);
    CHECK(world.scheduler->node_sums().free.extended.empty());
    CHECK(world.scheduler->node_sums().allocatable.extended.empty());
}

TEST_CASE("node ledgers: shares of gangs on a node are by name, each gang once") {
    World world;
    world.add_node(tests::node("n1", 16, 32 * 1024));
    std::vector<std::string> drivers;
    for (const char* name : {"c", "a", "b"}) {
        drivers.push_back(world.submit(name, 2, static_cast<std::int64_t>(drivers.size()) + 1));
        world.settle();
    }
    for (const std::string& driver : drivers) world.create_executors(driver, 2);
    world.create(tests::pod("lone", 100, 10));
    world.settle();
    const gang::NodeLedger node = ledger_of(world, "n1");
    REQUIRE(node.bound_by.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(node.bound_by[i].gang == std::string("etl/") + "abc"[i]);
        CHECK(node.bound_by[i].pods == 3);
        CHECK(node.bound_by[i].requests.cpu_milli == 3'000);
    }
    CHECK(node.pods_bound == 10);
    CHECK(node.units.empty());
}

TEST_CASE("node ledgers: cards that a node says, and how much of each is free") {
    World world;
    core::Node node = tests::node("n1", 64, 16 * 1024);
    core::NodeCards said{"alnair/vgpu-memory", {}, {}};
    said.cards.push_back({"U1", 16});
    said.cards.push_back({"U2", 8});
    node.cards = said;
    node.allocatable.extended = {{"alnair/vgpu-memory", 24}};
    world.add_node(node);
    world.add_node(tests::node("n2", 1, 1'024));
    world.settle();
    CHECK(
        cards_of(ledger_of(world, "n1")) ==
        "U1 of alnair/vgpu-memory: 16 of 16, U2 of alnair/vgpu-memory: 8 of 8");
    core::Pod pod = tests::pod("p", 100, 1);
    pod.requests.extended = {{"alnair/vgpu-memory", 5}};
    const auto uid = world.create(pod);
    world.settle();
    REQUIRE(world.is_bound(uid));
    CHECK(
        cards_of(ledger_of(world, "n1")) ==
        "U1 of alnair/vgpu-memory: 16 of 16, U2 of alnair/vgpu-memory: 3 of 8");
    CHECK(cards_of(ledger_of(world, "n2")) == "");
    CHECK(ledger_of(world, "n1").adds_up);
    CHECK(world.scheduler->node_sums().free.extended_amount("alnair/vgpu-memory") == 19);
}

TEST_CASE("node ledgers: GPUs that are known by their metrics") {
    config::Schema schema = World::sealed_schema();
    schema.gpu_metrics.url = "http://prometheus:9090";
    World world(schema);
    world.add_node(tests::node("g1", 64, 1'024));
    core::SampledNode sample{"g1", {}};
    for (const std::int64_t free : {8'000, 3'000}) {
        core::SampledGpu& gpu = sample.gpus.emplace_back();
        gpu.id = std::to_string(sample.gpus.size() - 1);
        gpu.model = "NVIDIA A100-SXM4-40GB";
        gpu.free_mib = free;
        gpu.size_mib = sample.gpus.size() == 1 ? 40'000 : -1;  // nobody told the second one's
    }
    world.step(gang::MetricsSampled{{sample}});
    world.settle();
    CHECK(
        cards_of(ledger_of(world, "g1")) ==
        "0 of genius/gpu-memory: 8000 of 40000, 1 of genius/gpu-memory: 3000 of 0");
    core::Pod pod = tests::pod("p", 100, 1);
    pod.labels = {{"genius/gpu-memory-each", "5000"}};
    const auto uid = world.create(pod);
    world.settle();
    REQUIRE(world.is_bound(uid));
    CHECK(
        cards_of(ledger_of(world, "g1")) ==
        "0 of genius/gpu-memory: 3000 of 40000, 1 of genius/gpu-memory: 3000 of 0");
}

TEST_CASE("node ledgers: room that others were evicted for is the gang's that waits for it") {
    World world(tests::schema_of({tests::by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = tests::running(world, "low", "etl", 3, 1);
    const std::string high = tests::submit(world, "high", "etl", 3, 2, 10);
    world.settle();
    REQUIRE_FALSE(world.evictions.empty());
    world.remove_pod(world.executors_of(low).front());
    world.settle();
    const gang::NodeLedger node = ledger_of(world, "n1");
    int nominated = 0;
    for (const HeldUnit& unit : node.units) {
        if (unit.state != HeldUnit::State::nominated) continue;
        ++nominated;
        CHECK(unit.gang == "etl/high");
        CHECK(unit.driver_uid == high);
        CHECK(unit.slot == -1);
        CHECK(unit.since_ms == 0);
    }
    CHECK(node.adds_up);
    CHECK(nominated == 1);
}

TEST_CASE("node ledgers: nodes that were bought for a gang are held for it") {
    config::Schema schema = World::sealed_schema();
    schema.autoscaling.mode = config::AutoscalingMode::capacity_buffer;
    World world(schema);
    const std::string large = world.submit("large", 11, 1);
    world.advance(3'000);
    REQUIRE(world.capacity.contains(large));
    world.add_node(tests::node("b1", 4, 64 * 1024));
    world.add_node(tests::node("b2", 4, 64 * 1024));
    world.settle();
    world.submit("small", 1, 2);
    world.advance(20'000);
    int held = 0;
    for (const gang::NodeLedger& node : world.scheduler->ledger()) {
        CHECK(node.adds_up);
        for (const HeldUnit& unit : node.units) {
            CHECK(unit.state == HeldUnit::State::nominated);
            CHECK(unit.gang == "etl/large");
            CHECK(unit.driver_uid == large);
            CHECK(unit.slot == -1);
            ++held;
        }
    }
    CHECK(held == 8);
}

TEST_CASE("node ledgers: what is in a slot and what waits for it, as parts have it") {
    tests::Known known;
    known.add_node("n1", 8);
    gang::Application& app = known.add_gang("a", "n1", 3);
    app.bound_ms = 77;
    const auto ledger = gang::NodeLedgers(known.model).ledger();
    REQUIRE(ledger.size() == 1);
    CHECK(units_of(ledger[0]) == "open 0 etl/a, open 1 etl/a, open 2 etl/a");
    for (const HeldUnit& unit : ledger[0].units) CHECK(unit.since_ms == 77);
    known.model.ledger.unplace(app, app.slots[1]);
    CHECK(units_of(gang::NodeLedgers(known.model).ledger()[0]) == "open 0 etl/a, open 2 etl/a");
}
