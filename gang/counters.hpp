#pragma once
// What the engine has counted since it began. Only ever grows; for metrics and tests.

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
    std::uint64_t label_lists = 0;            ///< ListPods asked for
    std::uint64_t capacity_written = 0;   ///< WantCapacity carried out
    std::uint64_t capacity_dropped = 0;   ///< DropCapacity carried out
    std::uint64_t capacity_refused = 0;   ///< no such kind, no right, or not accepted
    std::uint64_t capacity_failed = 0;    ///< no answer, or one that another try may change
    std::uint64_t kubelet_rejections = 0;     ///< pods of ours that a kubelet refused (OutOfcpu, ...)
};

}  // namespace gang
