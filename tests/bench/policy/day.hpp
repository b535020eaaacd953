#pragma once
// Plays a day of jobs through the scheduler, with a clock of its own: drivers come, what the
// scheduler binds runs, ends after its time, and its room is free again. Executors do not come: what
// a gang has reserved it holds, and that is all that matters to who starts when.

#include "config/schema.hpp"
#include "tests/bench/policy/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace policy {

struct DayReport {
    std::size_t done = 0;
    std::size_t left = 0;  ///< that never started
    double used = 0;       ///< of the nodes' memory, on average from the first to the last submission
    double mean_wait_s = 0;
    double p95_wait_s = 0;
    double longest_wait_s = 0;
    double slowdown = 0;        ///< mean of (wait + run) / max(run, 60 s)
    double fairness_error = 0;  ///< FairnessMeter
    double worst_queue = 0;
    std::uint64_t backfilled = 0;
    std::uint64_t broken_promises = 0;
    double cpu_s = 0;  ///< that the scheduler took for the day
};

DayReport play(const TraceOptions& options, const std::vector<Job>& day, config::Schema schema);

}  // namespace policy
