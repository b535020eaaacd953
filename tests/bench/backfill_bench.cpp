// A pass of backfill: the head's instant by a forward run over everybody who runs, and who may pass.

#include "tests/bench/crowd.hpp"

#include <benchmark/benchmark.h>
#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

config::Schema with_backfill() {
    config::Schema schema;
    schema.backfill.mode = config::BackfillMode::easy;
    return schema;
}

/// A cluster almost full of gangs that each say how long they run, and a head that fits only when
/// many of them have ended.
class Backfilled {
public:
    Backfilled(std::int64_t nodes, std::int64_t gangs) : crowd_(nodes, true, with_backfill()) {
        const std::int64_t executors = 15;
        const std::int64_t cores = nodes * 64 * 94 / 100 / gangs / executors;
        for (std::int64_t i = 0; i < gangs; ++i) {
            submit(i, executors, cores, 10 + i * 7919 % 600);
            for (const gang::BindPod& bind : crowd_.tick()) {
                crowd_.confirm(last_, bind);
            }
        }
        submit(gangs, 1'990, nodes * 64 / 4 / 1'990, 30);
        rest();
    }

    /// The longest tick after one of those who wait has come or gone.
    double change(std::int64_t number) {
        submit(1'000'000 + number, 30, 1, 5'000);
        return rest();
    }

private:
    void submit(std::int64_t i, std::int64_t executors, std::int64_t cores, std::int64_t minutes) {
        crowd::Application application = crowd_.make(executors);
        last_ = application.driver;
        last_.created = crowd::start_ms / 1000 + i;
        last_.annotations = {
            {"gang-scheduler/expected-duration", std::to_string(minutes) + "m"}};
        crowd_.step(gang::PodUpserted{last_});
        crowd_.step(gang::SparkConfFound{
            last_.uid,
            tests::with(
                tests::conf(executors),
                "spark.kubernetes.executor.request.cores",
                std::to_string(cores))});
    }

    double rest() {
        double worst = 0;
        for (int i = 0; i < 3'000; ++i) {
            const auto start = Clock::now();
            crowd_.tick();
            worst = std::max(worst, seconds_since(start));
        }
        return worst;
    }

    crowd::Crowd crowd_;
    core::Pod last_;
};

void backfill_pass(benchmark::State& state) {
    Backfilled cluster(state.range(0), state.range(1));
    std::int64_t number = 0;
    for ([[maybe_unused]] auto unused : state) {
        state.SetIterationTime(cluster.change(++number));
    }
}
BENCHMARK(backfill_pass)
    ->ArgNames({"nodes", "gangs"})
    ->Args({5'000, 2'000})
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
