#pragma once
// What a turn of the enqueuer is decided from, as the scheduler and its configuration say it.

#include "config/schema.hpp"
#include "gang/app/daemon/volcano/enqueuer.hpp"
#include "gang/scheduler.hpp"

#include <cstdint>

namespace gang::app {

/// `config` is the one that the scheduler goes by. The scheduler outlives the view.
EnqueueView enqueue_view(
    const Scheduler& scheduler, const config::Schema& config, std::int64_t unix_ms);

}  // namespace gang::app
