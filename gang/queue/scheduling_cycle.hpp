#pragma once
// One pass over those who wait, in order: who is blocked, and where.

#include "core/cluster/cluster.hpp"
#include "gang/quota/quota_gate.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace gang {

/// What one that cannot be placed is short of.
enum class WaitsFor : std::uint8_t {
    capacity,
    /// Ports alone (core/value/exclusive.hpp), or GPUs by their metrics: the rest is for those who
    /// want others, or none.
    exclusives
};

struct SchedulingCycle {
    bool blocked = false;  ///< somebody is: strict FIFO: nobody else is admitted there
    core::NodeBitmap blocked_nodes = {};  ///< where: on what those who wait could use
    /// Where for those alone who want the same to themselves, by what they want.
    std::map<core::ExtendedId, core::NodeBitmap> exclusive_nodes = {};
    core::NodeBitmap gpu_nodes = {};  ///< where for those alone who wish GPUs, whichever
    std::uint64_t blocked_state = 0;  ///< another one for each other set of them
    std::int32_t ahead = 0;           ///< gangs that are blocked so far
    /// With queues: those who wait so far, by leaf.
    std::map<QueueIndex, std::int32_t> ahead_in_queue = {};
    AwaitedQuota quota = {};          ///< limits that somebody waits for
    std::string head;                 ///< uid of the first that is blocked
    bool cut_short = false;           ///< somebody behind the head was not looked at

    /// One more waits there: its place in its line.
    std::int32_t next_position(const Lane& lane) {
        ++ahead;
        return lane.queue == no_queue ? ahead : ++ahead_in_queue[lane.queue];
    }
};

}  // namespace gang
