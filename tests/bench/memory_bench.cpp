// What pods and gangs cost in memory. The counters are the result: bytes of heap per thing, with
// what the allocator needs for itself; the times say little.

#include "tests/bench/crowd.hpp"

#include <benchmark/benchmark.h>
#include <string>

namespace {

double per(std::size_t before, std::int64_t count) {
    return (static_cast<double>(crowd::bytes_in_use()) - static_cast<double>(before)) /
           static_cast<double>(count);
}

/// A driver with its conf, known and refused: the cluster is full. The range: how many wait.
void memory_waiting_gang(benchmark::State& state) {
    for (auto _ : state) {
        crowd::Crowd world(0);
        world.step(gang::NodeUpserted{tests::node("small", 2, 8192)});
        const std::size_t before = crowd::bytes_in_use();
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            world.submit(world.make(10), 10);
        }
        world.tick();
        world.tick();
        state.counters["bytes_each"] = per(before, state.range(0));
    }
}
BENCHMARK(memory_waiting_gang)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// Executors that nobody's driver is there for yet: how many, eleven of each application.
void memory_orphan_executor(benchmark::State& state) {
    for (auto _ : state) {
        crowd::Crowd world(0);
        world.step(gang::NodeUpserted{tests::node("small", 2, 8192)});
        const std::size_t before = crowd::bytes_in_use();
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            core::Pod pod = crowd::spark_pod(
                1'000 + static_cast<std::uint64_t>(i),
                "burst-exec-" + std::to_string(i),
                "spark-" + std::to_string(i / 11));
            crowd::set_label(pod, "spark-role", "executor");
            world.step(gang::PodUpserted{std::move(pod)});
        }
        world.tick();
        world.tick();
        state.counters["bytes_each"] = per(before, state.range(0));
    }
}
BENCHMARK(memory_orphan_executor)->Arg(2'000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Gangs whose executors all run: how many, and of how many executors.
void memory_own_executor(benchmark::State& state) {
    const std::int64_t gangs = state.range(0);
    const std::int64_t executors = state.range(1);
    for (auto _ : state) {
        crowd::Crowd world(5'000);
        const std::size_t before = crowd::bytes_in_use();
        for (std::int64_t i = 0; i < gangs; ++i) {
            if (!world.run(world.make(executors), executors)) {
                state.SkipWithError("a gang did not fit");
                return;
            }
        }
        state.counters["bytes_per_gang"] = per(before, gangs);
        state.counters["bytes_per_pod"] = per(before, gangs * (executors + 1));
        state.counters["heap_mb"] = static_cast<double>(crowd::bytes_in_use()) / 1e6;
    }
}
BENCHMARK(memory_own_executor)
    ->Args({1'000, 10})
    ->Args({3'000, 50})
    ->Args({150, 1'000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// Pods of others on 5,000 nodes.
void count_foreign_pods(benchmark::State& state, const core::StringMap& labels) {
    for (auto _ : state) {
        crowd::Crowd world(5'000);
        const std::size_t before = crowd::bytes_in_use();
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            core::Pod pod = tests::pod("web-" + std::to_string(i), 250, 512);
            pod.uid = crowd::uuid(static_cast<std::uint64_t>(i));
            pod.scheduler_name = "default-scheduler";
            pod.node_name = crowd::node_name(i % 5'000);
            pod.phase = core::PodPhase::running;
            pod.labels = labels;
            world.step(gang::PodUpserted{std::move(pod)});
        }
        state.counters["bytes_each"] = per(before, state.range(0));
        state.counters["heap_mb"] = static_cast<double>(crowd::bytes_in_use()) / 1e6;
    }
}
void memory_foreign_pod(benchmark::State& state) {
    count_foreign_pods(state, {});
}
BENCHMARK(memory_foreign_pod)
    ->Arg(100'000)
    ->Arg(150'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// As long as no rule names a label, they cost nothing.
void memory_labelled_foreign_pod(benchmark::State& state) {
    count_foreign_pods(
        state, {{"app", "web"}, {"pod-template-hash", "76d4c6b9f5"}, {"tier", "frontend"}});
}
BENCHMARK(memory_labelled_foreign_pod)
    ->Arg(100'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void memory_node(benchmark::State& state) {
    for (auto _ : state) {
        const std::size_t before = crowd::bytes_in_use();
        const crowd::Crowd world(state.range(0));
        state.counters["bytes_each"] = per(before, state.range(0));
    }
}
BENCHMARK(memory_node)->Arg(5'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
