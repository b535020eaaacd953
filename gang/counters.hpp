#pragma once
// What the engine has counted since it began. Only ever grows; for metrics and tests.

#include "gang/decision.hpp"
#include "gang/event.hpp"

#include <array>
#include <cstdint>

namespace gang {

struct Counters {
    std::uint64_t placements = 0;                 ///< searches for room, over all nodes each
    std::uint64_t attempts = 0;                   ///< of waiting gangs, to be admitted or refused
    std::uint64_t refreshes = 0;                  ///< of waiting gangs, for their place and reason
    std::uint64_t sentences = 0;  ///< made for waiting gangs
    std::uint64_t reservations_rewritten = 0;     ///< UpdateReservation sent
    std::uint64_t reservation_writes_failed = 0;  ///< answered `changed` or `failed`
    std::uint64_t reservations_disputed = 0;  ///< annotations that somebody else had changed
    /// Answers to EvictPod, by EvictReason and EvictOutcome.
    std::array<std::array<std::uint64_t, evict_outcome_count>, evict_reason_count> evictions = {};
    std::uint64_t victim_searches = 0;  ///< for whom to evict
    std::uint64_t label_lists = 0;            ///< ListPods asked for
    std::uint64_t kubelet_rejections = 0;     ///< pods of ours that a kubelet refused (OutOfcpu, ...)
};

}  // namespace gang
