// GPUs by their metrics (GEN-1 to GEN-18), as far as they are about gangs, time and what is told;
// the rest is in tests/core and tests/blackbox/placement/test_genius.py.

#include "core/value/device/gpu_wish.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using tests::World;

namespace {

config::Schema with_gpu_metrics() {
    config::Schema schema = World::sealed_schema();
    schema.gpu_metrics.url = "http://prometheus:9090";
    config::Profile& genius = schema.profiles.emplace_back();
    genius.scheduler_name = "genius-scheduler";
    genius.scores = {
        {*core::find_score_id("gpu-metrics"), 300, {}, {}},
        {*core::find_score_id("least-allocated"), 1, {}, {}}};
    return schema;
}

core::SampledNode sampled_node(
    const std::string& name,
    const std::vector<std::int64_t>& free,
    const std::string& model = "NVIDIA A100-SXM4-40GB") {
    core::SampledNode node{name, {}};
    for (const std::int64_t one : free) {
        core::SampledGpu& gpu = node.gpus.emplace_back();
        gpu.id = std::to_string(node.gpus.size() - 1);
        gpu.model = model;
        gpu.free_mib = one;
    }
    return node;
}

void sample(World& world, std::vector<core::SampledNode> nodes) {
    world.step(gang::MetricsSampled{std::move(nodes)});
    world.settle();
}

core::Pod gpu_pod(const std::string& name, core::StringMap labels, std::int64_t created = 0) {
    core::Pod pod = tests::pod(name, 100, 1);
    pod.labels = std::move(labels);
    pod.created += created;
    return pod;
}

std::string create_gpu_pod(World& world, const std::string& name, core::StringMap labels) {
    const std::string uid = world.create(gpu_pod(name, std::move(labels)));
    world.settle();
    return uid;
}

bool says(const World& world, const std::string& uid, const std::string& text) {
    INFO(world.condition(uid));
    const bool found = world.condition(uid).find(text) != std::string::npos;
    CHECK_MESSAGE(found, world.condition(uid));
    return found;
}

}  // namespace

TEST_CASE("GEN-1, GEN-9, GEN-17: so many GPUs on a node, and what is told of too few") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("c1", 64, 1024));
    world.add_node(tests::node("g1", 64, 1024));
    sample(world, {sampled_node("g1", {8000, 3000})});
    const auto one = create_gpu_pod(world, "one", {{"genius/gpu-number", "1"}});
    CHECK(world.node_of(one) == "g1");
    const auto three = create_gpu_pod(world, "three", {{"genius/gpu-number", "3"}});
    CHECK_FALSE(world.is_bound(three));
    says(world, three, "needs 3 GPUs, 2 on g1 [ExceedsCluster]");
    const auto wide = create_gpu_pod(world, "wide", {{"genius/gpu-memory-each", "8001"}});
    says(world, wide, "needs 1 GPU with 8001 MiB free, 0 on g1 [WaitingForCapacity]");
    const auto all = create_gpu_pod(world, "all", {{"genius/gpu-memory-total", "11001"}});
    says(world, all, "needs 11001 MiB free on all GPUs together, 11000 on g1 [WaitingForCapacity]");
    const auto model = create_gpu_pod(world, "model", {{"genius/gpu-model", "1070.Ti"}});
    says(world, model, "needs 1 GPU of model 1070.Ti, 0 on g1 [ExceedsCluster]");
    const auto plain = create_gpu_pod(world, "plain", {});
    CHECK(world.is_bound(plain));  // E-17
    // GEN-18: the same name with another wish is another pod.
    world.remove_pod(three);
    const auto again = create_gpu_pod(world, "three", {{"genius/gpu-number", "2"}});
    CHECK(world.node_of(again) == "g1");
    CHECK(world.violations.empty());
}

TEST_CASE("GEN-4, E-15: what nobody can read is told, and names the key") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("g1", 64, 1024));
    sample(world, {sampled_node("g1", {8000})});
    core::Pod pod = gpu_pod("bad", {});
    pod.annotations = {{"genius/gpu-model", "["}};
    const auto bad = world.create(pod);
    world.settle();
    CHECK_FALSE(world.is_bound(bad));
    says(world, bad, "genius/gpu-model is \"[\": the expression has a [ without ]");
    says(world, bad, "[Misconfigured]");
    world.change_pod(bad, [](core::Pod& changed) {
        changed.annotations = {{"genius/gpu-model", "a100.*40gb"}};
    });
    world.settle();
    CHECK(world.node_of(bad) == "g1");
}

TEST_CASE("GEN-12: a burst is placed by what is left, and a sample subtracts nothing twice") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("g1", 64, 1024));
    sample(world, {sampled_node("g1", {8000})});
    const core::StringMap wish = {{"genius/gpu-memory-each", "6000"}};
    const auto first = world.create(gpu_pod("first", wish));
    const auto other = world.create(gpu_pod("other", {{"genius/gpu-memory-each", "3000"}}));
    const auto small = world.create(gpu_pod("small", {{"genius/gpu-memory-each", "2000"}}));
    const auto second = world.create(gpu_pod("second", wish));
    world.settle();
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(other));
    CHECK(world.is_bound(small));
    CHECK_FALSE(world.is_bound(second));
    world.remove_pod(small);
    world.remove_pod(other);
    world.advance(5'000);
    sample(world, {sampled_node("g1", {2000})});
    CHECK_FALSE(world.is_bound(second));
    // In the line of those who wish GPUs the first comes first; others do not stand in it.
    const auto behind = create_gpu_pod(world, "behind", {{"genius/gpu-memory-each", "2000"}});
    CHECK_FALSE(world.is_bound(behind));
    says(world, behind, "[WaitingInQueue]");
    CHECK(world.is_bound(create_gpu_pod(world, "plain", {})));
    world.remove_pod(behind);
    world.set_phase(first, core::PodPhase::succeeded);
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(second));
    sample(world, {sampled_node("g1", {8000})});
    CHECK(world.is_bound(second));
    CHECK(world.violations.empty());
}

TEST_CASE("GEN-12: what a sample shows of a pod is not subtracted again") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("g1", 64, 1024));
    sample(world, {sampled_node("g1", {8000})});
    const auto six = create_gpu_pod(world, "six", {{"genius/gpu-memory-each", "6000"}});
    CHECK(world.is_bound(six));
    sample(world, {sampled_node("g1", {2000})});
    CHECK(world.is_bound(create_gpu_pod(world, "two", {{"genius/gpu-memory-each", "2000"}})));
}

TEST_CASE("GEN-10: samples that are too old place nobody, and other pods never notice") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("g1", 64, 1024));
    const auto before = create_gpu_pod(world, "before", {{"genius/gpu-number", "1"}});
    says(world, before, "GPU metrics stale: there are none yet [GpuMetricsStale]");
    world.step(gang::MetricsMissing{"connection refused"});
    sample(world, {sampled_node("g1", {8000})});
    CHECK(world.is_bound(before));
    world.advance(15'000);
    world.step(gang::MetricsMissing{"connection refused"});
    const auto last = create_gpu_pod(world, "last", {{"genius/gpu-number", "1"}});
    CHECK(world.is_bound(last));
    const auto waiting = create_gpu_pod(world, "waiting", {{"genius/gpu-memory-each", "9000"}});
    says(world, waiting, "needs 1 GPU with 9000 MiB free, 0 on g1");
    world.advance(5'000);
    says(
        world,
        waiting,
        "GPU metrics stale: none for longer than 15 s (connection refused) [GpuMetricsStale]");
    const auto late = create_gpu_pod(world, "late", {{"genius/gpu-number", "1"}});
    CHECK_FALSE(world.is_bound(late));
    CHECK(world.is_bound(create_gpu_pod(world, "plain", {})));
    sample(world, {sampled_node("g1", {9000})});
    CHECK(world.is_bound(late));
    CHECK(world.is_bound(waiting));
}

TEST_CASE("GEN-15: executors' labels count inside a gang, which is admitted whole or not at all") {
    World world(with_gpu_metrics());
    for (const char* name : {"c1", "g1", "g2"}) world.add_node(tests::node(name, 64, 64 * 1024));
    sample(world, {sampled_node("g1", {8000, 8000}), sampled_node("g2", {3000})});
    gang::spark::Conf conf = tests::conf(3);
    conf = tests::with(conf, "spark.kubernetes.executor.label.genius/gpu-memory-each", "6000");
    conf = tests::with(conf, "spark.kubernetes.executor.annotation.genius/gpu-model", "A100|H100");
    const auto driver = world.submit(tests::driver("a"), conf);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    says(world, driver, "1 + 2 fit, short of GPUs");
    sample(world, {sampled_node("g1", {8000, 8000}), sampled_node("g2", {6000})});
    REQUIRE(world.is_bound(driver));
    const auto late = create_gpu_pod(world, "late", {{"genius/gpu-memory-each", "3000"}});
    CHECK_FALSE(world.is_bound(late));  // slots hold what their executors will use
    const auto create_executor = [&](const std::string& name) {
        core::Pod pod = tests::executor(name, world.pod(driver));
        pod.labels.emplace_back("genius/gpu-memory-each", "6000");
        std::sort(pod.labels.begin(), pod.labels.end());
        pod.annotations = {{"genius/gpu-model", "A100|H100"}};
        return world.create(pod);
    };
    create_executor("exec-1");
    world.settle();
    SUBCASE("also after a restart, with the first one's memory in the sample") {
        world.restart();
        world.settle();
        sample(world, {sampled_node("g1", {8000, 2000}), sampled_node("g2", {6000})});
        CHECK_FALSE(world.is_bound(late));
    }
    SUBCASE("at once") {}
    create_executor("exec-2");
    create_executor("exec-3");
    world.settle();
    std::map<std::string, int> on;
    for (const std::string& executor : world.executors_of(driver)) ++on[world.node_of(executor)];
    CHECK(on == std::map<std::string, int>{{"g1", 2}, {"g2", 1}});
    CHECK_FALSE(world.is_bound(late));
    CHECK(world.violations.empty());
}

TEST_CASE("after a restart a sample shows what runs, and what it shows is not subtracted again") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("g1", 64, 1024));
    sample(world, {sampled_node("g1", {8000})});
    const auto first = create_gpu_pod(world, "first", {{"genius/gpu-memory-each", "6000"}});
    REQUIRE(world.is_bound(first));
    world.restart();
    world.settle();
    sample(world, {sampled_node("g1", {2000})});
    const auto next = create_gpu_pod(world, "next", {{"genius/gpu-memory-each", "2000"}});
    CHECK(world.is_bound(next));
}

TEST_CASE("GEN-8: the node whose GPUs have the best metrics; pods without a wish do not care") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("x", 64, 1024));
    world.add_node(tests::node("y", 64, 1024));
    auto x = sampled_node("x", {4000});
    auto y = sampled_node("y", {6000});
    sample(world, {x, y});
    core::Pod pod = gpu_pod("pod", {{"genius/gpu-number", "1"}});
    pod.scheduler_name = "genius-scheduler";
    const auto best = world.create(pod);
    world.settle();
    CHECK(world.node_of(best) == "y");
    y.gpus[0].free_mib = 3000;
    sample(world, {x, y});
    pod.name = "next";
    const auto next = world.create(pod);
    pod.labels = {};
    pod.name = "plain";
    world.settle();
    CHECK(world.node_of(next) == "x");
    const auto plain = world.create(pod);
    world.settle();
    CHECK(world.node_of(plain) == "x");  // equally full: the first by name
}

TEST_CASE("GEN-14: nvidia.com/gpu and labels both count") {
    World world(with_gpu_metrics());
    world.add_node(tests::node("g1", 64, 1024));
    core::Node with_plugin = tests::node("g2", 64, 1024);
    with_plugin.allocatable.extended = {{"nvidia.com/gpu", 1}};
    world.add_node(with_plugin);
    sample(world, {sampled_node("g1", {8000}), sampled_node("g2", {3000})});
    core::Pod pod = gpu_pod("pod", {{"genius/gpu-memory-each", "4000"}});
    pod.requests.extended = {{"nvidia.com/gpu", 1}};
    const auto both = world.create(pod);
    world.settle();
    CHECK_FALSE(world.is_bound(both));
    sample(world, {sampled_node("g1", {8000}), sampled_node("g2", {4000})});
    CHECK(world.node_of(both) == "g2");
}

TEST_CASE("GEN-7: in a queue by priority, genius/priority is one") {
    config::Schema schema = with_gpu_metrics();
    config::Queue& queue = schema.queues.emplace_back();
    queue.name = "root.default";
    queue.order = config::QueueOrder::priority;
    schema.placement = {{config::PlacementRule::Kind::fixed, "root.default"}};
    World world(schema);
    world.add_node(tests::node("g1", 64, 1024));
    sample(world, {sampled_node("g1", {5000})});
    const core::StringMap low = {{"genius/gpu-memory-each", "6000"}, {"genius/priority", "1"}};
    const core::StringMap high = {{"genius/gpu-memory-each", "6000"}, {"genius/priority", "10"}};
    const auto first = create_gpu_pod(world, "first", low);
    const auto second = create_gpu_pod(world, "second", high);
    sample(world, {sampled_node("g1", {6000})});
    CHECK(world.is_bound(second));
    CHECK_FALSE(world.is_bound(first));
}

TEST_CASE("metrics are part of a recording: the same life is lived again") {
    std::string recording;
    World world(with_gpu_metrics());
    world.recording = &recording;
    world.restart();
    world.add_node(tests::node("g1", 64, 1024));
    world.step(gang::MetricsMissing{"not yet"});
    core::SampledNode node = sampled_node("g1", {8000, 100});
    node.gpus[0] = {"0", "A100", 8000, 40960, 50'000, 1, 2, 108, 3, 4};
    sample(world, {node});
    CHECK(world.is_bound(create_gpu_pod(world, "six", {{"genius/gpu-memory-each", "6000"}})));
    create_gpu_pod(world, "next", {{"genius/gpu-memory-each", "6000"}});
    world.advance(20'000);
    gang::Replay replay;
    for (std::size_t begin = 0; begin < recording.size();) {
        const std::size_t end = recording.find('\n', begin);
        const auto fed = replay.feed(std::string_view(recording).substr(begin, end - begin));
        REQUIRE_MESSAGE(fed.has_value(), (fed ? "" : fed.error().message));
        begin = end + 1;
    }
    CHECK(replay.counts().states > 0);
    CHECK_FALSE(replay.difference());
}

TEST_CASE("without gpuMetrics labels count for nothing, and that is told") {
    World world;
    world.add_node(tests::node("n1", 64, 1024));
    sample(world, {sampled_node("n1", {1})});
    const auto pod = create_gpu_pod(world, "pod", {{"genius/gpu-number", "three"}});
    CHECK(world.is_bound(pod));
    const auto told =
        std::count_if(world.events.begin(), world.events.end(), [](const gang::RecordEvent& event) {
            return event.reason == "GpuWishIgnored" && event.warning;
        });
    CHECK(told == 1);
}
