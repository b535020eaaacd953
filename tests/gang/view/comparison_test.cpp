// What is believed beside what is listed: each field that the engine decides by is drift of its own, and nothing else
// is any.

#include "gang/view/comparison.hpp"

#include "core/value/exclusive.hpp"
#include "gang/drift.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using gang::DriftKind;
using tests::World;

namespace {

/// "pod differs etl/a: its phase", or nothing.
template <typename Listed>
std::string drift_of(const World& world, const Listed& listed) {
    const auto drift = world.scheduler->compare(listed);
    return drift ? describe(drift->kind) + " " + drift->name + ": " + drift->detail : "";
}

core::Pod pod_of_others(const std::string& name, const std::string& node) {
    core::Pod pod = tests::pod(name, 500, 100);
    pod.scheduler_name = "another";
    pod.node_name = node;
    return pod;
}

core::Node node_with_cards() {
    core::Node node = tests::node("n1", 4, 16 * 1024);
    node.allocatable.extended = {{"alnair/vgpu-memory", 24}};
    core::NodeCards said{"alnair/vgpu-memory", {}, {}};
    said.cards.push_back({"U1", 16});
    said.cards.push_back({"U2", 8});
    node.cards = said;
    return node;
}

}  // namespace

TEST_CASE("comparison: each kind of drift has its words") {
    const std::vector<std::pair<DriftKind, std::string>> all = {
        {DriftKind::node_unknown, "node unknown"},
        {DriftKind::node_differs, "node differs"},
        {DriftKind::node_gone, "node gone"},
        {DriftKind::node_miscounted, "node miscounted"},
        {DriftKind::pod_unknown, "pod unknown"},
        {DriftKind::pod_differs, "pod differs"},
        {DriftKind::pod_gone, "pod gone"},
        {DriftKind::reservation_differs, "reservation differs"}};
    for (const auto& [kind, words] : all) CHECK(gang::describe(kind) == words);
}

TEST_CASE("comparison: what of a node differs is named, one thing after the other") {
    World world;
    world.add_node(node_with_cards());
    world.settle();
    const core::Node known = world.nodes().at("n1");
    CHECK(drift_of(world, known) == "");
    const std::vector<std::pair<std::string, std::function<void(core::Node&)>>> changes = {
        {"what is allocatable", [](core::Node& node) { node.allocatable.cpu_milli = 1; }},
        {"what is allocatable", [](core::Node& node) { node.pods = 1; }},
        {"its cards",
         [](core::Node& node) {
             core::NodeCards said = *node.cards;
             said.cards[1].units = 7;
             node.cards = said;
         }},
        {"whether it is ready", [](core::Node& node) { node.ready = false; }},
        {"whether it is cordoned", [](core::Node& node) { node.unschedulable = true; }},
        {"its labels", [](core::Node& node) { node.labels = {{"a", "b"}}; }},
        {"its taints", [](core::Node& node) { node.taints = {{"a", "b", core::TaintEffect::no_execute}}; }},
        {"", [](core::Node& node) { node.uid = "another"; }}};
    for (const auto& [what, change] : changes) {
        CAPTURE(what);
        core::Node listed = known;
        listed.resource_version = "77";
        change(listed);
        CHECK(drift_of(world, listed) == (what.empty() ? "" : "node differs n1: " + what));
        if (const auto drift = world.scheduler->compare(listed)) {
            CHECK(drift->version == "77");
            CHECK(drift->uid.empty());
        }
    }
    core::Node unknown = known;
    unknown.name = "n9";
    CHECK(drift_of(world, unknown) == "node unknown n9: it was never heard of, or is believed gone");
}

TEST_CASE("comparison: what of a pod of ours differs is named") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const core::Pod known = world.pod(driver);
    REQUIRE(known.node_name == "n1");
    CHECK(drift_of(world, known) == "");
    const std::vector<std::pair<std::string, std::function<void(core::Pod&)>>> changes = {
        {"listed on \"n2\", believed on \"n1\"", [](core::Pod& pod) { pod.node_name = "n2"; }},
        {"listed on \"\", believed on \"n1\"", [](core::Pod& pod) { pod.node_name = ""; }},
        {"its phase", [](core::Pod& pod) { pod.phase = core::PodPhase::running; }},
        {"its phase", [](core::Pod& pod) { pod.phase = core::PodPhase::failed; }},
        {"whether it is being deleted", [](core::Pod& pod) { pod.deleting = true; }},
        {"its scheduling gates", [](core::Pod& pod) { pod.gated = true; }},
        {"what it asks for", [](core::Pod& pod) { pod.requests.cpu_milli += 1; }},
        {"what it asks for", [](core::Pod& pod) { pod.requests.extended = {{"nvidia.com/gpu", 1}}; }},
        {"", [](core::Pod& pod) { pod.priority = 7; }},
        {"", [](core::Pod& pod) { pod.resource_version = "9999"; }}};
    for (const auto& [what, change] : changes) {
        CAPTURE(what);
        core::Pod listed = known;
        change(listed);
        CHECK(drift_of(world, listed) == (what.empty() ? "" : "pod differs etl/a: " + what));
        if (const auto drift = world.scheduler->compare(listed)) {
            CHECK(drift->uid == driver);
            CHECK(drift->version == known.resource_version);
        }
    }
    // Of another scheduler by now: what it takes of its node is all that counts.
    core::Pod others = known;
    others.scheduler_name = "another";
    CHECK(drift_of(world, others) == "");
    others.requests.cpu_milli += 1;
    CHECK(drift_of(world, others) == "pod differs etl/a: what is counted for it, or where");
    core::Pod unknown = known;
    unknown.uid = "another";
    CHECK(drift_of(world, unknown) == "pod unknown etl/a: it was never heard of, or is believed gone");
}

TEST_CASE("comparison: of pods of others only what is counted on their node matters") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    const auto there = world.create(pod_of_others("there", "n1"));
    world.settle();
    const core::Pod known = world.pod(there);
    CHECK(drift_of(world, known) == "");
    core::Pod listed = known;
    listed.labels = {{"a", "b"}};
    listed.phase = core::PodPhase::running;
    CHECK(drift_of(world, listed) == "");
    const std::string differs = "pod differs etl/there: what is counted for it, or where";
    listed = known;
    listed.requests.memory_bytes += 1;
    CHECK(drift_of(world, listed) == differs);
    listed = known;
    listed.node_name = "n2";
    CHECK(drift_of(world, listed) == differs);
    for (const auto phase : {core::PodPhase::succeeded, core::PodPhase::failed}) {
        listed = known;
        listed.phase = phase;
        CHECK(drift_of(world, listed) == differs);
    }
    listed = known;
    listed.node_name = "";
    CHECK(drift_of(world, listed) == differs);
    // One that was never heard of holds something, or there is nothing to know of it.
    listed = known;
    listed.uid = "another";
    CHECK(drift_of(world, listed) == "pod unknown etl/there: it is not counted on its node");
    listed.phase = core::PodPhase::succeeded;
    CHECK(drift_of(world, listed) == "");
    listed.phase = core::PodPhase::pending;
    listed.node_name = "";
    CHECK(drift_of(world, listed) == "");
}

TEST_CASE("comparison: a pod of ours on a node has to be counted there") {
    tests::Known known;
    known.add_node("n1");
    core::Pod bound = tests::pod("bound", 500, 100);
    bound.node_name = "n1";
    gang::PodEntry& entry = known.add(bound);
    const core::Pod listed = entry.pod;
    const gang::Comparison comparison(known.model);
    REQUIRE(comparison.compare(listed));
    CHECK(comparison.compare(listed)->kind == DriftKind::pod_differs);
    CHECK(comparison.compare(listed)->detail == "it is not counted on its node");
    known.model.ledger.pod_allocations().settle(entry);
    CHECK_FALSE(comparison.compare(listed));
    const core::Pod waits = known.add(tests::pod("waits", 500, 100)).pod;
    CHECK_FALSE(comparison.compare(waits));
    core::Pod over = tests::pod("over", 500, 100);
    over.node_name = "n1";
    over.phase = core::PodPhase::succeeded;
    CHECK_FALSE(comparison.compare(known.add(over).pod));
}

TEST_CASE("comparison: the reservation that a driver carries, unless there is a reason why it differs") {
    tests::Known known;
    known.add_node("n1");
    gang::Application& app = known.add_gang("a", "n1", 2);
    app.published.annotation = known.model.texts.keep("text");
    app.published.generation = 5;
    app.published.epoch = 3;
    const gang::Comparison comparison(known.model);
    core::Pod listed = known.model.pods.at("a").pod;
    const std::string key(gang::reservation_annotation);
    listed.annotations = {{key, "text"}};
    CHECK_FALSE(comparison.compare(listed));
    const auto differs = [&] {
        const auto drift = comparison.compare(listed);
        if (drift) {
            CHECK(drift->kind == DriftKind::reservation_differs);
            CHECK(drift->detail == "the ledger is at generation 5 of epoch 3");
        }
        return drift.has_value();
    };
    listed.annotations = {{key, "texts"}};
    CHECK(differs());
    listed.annotations = {};
    CHECK(differs());
    SUBCASE("another leads") {
        known.model.term.leads = false;
        CHECK_FALSE(differs());
    }
    SUBCASE("its driver is not bound yet") {
        app.phase = gang::Phase::assumed;
        CHECK_FALSE(differs());
    }
    SUBCASE("it was bound without one") {
        app.published.reserved = false;
        CHECK_FALSE(differs());
    }
    SUBCASE("it is being written") {
        app.published.writing = 5;
        CHECK_FALSE(differs());
    }
    SUBCASE("it is to be written") {
        known.model.worklist.to_publish.insert(app.uid);
        CHECK_FALSE(differs());
        known.model.worklist.to_publish.erase(app.uid);
        CHECK(differs());
    }
    SUBCASE("it is to be taken over") {
        known.model.worklist.to_adopt.insert(app.rank());
        CHECK_FALSE(differs());
    }
}

TEST_CASE("comparison: what a profile leaves out of a pod is left out of the listed one as well") {
    config::Schema schema = World::sealed_schema();
    config::Profile& blind = schema.profiles.emplace_back();
    blind.scheduler_name = "blind";
    blind.left_out = blind.left_out.with(core::FilterId::node_ports);
    World world(schema);
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Pod pod = tests::pod("p", 500, 100);
    core::add_host_ports(pod.requests, {{"", "TCP", 8080}});
    REQUIRE_FALSE(pod.requests.extended.empty());
    const auto asked = world.create(pod);
    pod.name = "q";
    pod.scheduler_name = "blind";
    const auto unasked = world.create(pod);
    world.settle();
    CHECK(drift_of(world, world.pod(asked)) == "");
    CHECK(drift_of(world, world.pod(unasked)) == "");
}

TEST_CASE("comparison: wishes of GPUs are read of listed pods, and are nothing that nodes say") {
    config::Schema schema = World::sealed_schema();
    schema.gpu_metrics.url = "http://prometheus:9090";
    World world(schema);
    world.add_node(tests::node("g1", 64, 1024));
    core::SampledNode sample{"g1", {}};
    sample.gpus.emplace_back().id = "0";
    sample.gpus.back().model = "NVIDIA A100-SXM4-40GB";
    sample.gpus.back().free_mib = 8'000;
    world.step(gang::MetricsSampled{{sample}});
    core::Pod pod = tests::pod("wishes", 100, 1);
    pod.labels = {{"genius/gpu-number", "1"}};
    const auto wishes = world.create(pod);
    const auto plain = world.create(tests::pod("plain", 100, 1));
    world.settle();
    REQUIRE(world.node_of(wishes) == "g1");
    CHECK(drift_of(world, world.pod(wishes)) == "");
    CHECK(drift_of(world, world.pod(plain)) == "");
    CHECK(drift_of(world, world.nodes().at("g1")) == "");
    core::Pod listed = world.pod(wishes);
    listed.labels = {{"genius/gpu-number", "2"}};
    CHECK(drift_of(world, listed) == "pod differs etl/wishes: what it asks for");
}

TEST_CASE("comparison: every pod is visited once, of those of others only the uid is known") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto other = world.create(pod_of_others("there", "n1"));
    const auto ours = world.create(tests::pod("ours", 500, 100));
    const auto waits = world.create(tests::pod("waits", 90'000, 100));
    world.settle();
    std::map<std::string, std::string> names;
    int visits = 0;
    world.scheduler->for_each_pod([&](std::string_view uid, std::string_view name) {
        names[std::string(uid)] = std::string(name);
        ++visits;
    });
    CHECK(visits == 3);
    CHECK(names == std::map<std::string, std::string>{{other, ""}, {ours, "etl/ours"}, {waits, "etl/waits"}});
}
