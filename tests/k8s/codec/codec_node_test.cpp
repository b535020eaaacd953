#include "k8s/codec/codec_node.hpp"

#include "k8s/codec/codec_watch.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::decode_node;

namespace {

core::Node decoded(const std::string& json) {
    auto node = decode_node(json);
    REQUIRE_MESSAGE(node.has_value(), (node ? "" : node.error().message));
    return *std::move(node);
}

}  // namespace

TEST_CASE("codec_node: a node as the API server shows it") {
    const auto node = decoded(R"({
      "metadata": {"name": "n1", "uid": "u", "resourceVersion": "5", "labels": {"b": "2", "a": "1"}},
      "spec": {"unschedulable": true, "taints": [
        {"key": "k", "value": "v", "effect": "NoExecute"}, {"key": "p", "effect": "PreferNoSchedule"}]},
      "status": {
        "capacity": {"cpu": "99"},
        "allocatable": {"cpu": "3920m", "memory": "8Gi", "ephemeral-storage": "10Gi", "pods": "110",
                        "nvidia.com/gpu": "2"},
        "conditions": [{"type": "MemoryPressure", "status": "False"},
                       {"type": "Ready", "status": "True"}]}})");
    CHECK(node.name == "n1");
    CHECK(node.uid == "u");
    CHECK(node.resource_version == "5");
    CHECK(node.labels == core::StringMap{{"a", "1"}, {"b", "2"}});
    CHECK(node.unschedulable);
    CHECK(node.ready);
    CHECK(node.pods == 110);
    CHECK(
        node.allocatable == core::Resources{3920, 8LL << 30, 10LL << 30, {{"nvidia.com/gpu", 2}}});
    CHECK(
        node.taints == std::vector<core::Taint>{
                           {"k", "v", core::TaintEffect::no_execute},
                           {"p", "", core::TaintEffect::prefer_no_schedule}});
}

TEST_CASE("codec_node: a fresh node offers nothing and is not ready") {
    const auto node = decoded(R"({"metadata": {"name": "n1"}})");
    CHECK(!node.ready);
    CHECK(node.pods == 0);
    CHECK(node.allocatable == core::Resources{});
    CHECK(!decoded(R"({"metadata": {"name": "n"},
        "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}})")
               .ready);
}

TEST_CASE("codec_node: a quantity that cannot be read is not offered") {
    const auto node = decoded(R"({"metadata": {"name": "n1"}, "status": {"allocatable": {
        "cpu": "many", "memory": "-1", "ephemeral-storage": {}, "pods": "-3", "x/y": "1"}}})");
    CHECK(node.allocatable == core::Resources{0, 0, 0, {{"x/y", 1}}});
    CHECK(node.pods == 0);
}

TEST_CASE("codec_node: an effect that is not known keeps pods away") {
    const auto node = decoded(
        R"({"metadata": {"name": "n1"}, "spec": {"taints": [{"key": "k", "effect": "Later"}]}})");
    REQUIRE(node.taints.size() == 1);
    CHECK(node.taints[0].effect == core::TaintEffect::no_schedule);
}

TEST_CASE("codec_node: what is no node is an error") {
    for (const char* json :
         {"",
          "{}",
          "[]",
          R"({"metadata": {"name": 1}})",
          R"({"metadata": {"name": "n"}, "spec": 1})",
          R"({"metadata": {"name": "n"}, "spec": {"taints": [1]}})",
          R"({"metadata": {"name": "n"}, "status": {"allocatable": []}})",
          R"({"metadata": {"name": "n", "labels": {"a": {}}}})"}) {
        CHECK_MESSAGE(!decode_node(json).has_value(), std::string(json));
    }
}

TEST_CASE("codec_node: of annotations only what says something of cards, in either spelling") {
    const auto node = decoded(R"({"metadata": {"name": "n1", "annotations": {
      "node.alpha.kubernetes.io/ttl": "0",
      "ai.centaurus.io/vitual-gpu-count": "16,8",
      "ai.centaurus.io/physical-gpu-uuids": "GPU-a,GPU-b"}}})");
    REQUIRE(node.cards);
    CHECK(node.cards->problem.empty());
    CHECK(node.cards->cards == std::vector<core::Card>{{"GPU-a", 16}, {"GPU-b", 8}});
    const auto bad = decoded(
        R"({"metadata": {"name": "n1", "annotations": {"ai.centaurus.io/virtual-gpu-count": "abc"}}})");
    REQUIRE(bad.cards);
    CHECK(bad.cards->problem.find("\"abc\"") != std::string::npos);
    CHECK_FALSE(decoded(R"({"metadata": {"name": "n1", "annotations": {"a": "b"}}})").cards);
}

TEST_CASE("codec_node: cards in Volcano's words, by annotation or by the node's amounts") {
    const auto registered = decoded(R"({"metadata": {"name": "n1", "annotations": {
      "volcano.sh/node-vgpu-register": "GPU-a,10,16384,NVIDIA-T4,true,hami-core:"}}})");
    REQUIRE(registered.cards);
    CHECK(registered.cards->cards == std::vector<core::Card>{{"GPU-a", 16384, 100, 10}});
    const auto shared = decoded(R"({"metadata": {"name": "n1", "annotations": {
      "volcano.sh/gpu-unhealthy-ids": "1"}}, "status": {"allocatable": {
      "volcano.sh/gpu-memory": "16", "volcano.sh/gpu-number": "2"}}})");
    REQUIRE(shared.cards);
    CHECK(shared.cards->cards == std::vector<core::Card>{{"0", 16}});
}

TEST_CASE("codec node: images of nodes and containers are read only if somebody asks for them") {
    const std::string node = R"({"type":"MODIFIED","object":{"kind":"Node","apiVersion":"v1",)"
                             R"("metadata":{"name":"n","uid":"u","resourceVersion":"1"},"status":{)"
                             R"("images":[{"names":["b:1","a@sha256:0"],"sizeBytes":7},)"
                             R"({"names":["a:1"]}]}}})";
    const std::string none = R"({"type":"MODIFIED","object":{"kind":"Node","apiVersion":"v1",)"
                             R"("metadata":{"name":"n","uid":"u","resourceVersion":"1"}}})";
    const std::string pod =
        R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p",)"
        R"("uid":"u","resourceVersion":"1"},"spec":{"containers":[{"name":"c","image":"spark"}],)"
        R"("initContainers":[{"name":"i","image":"h:5/i:2"}],)"
        R"("volumes":[{"name":"d","emptyDir":{}},{"name":"m","image":{"reference":"model:3"}}]}}})";
    const auto node_of = [](k8s::WatchDecoder& decoder, const std::string& line) {
        REQUIRE(decoder.read_line(line));
        return std::get<core::Node>(*decoder.object());
    };
    k8s::WatchDecoder plain(k8s::WatchKind::nodes, 7);
    k8s::WatchDecoder full(k8s::WatchKind::nodes, 7, k8s::Images::kept);
    CHECK_FALSE(node_of(plain, node).images);
    REQUIRE(node_of(full, node).images);
    CHECK(*node_of(full, node).images == core::NodeImages{{"a:1", 0}, {"a@sha256:0", 7}, {"b:1", 7}});
    REQUIRE(node_of(full, none).images);
    CHECK(node_of(full, none).images->empty());
    k8s::WatchDecoder pods(k8s::WatchKind::pods, 7);
    k8s::WatchDecoder full_pods(k8s::WatchKind::pods, 7, k8s::Images::kept);
    REQUIRE(pods.read_line(pod));
    CHECK(std::get<core::Pod>(*pods.object()).constraints->images.empty());
    REQUIRE(full_pods.read_line(pod));
    CHECK(
        std::get<core::Pod>(*full_pods.object()).constraints->images ==
        std::vector<std::string>{"spark:latest", "h:5/i:2", "model:3"});
}
