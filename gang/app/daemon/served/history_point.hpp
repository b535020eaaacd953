#pragma once
// A point of the history that the page draws: gangs, and what of the nodes is bound and held, at
// one moment.

#include "gang/app/api/history.hpp"
#include "gang/scheduler.hpp"

#include <cstdint>

namespace gang::app {

/// Nodes that are gone are not in the sums.
HistoryPoint history_point(const Scheduler& scheduler, std::int64_t unix_ms);

}  // namespace gang::app
