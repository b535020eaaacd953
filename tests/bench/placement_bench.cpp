// How long one question to the planner takes: a gang that fits, one that does not, on clusters that
// are half full.

#include "core/cluster/cluster.hpp"
#include "core/placement/placement.hpp"
#include "tests/support/builders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <string>
#include <variant>
#include <vector>

namespace {

core::Cluster half_full(std::int64_t nodes) {
    core::Cluster cluster;
    for (std::int64_t i = 0; i < nodes; ++i) {
        const std::string name = fmt::format("node-{:06}", i);
        cluster.upsert_node(build::node(name).cpu(64).memory("256Gi"));
        const auto index = *cluster.nodes().find(name);
        // 0 to 60 cores taken, in an order without a pattern.
        const std::int64_t cores = i * 7919 % 16 * 4;
        core::Resources taken;
        taken.cpu_milli = cores * 1000;
        taken.memory_bytes = cores << 32;
        cluster.allocate(index, taken, core::UsedBy::other_scheduler);
    }
    return cluster;
}

struct Question {
    core::Cluster cluster;
    core::PlacementRequest request;

    Question(std::int64_t nodes, std::int64_t executors) : cluster(half_full(nodes)) {
        const auto driver = cluster.intern_shape(build::resources("2", "4Gi"), {});
        const auto executor = cluster.intern_shape(build::resources("4", "16Gi"), {});
        request = {driver, {{executor, executors}}, core::View::free, {}};
    }
};

void place_gang(benchmark::State& state) {
    const Question question(state.range(0), state.range(1));
    core::Planner planner;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.place(question.cluster, question.request));
    }
}
BENCHMARK(place_gang)->ArgsProduct({{1'000, 10'000}, {1, 100, 1'000}});

void refuse_gang(benchmark::State& state) {
    const Question question(state.range(0), std::int64_t{1} << 31);
    core::Planner planner;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.fits(question.cluster, question.request));
    }
}
BENCHMARK(refuse_gang)->Arg(1'000)->Arg(10'000);

void explain_refusal(benchmark::State& state) {
    const Question question(state.range(0), std::int64_t{1} << 31);
    core::Planner planner;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.place(question.cluster, question.request));
    }
}
BENCHMARK(explain_refusal)->Arg(1'000)->Arg(10'000);

/// Nodes of 20 pools in turn, as full as asked for: each node fewer or more cores, in an order
/// without a pattern, 100: not one core anywhere.
core::Cluster occupied(std::int64_t nodes, std::int64_t percent) {
    core::Cluster cluster;
    for (std::int64_t i = 0; i < nodes; ++i) {
        const std::string name = fmt::format("node-{:06}", i);
        cluster.upsert_node(
            build::node(name).cpu(64).memory("256Gi").label("pool", std::to_string(i % 20)));
        const std::int64_t spread = percent == 0 || percent == 100 ? 0 : i * 7919 % 13 - 6;
        const std::int64_t cores =
            std::clamp<std::int64_t>((64 * percent + 50) / 100 + spread, 0, 64);
        core::Resources taken;
        taken.cpu_milli = cores * 1000;
        taken.memory_bytes = cores << 32;
        cluster.allocate(*cluster.nodes().find(name), taken, core::UsedBy::other_scheduler);
    }
    return cluster;
}

/// One driver and a hundred executors. Policy 0: tightest, 1: fewest-nodes. With 20 classes the
/// gang may use the nodes of one pool, and 19 other classes are known.
void place_by_policy(benchmark::State& state) {
    core::Cluster cluster = occupied(state.range(0), state.range(2));
    core::Constraints constraints;
    for (int pool = 0; pool < 20 && state.range(3) == 20; ++pool) {
        constraints.node_selector = {{"pool", std::to_string(pool)}};
        cluster.intern_shape(build::resources("1", "1Gi"), constraints);
    }
    const auto driver = cluster.intern_shape(build::resources("2", "4Gi"), constraints);
    const auto executor = cluster.intern_shape(build::resources("4", "16Gi"), constraints);
    core::PlacementRequest request{driver, {{executor, 100}}, core::View::free, {}};
    request.policy =
        state.range(1) == 0 ? core::PackingPolicy::tightest : core::PackingPolicy::fewest_nodes;
    core::Planner planner;
    bool fits = false;
    for (auto _ : state) {
        const core::Placement placement = planner.place(cluster, request);
        fits = std::holds_alternative<core::Plan>(placement);
        benchmark::DoNotOptimize(placement);
    }
    state.SetLabel(fits ? "fits" : "refused, explained");
}
BENCHMARK(place_by_policy)
    ->ArgNames({"nodes", "policy", "full", "classes"})
    ->ArgsProduct({{1'000, 10'000, 100'000}, {0, 1}, {0, 50, 90}, {1, 20}});

/// No words: what a full cluster costs each time it is asked.
void refuse_when_full(benchmark::State& state) {
    core::Cluster cluster = occupied(state.range(0), 100);
    const auto shape = cluster.intern_shape(build::resources("1", "1Gi"), {});
    const core::PlacementRequest request{shape, {{shape, 100}}, core::View::free, {}};
    core::Planner planner;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.fits(cluster, request));
    }
}
BENCHMARK(refuse_when_full)->ArgName("nodes")->Arg(1'000)->Arg(10'000)->Arg(100'000);

/// A node's room changes between two questions: its block is read again.
void place_after_a_change(benchmark::State& state) {
    core::Cluster cluster = occupied(state.range(0), 50);
    const auto shape = cluster.intern_shape(build::resources("4", "16Gi"), {});
    core::PlacementRequest request{shape, {{shape, 100}}, core::View::free, {}};
    request.policy = core::PackingPolicy::fewest_nodes;
    core::Planner planner;
    const core::NodeIndex node = cluster.nodes().by_name()[cluster.nodes().count() / 2];
    for (auto _ : state) {
        const core::AllocationId allocation = cluster.allocate(node, shape, core::UsedBy::gang);
        benchmark::DoNotOptimize(planner.place(cluster, request));
        cluster.allocations().release(allocation);
    }
}
BENCHMARK(place_after_a_change)->ArgName("nodes")->Arg(1'000)->Arg(10'000)->Arg(100'000);

/// A shape that is not known: more shapes in turn than are kept. Policy as above.
void place_new_shape(benchmark::State& state) {
    core::Cluster cluster = occupied(state.range(0), 50);
    std::vector<core::PlacementRequest> requests;
    for (std::int64_t i = 0; i <= std::int64_t{core::CapacityCache::kept_max}; ++i) {
        core::Resources executor = build::resources("4", "16Gi");
        executor.cpu_milli -= i;
        const auto shape = cluster.intern_shape(executor, {});
        requests.push_back({{}, {{shape, 100}}, core::View::free, {}});
        requests.back().policy =
            state.range(1) == 0 ? core::PackingPolicy::tightest : core::PackingPolicy::fewest_nodes;
    }
    core::Planner planner;
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(planner.place(cluster, requests[next]));
        next = (next + 1) % requests.size();
    }
}
BENCHMARK(place_new_shape)
    ->ArgNames({"nodes", "policy"})
    ->ArgsProduct({{1'000, 10'000, 100'000}, {0, 1}});

/// Gangs of one shape come and go: each is placed, takes its room, and gives it back ten gangs
/// later.
void place_gangs_in_turn(benchmark::State& state) {
    core::Cluster cluster = occupied(state.range(0), 50);
    const auto driver = cluster.intern_shape(build::resources("2", "4Gi"), {});
    const auto executor = cluster.intern_shape(build::resources("4", "16Gi"), {});
    core::PlacementRequest request{driver, {{executor, 100}}, core::View::free, {}};
    request.policy =
        state.range(1) == 0 ? core::PackingPolicy::tightest : core::PackingPolicy::fewest_nodes;
    core::Planner planner;
    std::array<std::vector<core::AllocationId>, 10> gangs;
    std::size_t next = 0;
    for (auto _ : state) {
        std::vector<core::AllocationId>& gang = gangs[next];
        next = (next + 1) % gangs.size();
        for (const core::AllocationId allocation : gang) cluster.allocations().release(allocation);
        gang.clear();
        const core::Placement placement = planner.place(cluster, request);
        const auto& plan = std::get<core::Plan>(placement);
        gang.push_back(cluster.allocate(plan.driver, driver, core::UsedBy::gang));
        for (const core::NodeCount& found : plan.executors[0]) {
            gang.push_back(cluster.allocate(
                found.node, executor, core::UsedBy::gang, static_cast<std::uint32_t>(found.count)));
        }
    }
}
BENCHMARK(place_gangs_in_turn)
    ->ArgNames({"nodes", "policy"})
    ->ArgsProduct({{1'000, 10'000, 100'000}, {0, 1}});

void count_foreign_pod(benchmark::State& state) {
    core::Cluster cluster = half_full(5'000);
    const core::Resources amount = build::resources("100m", "128Mi");
    const auto uid = [](std::int64_t i) {
        return fmt::format("{:08x}-1111-4222-8333-{:012x}", i * 2654435761 % 4294967296, i);
    };
    for (std::int64_t i = 0; i < 150'000; ++i) {
        cluster.upsert_pod(
            uid(i), fmt::format("node-{:06}", i % 5'000), amount, core::UsedBy::other_scheduler);
    }
    const std::string one_more = uid(150'001);
    for (auto _ : state) {
        cluster.upsert_pod(one_more, "node-002500", amount, core::UsedBy::other_scheduler);
        cluster.remove_pod(one_more);
    }
}
BENCHMARK(count_foreign_pod);

}  // namespace
