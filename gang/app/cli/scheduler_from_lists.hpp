#pragma once
// What a scheduler that starts now would know: for verbs that are asked when no daemon answers.

#include "config/schema.hpp"
#include "core/base/result.hpp"
#include "gang/scheduler.hpp"
#include "k8s/credentials/access.hpp"

namespace gang::app {

/// Feeds a scheduler that leads nobody with one list of each kind.
core::Result<Scheduler> scheduler_from_lists(
    const config::Schema& config, const k8s::Access& access);

}  // namespace gang::app
