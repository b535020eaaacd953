#pragma once
// What the engine has counted since it began. Only ever grows; for metrics and tests.

#include "gang/decision.hpp"
#include "gang/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gang {

/// How far from the truth the first expected start was that a gang was told.
struct StartErrors {
    static constexpr std::array<std::int64_t, 8> bounds_ms = {
        10'000, 30'000, 60'000, 120'000, 300'000, 900'000, 3'600'000, 14'400'000};
    std::array<std::uint64_t, bounds_ms.size() + 1> buckets{};  ///< each up to its bound; the rest
    std::int64_t sum_ms = 0;

    void add(std::int64_t error_ms) {
        std::size_t bucket = 0;
        while (bucket < bounds_ms.size() && error_ms > bounds_ms[bucket]) ++bucket;
        ++buckets[bucket];
        sum_ms += error_ms;
    }
    friend bool operator==(const StartErrors&, const StartErrors&) = default;
};

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
    std::uint64_t backfilled = 0;       ///< gangs admitted before others that wait for room
    std::uint64_t broken_promises = 0;  ///< gangs that ran too long while others waited
    StartErrors start_errors;
    std::uint64_t label_lists = 0;            ///< ListPods asked for
    /// Answers to WriteGroupStatus, by GroupStatusOutcome.
    std::array<std::uint64_t, group_status_outcome_count> group_statuses = {};
    std::uint64_t capacity_written = 0;   ///< WantCapacity carried out
    std::uint64_t capacity_dropped = 0;   ///< DropCapacity carried out
    std::uint64_t capacity_refused = 0;   ///< no such kind, no right, or not accepted
    std::uint64_t capacity_failed = 0;    ///< no answer, or one that another try may change
    std::uint64_t quotas_asked = 0;       ///< FetchQuotas sent
    std::uint64_t quotas_unreadable = 0;  ///< answered by QuotasMissing
    std::uint64_t extenders_asked = 0;    ///< AskExtenders sent
    std::uint64_t extenders_failed = 0;   ///< answered with a problem
    std::uint64_t kubelet_rejections = 0;     ///< pods of ours that a kubelet refused (OutOfcpu, ...)
    /// Slots beyond the minimum that gangs lost to others, by EvictReason.
    std::array<std::uint64_t, evict_reason_count> soft_slots_given_up = {};
};

}  // namespace gang
