// How long one question to the planner takes: a gang that fits, one that does not, on clusters that
// are half full.

#include "core/cluster.hpp"
#include "core/placement.hpp"
#include "tests/support/builders.hpp"

#include <fmt/format.h>

#include <benchmark/benchmark.h>
#include <string>

namespace {

core::Cluster half_full(std::int64_t nodes) {
    core::Cluster cluster;
    for (std::int64_t i = 0; i < nodes; ++i) {
        const std::string name = fmt::format("node-{:06}", i);
        cluster.upsert_node(build::node(name).cpu(64).memory("256Gi"));
        const auto index = *cluster.find_node(name);
        // 0 to 60 cores taken, in an order without a pattern.
        const std::int64_t cores = i * 7919 % 16 * 4;
        core::Resources taken;
        taken.cpu_milli = cores * 1000;
        taken.memory_bytes = cores << 32;
        cluster.charge(index, taken, core::Holder::foreign);
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

void count_foreign_pod(benchmark::State& state) {
    core::Cluster cluster = half_full(5'000);
    const core::Resources amount = build::resources("100m", "128Mi");
    const auto uid = [](std::int64_t i) {
        return fmt::format("{:08x}-1111-4222-8333-{:012x}", i * 2654435761 % 4294967296, i);
    };
    for (std::int64_t i = 0; i < 150'000; ++i) {
        cluster.upsert_pod(
            uid(i), fmt::format("node-{:06}", i % 5'000), amount, core::Holder::foreign);
    }
    const std::string one_more = uid(150'001);
    for (auto _ : state) {
        cluster.upsert_pod(one_more, "node-002500", amount, core::Holder::foreign);
        cluster.remove_pod(one_more);
    }
}
BENCHMARK(count_foreign_pod);

}  // namespace
