// How long a gang takes that asks for devices: whole ones, which are a number of an extended
// resource, and shares of cards, each of which is on one card; what cards cost in memory; and how
// long Prometheus' answers about them take to read.

#include "core/cluster/cluster.hpp"
#include "core/placement/placement.hpp"
#include "core/value/device/cards.hpp"
#include "k8s/metrics/gpu_vectors.hpp"
#include "tests/bench/crowd.hpp"
#include "tests/support/builders.hpp"

#include <fmt/format.h>

#include <benchmark/benchmark.h>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace {

constexpr std::int64_t executors = 100;
constexpr std::int64_t devices = 8;  ///< of each node
constexpr std::int64_t units_each = 16;
const std::string gpu = "nvidia.com/gpu";
const std::string share = "alnair/vgpu-memory";

enum class Asked { plain, whole, shares };

/// As NVIDIA names them: no two are alike.
std::string card_id(std::int64_t node, std::int64_t card) {
    return "GPU-" + crowd::uuid(static_cast<std::uint64_t>(node * devices + card));
}

core::Resources request(Asked asked, std::int64_t cpu_milli = 4'000) {
    core::Resources made = build::resources("4", "16Gi");
    made.cpu_milli = cpu_milli;
    if (asked == Asked::whole) made.extended = {{gpu, 1}};
    if (asked == Asked::shares) made.extended = {{share, 4}};
    return made;
}

/// 0 to 60 of 64 cores taken, and of the devices none to all, in an order without a pattern; each
/// node has the devices that are asked for.
core::Cluster world(std::int64_t nodes, Asked asked, std::int64_t most_taken = devices) {
    core::Cluster cluster;
    for (std::int64_t i = 0; i < nodes; ++i) {
        const std::string name = fmt::format("node-{:06}", i);
        core::Node node = build::node(name).cpu(64).memory("256Gi");
        if (asked == Asked::whole) node.allocatable.extended = {{gpu, devices}};
        if (asked == Asked::shares) {
            node.allocatable.extended = {{share, devices * units_each}};
            core::NodeCards cards{share, {}, {}};
            for (std::int64_t card = 0; card < devices; ++card) {
                cards.cards.push_back({card_id(i, card), units_each});
            }
            node.cards = std::move(cards);
        }
        cluster.upsert_node(node);
        const core::NodeIndex index = *cluster.nodes().find(name);
        core::Resources taken;
        taken.cpu_milli = i * 7919 % 16 * 4 * 1000;
        taken.memory_bytes = i * 7919 % 16 << 34;
        cluster.allocate(index, taken, core::UsedBy::other_scheduler);
        const std::int64_t devices_taken = i * 31 % (most_taken + 1);
        for (std::int64_t k = 0; k < devices_taken && asked != Asked::plain; ++k) {
            core::Resources one;
            if (asked == Asked::whole) one.extended = {{gpu, 1}};
            if (asked == Asked::shares) one.extended = {{share, units_each - k % 8}};
            cluster.allocate(index, one, core::UsedBy::gang);
        }
    }
    return cluster;
}

core::PlacementRequest gang(core::Cluster& cluster, Asked asked, std::int64_t count = executors) {
    const auto driver = cluster.intern_shape(build::resources("2", "4Gi"), {});
    const auto executor = cluster.intern_shape(request(asked), {});
    return {driver, {{executor, count}}, core::View::free, {}};
}

Asked asked_by(const benchmark::State& state) {
    return static_cast<Asked>(state.range(1));
}

/// One shape of gang again and again. Asked: 0 nothing of devices, 1 whole ones, 2 shares.
void place_on_devices(benchmark::State& state) {
    core::Cluster cluster = world(state.range(0), asked_by(state));
    const core::PlacementRequest asked = gang(cluster, asked_by(state));
    core::Planner planner;
    bool fits = false;
    for (auto _ : state) {
        const core::Placement placement = planner.place(cluster, asked);
        fits = std::holds_alternative<core::Plan>(placement);
        benchmark::DoNotOptimize(placement);
    }
    state.SetLabel(fits ? "fits" : "refused, explained");
}

/// The devices of one node change in between.
void place_on_devices_after_a_change(benchmark::State& state) {
    core::Cluster cluster = world(state.range(0), asked_by(state));
    const core::PlacementRequest asked = gang(cluster, asked_by(state));
    core::Planner planner;
    const core::NodeIndex node = cluster.nodes().by_name()[cluster.nodes().count() / 2];
    for (auto _ : state) {
        const core::AllocationId taken =
            cluster.allocate(node, asked.executors[0].shape, core::UsedBy::gang);
        benchmark::DoNotOptimize(planner.place(cluster, asked));
        cluster.allocations().release(taken);
    }
}

/// A shape that is not known: more shapes in turn than are kept.
void place_on_devices_new_shape(benchmark::State& state) {
    core::Cluster cluster = world(state.range(0), asked_by(state));
    std::vector<core::PlacementRequest> requests;
    for (std::int64_t i = 0; i <= std::int64_t{core::CapacityCache::kept_max}; ++i) {
        const auto shape = cluster.intern_shape(request(asked_by(state), 4'000 - i), {});
        requests.push_back({{}, {{shape, executors}}, core::View::free, {}});
    }
    core::Planner planner;
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.place(cluster, requests[next]));
        next = (next + 1) % requests.size();
    }
}

/// More than there is room for, with the words.
void explain_refusal_of_devices(benchmark::State& state) {
    core::Cluster cluster = world(state.range(0), asked_by(state));
    const core::PlacementRequest asked = gang(cluster, asked_by(state), std::int64_t{1} << 31);
    core::Planner planner;
    for (auto _ : state) benchmark::DoNotOptimize(planner.place(cluster, asked));
}

/// Nothing is free of any device, though there are cores: new shapes, no words.
void refuse_without_free_devices(benchmark::State& state) {
    core::Cluster cluster = world(state.range(0), asked_by(state), 0);
    for (const core::NodeIndex node : cluster.nodes().by_name()) {
        core::Resources one;
        one.extended = {
            {asked_by(state) == Asked::whole ? gpu : share,
             asked_by(state) == Asked::whole ? devices : units_each}};
        for (std::int64_t i = 0; i < (asked_by(state) == Asked::whole ? 1 : devices); ++i) {
            cluster.allocate(node, one, core::UsedBy::gang);
        }
    }
    std::vector<core::PlacementRequest> requests;
    for (std::int64_t i = 0; i <= std::int64_t{core::CapacityCache::kept_max}; ++i) {
        const auto shape = cluster.intern_shape(request(asked_by(state), 4'000 - i), {});
        requests.push_back({{}, {{shape, executors}}, core::View::free, {}});
    }
    core::Planner planner;
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.fits(cluster, requests[next]));
        next = (next + 1) % requests.size();
    }
}

/// A gang is placed, takes its room, and gives it back: with the choice of each executor's card.
void take_and_give_back_devices(benchmark::State& state) {
    core::Cluster cluster = world(state.range(0), asked_by(state));
    const core::PlacementRequest asked = gang(cluster, asked_by(state));
    core::Planner planner;
    std::vector<core::AllocationId> taken;
    for (auto _ : state) {
        const core::Placement placement = planner.place(cluster, asked);
        const auto& plan = std::get<core::Plan>(placement);
        for (const core::NodeCount& found : plan.executors[0]) {
            for (std::int64_t i = 0; i < found.count; ++i) {
                taken.push_back(
                    cluster.allocate(found.node, asked.executors[0].shape, core::UsedBy::gang));
            }
        }
        for (const core::AllocationId allocation : taken) cluster.allocations().release(allocation);
        taken.clear();
    }
}

/// Of nodes that differ in what they say of devices alone; in the cluster, without the engine.
void memory_node_with_devices(benchmark::State& state) {
    for (auto _ : state) {
        const std::size_t before = crowd::bytes_in_use();
        const core::Cluster cluster = world(5'000, static_cast<Asked>(state.range(0)), 0);
        state.counters["bytes_each"] =
            (static_cast<double>(crowd::bytes_in_use()) - static_cast<double>(before)) / 5'000;
    }
}

/// As Prometheus writes it: by metric, and then by the labels.
std::string answer_about(std::int64_t cards, std::initializer_list<std::string_view> metrics) {
    std::string body = R"({"status":"success","data":{"resultType":"vector","result":[)";
    for (const std::string_view metric : metrics) {
        for (std::int64_t card = 0; card < cards; ++card) {
            const std::int64_t node = card / devices;
            fmt::format_to(
                std::back_inserter(body),
                R"({{"metric":{{"__name__":"observerward_{}","id":"{}",)"
                R"("instance":"10.4.{}.{}:9909","job":"observerward",)"
                R"("kubernetes_node":"gpu-node-{:05}","model":"NVIDIA A100-SXM4-40GB",)"
                R"("uuid":"{}"}},"value":[1764086400.123,"{}"]}},)",
                metric,
                card % devices,
                node / 250,
                node % 250,
                node,
                card_id(node, card % devices),
                1'000 + card % 40'000);
        }
    }
    body.back() = ']';
    return body + "}}";
}

/// Both answers of one poll, the first or a later one.
void read_gpu_metrics(benchmark::State& state) {
    const std::string dynamic = answer_about(
        state.range(0),
        {"dynamic_gpu_decoder_utilization",
         "dynamic_gpu_encoder_utilization",
         "dynamic_gpu_free_global_memory_MiB",
         "dynamic_gpu_power_usage_W"});
    const std::string fixed = answer_about(
        state.range(0),
        {"static_gpu_memory_size",
         "static_gpu_multiprocessor_count",
         "static_gpu_shared_decoder_count",
         "static_gpu_shared_encoder_count"});
    const bool is_first = state.range(1) == 1;
    std::optional<k8s::GpuLabelMemo> memo;
    for (auto _ : state) {
        if (is_first || !memo) memo.emplace("kubernetes_node");
        k8s::GpuVectors vectors(*memo);
        const bool is_read = vectors.add(dynamic).has_value() && vectors.add(fixed).has_value();
        if (!is_read) state.SkipWithError("no answer");
        benchmark::DoNotOptimize(vectors.take());
    }
}

void by_devices(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"nodes", "asked"})->ArgsProduct({{1'000, 10'000}, {0, 1, 2}});
}
void by_real_devices(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"nodes", "asked"})->ArgsProduct({{1'000, 10'000}, {1, 2}});
}
BENCHMARK(place_on_devices)->Apply(by_devices);
BENCHMARK(place_on_devices_after_a_change)->Apply(by_devices);
BENCHMARK(place_on_devices_new_shape)->Apply(by_devices);
BENCHMARK(explain_refusal_of_devices)->Apply(by_devices);
BENCHMARK(refuse_without_free_devices)->Apply(by_real_devices);
BENCHMARK(take_and_give_back_devices)->Apply(by_devices);
BENCHMARK(memory_node_with_devices)
    ->ArgName("asked")
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_gpu_metrics)
    ->ArgNames({"cards", "first"})
    ->Args({10'000, 0})
    ->Args({10'000, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
