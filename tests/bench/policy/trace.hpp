#pragma once
// A day of Spark applications in queues: who submits what, when, and how long it runs. Sizes are those
// of spark-mix; the rest is our own choice as well. Same seed, same day.

#include "tests/bench/scale/spark_mix.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace policy {

struct TraceOptions {
    std::uint64_t seed = 1;
    std::size_t queues = 40;
    std::int64_t nodes = 1'000;     ///< of 64 cores and 256 GiB
    std::int64_t seconds = 86'400;
    double load = 1.0;              ///< of what the nodes could do in that time, in memory
    std::int64_t executors_max = 500;
};

struct Job {
    std::int64_t at_s = 0;
    std::size_t queue = 0;
    std::size_t application = 0;  ///< of its queue: those of one number run about as long
    scale::SparkSize size;
    std::int64_t run_s = 0;  ///< from its admission to its end
};

/// Weights 1 to 4 by turns.
std::int64_t weight_of(std::size_t queue);

/// By time. Each queue has its busy hours, and now and then submits many at once.
std::vector<Job> draw_day(const TraceOptions& options);

}  // namespace policy
