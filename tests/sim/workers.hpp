#pragma once
// Seeds on several processes: each takes every k-th seed and sends what came of it through its
// pipe. A process that dies (a broken invariant, a sanitizer's report) takes only its seed with it.

#include "tests/sim/options.hpp"
#include "tests/sim/outcome.hpp"

#include <functional>

namespace sim_tool {

/// Calls `done` for each seed that has ended, in no order.
void run_all(const Options& options, const std::function<void(const Outcome&)>& done);

}  // namespace sim_tool
