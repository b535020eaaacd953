// What events cost in the engine: lives of whole applications, and the no-op updates of pods that
// only show another resourceVersion.

#include "tests/bench/crowd.hpp"

#include <benchmark/benchmark.h>
#include <string>

namespace {

/// An application comes, is admitted, has its executors bound and confirmed, ends and is deleted.
/// The ranges: its executors, nodes. Other applications run beside it.
void engine_life(benchmark::State& state) {
    const std::int64_t executors = state.range(0);
    crowd::Crowd world(state.range(1));
    for (int i = 0; i < 20; ++i) {
        world.run(world.make(10), 10);
    }
    for (auto _ : state) {
        const crowd::Application application = world.make(executors);
        if (!world.run(application, executors)) {
            state.SkipWithError("it did not fit");
            return;
        }
        world.end(application, executors);
    }
    // Each pod: created, answer to its bind, bound, deleted. The driver: its conf as well.
    state.SetItemsProcessed(state.iterations() * (4 * (executors + 1) + 1));
}
BENCHMARK(engine_life)
    ->ArgsProduct({{10, 100, 1'000, 1'900}, {1'000, 10'000}})
    ->Unit(benchmark::kMicrosecond);

/// The kubelet's no-op updates: a bound executor of ours with another resourceVersion.
void engine_status_of_own(benchmark::State& state) {
    crowd::Crowd world(1'000);
    const crowd::Application application = world.make(100);
    if (!world.run(application, 100)) {
        state.SkipWithError("it did not fit");
        return;
    }
    gang::StampedEvent one{0, crowd::start_ms, gang::PodUpserted{world.last_bound}};
    gang::StampedEvent other = one;
    std::get<gang::PodUpserted>(other.event).pod.resource_version = "300000000";
    for (auto _ : state) {
        world.scheduler.step(one);
        world.scheduler.step(other);
    }
    state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(engine_status_of_own);

}  // namespace
