#pragma once
// What the engine holds, added up: numbers for metrics, no names of anybody.

#include "gang/explain.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gang {

inline constexpr std::size_t gang_state_count = static_cast<std::size_t>(GangState::ended) + 1;
inline constexpr std::size_t reason_code_count = static_cast<std::size_t>(last_reason_code) + 1;

/// Unbound pods of ours, told apart as the default scheduler's metrics do.
struct PendingPods {
    std::int64_t active = 0;         ///< to be looked at, or their bind is on its way
    std::int64_t backoff = 0;        ///< a write failed and is tried again after a pause
    std::int64_t unschedulable = 0;  ///< looked at, and nothing was found for them yet
    std::int64_t gated = 0;          ///< scheduling gates, or the gang's size is not known yet
    friend bool operator==(const PendingPods&, const PendingPods&) = default;
};

struct Totals {
    std::array<std::int64_t, gang_state_count> gangs{};           ///< by GangState
    std::array<std::int64_t, reason_code_count> pending_gangs{};  ///< by ReasonCode
    PendingPods pending_pods;
    std::int64_t slots_open = 0;
    std::int64_t slots_assumed = 0;
    std::int64_t slots_bound = 0;  ///< draining ones included
    std::int64_t slots_unplaced = 0;
    std::int64_t open_cpu_milli = 0;     ///< of open slots: reserved, and nobody runs there yet
    std::int64_t open_memory_bytes = 0;  ///< likewise
    std::int64_t idle_milli_ms = 0;      ///< open_cpu_milli over time, summed up while we lead
    /// How long the gang that has waited longest has waited; gangs that can never run as they are
    /// (can_never_run()) left out. 0: none waits.
    std::int64_t oldest_waiting_ms = 0;
    /// The longest that executors of one running gang have been missing, since the last of them
    /// came or went. 0: none are missing.
    std::int64_t oldest_open_slot_ms = 0;
    std::int64_t stuck_drivers = 0;  ///< bound, and not running since (gang.neverRunning.after)
    std::int64_t nodes = 0;
    std::int64_t capacity_requests = 0;  ///< gangs for which an autoscaler is being asked
    std::int64_t fence_outstanding = 0;  ///< pods that a new leader has still to write to
    friend bool operator==(const Totals&, const Totals&) = default;
};

}  // namespace gang
