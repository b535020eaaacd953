// The search for who has to go for a gang that waits, in a cluster that is full of gangs of a lower
// priority.

#include "tests/bench/crowd.hpp"

#include <benchmark/benchmark.h>
#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t executors_each = 20;
constexpr std::int64_t executor_cpu_milli = 7'500;  // a node takes eight
constexpr std::int64_t ticks_max = 1'000;

config::Schema by_priority() {
    config::Queue queue;
    queue.name = "etl";
    queue.order = config::QueueOrder::priority;
    queue.preemption.within_queue = config::PreemptionWithin::lower_priority;
    config::Schema schema;
    schema.queues = {queue};
    schema.placement = {{config::PlacementRule::Kind::fixed, queue.name}};
    return schema;
}

/// Executors of which a node takes eight; soft: the gang can do with one of them.
gang::spark::Conf conf_of(std::int64_t executors, bool is_soft) {
    gang::spark::Conf conf =
        tests::with(tests::conf(executors), "spark.kubernetes.executor.request.cores", "7500m");
    if (!is_soft) return conf;
    conf = tests::with(std::move(conf), "spark.dynamicAllocation.enabled", "true");
    conf = tests::with(std::move(conf), "spark.dynamicAllocation.shuffleTracking.enabled", "true");
    conf = tests::with(std::move(conf), "spark.dynamicAllocation.minExecutors", "1");
    return tests::with(std::move(conf), "spark.dynamicAllocation.maxExecutors", "20");
}

/// A gang of 100 executors comes to a full cluster: the longest tick until the first is asked to
/// go. Soft: there, executors beyond their gangs' minima go first.
void search_victims(benchmark::State& state) {
    const bool is_soft = state.range(2) == 1;
    std::int64_t victims = 0;
    for (auto _ : state) {
        crowd::Crowd crowd(state.range(0), true, by_priority());
        std::int64_t running = 0;
        for (bool fits = true; fits && running < state.range(1); running += fits ? 1 : 0) {
            crowd::Application application = crowd.make(executors_each);
            application.executor_cpu_milli = executor_cpu_milli;
            application.driver.created += running;  // one a second
            fits = crowd.run(application, executors_each, conf_of(executors_each, is_soft));
        }
        if (running < state.range(1)) {
            state.SkipWithError("the cluster is too small for them");
            return;
        }
        crowd::Application urgent = crowd.make(100);
        urgent.driver.priority = 10;
        crowd.submit(urgent, conf_of(100, false));
        double worst = 0;
        bool is_found = false;
        for (std::int64_t i = 0; i < ticks_max && !is_found; ++i) {
            crowd.pass_to(crowd.now_ms() + 1);
            const auto start = Clock::now();
            const gang::Decisions decisions = crowd.step(gang::Tick{});
            worst = std::max(worst, std::chrono::duration<double>(Clock::now() - start).count());
            for (const gang::Decision& decision : decisions) {
                const bool is_eviction = std::holds_alternative<gang::EvictPod>(decision);
                const bool is_rewrite = std::holds_alternative<gang::UpdateReservation>(decision);
                is_found = is_found || is_eviction || is_rewrite;
                victims += is_eviction || is_rewrite ? 1 : 0;
            }
        }
        if (!is_found) {
            state.SkipWithError("nobody was asked to go");
            return;
        }
        state.SetIterationTime(worst);
    }
    state.counters["asked"] =
        benchmark::Counter(static_cast<double>(victims), benchmark::Counter::kAvgIterations);
}
BENCHMARK(search_victims)
    ->ArgNames({"nodes", "gangs", "soft"})
    ->Args({5'000, 2'000, 0})
    ->Args({5'000, 2'000, 1})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
