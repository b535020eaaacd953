#pragma once
// What wakes the parts of one process: happenings in the queue of the world, each with the life
// that it is meant for. Times are durations on the clock of the process, unless it is said
// otherwise. A turn is planned once at a time, and a tick only if it is earlier than the one that
// is planned.

#include "gang/sim/base/event_queue.hpp"
#include "gang/sim/replica/local_time.hpp"

#include <cstdint>

namespace gang::sim {

struct World;

class Wakeups {
public:
    Wakeups(World& world, const LocalTime& time, std::uint32_t replica, std::uint32_t life)
        : world_(world), time_(time), replica_(replica), life_(life) {}

    /// At once: what waits in the host is worked off.
    void turn();
    void turn_begins() { turn_is_planned_ = false; }
    /// The turn before it had more to do than one may.
    void next_turn();
    bool is_turn_planned() const { return turn_is_planned_; }
    /// `unix_ms`: on the clock of the process.
    void tick(std::int64_t unix_ms);

    void watcher(bool is_of_nodes, std::int64_t ms, std::uint32_t serial);
    void elector(std::int64_t ms, std::uint32_t serial);
    void writer(std::int64_t ms, std::uint32_t tag);
    void volume_client(std::int64_t ms, std::uint32_t what);
    /// At once, when what happens now is over.
    void demand_client();
    /// After so long in truth.
    void pod_lister(std::int64_t true_ms);
    void end_of_drain(std::int64_t ms);

private:
    void plan(std::int64_t at_ms, Happening what);
    void plan_part(std::int64_t ms, Happening what, std::uint32_t whose, std::uint32_t serial);

    World& world_;
    const LocalTime& time_;
    std::uint32_t replica_;
    std::uint32_t life_;
    std::int64_t tick_ms_ = -1;  ///< in truth, when the newest that was planned is due
    bool turn_is_planned_ = false;
};

}  // namespace gang::sim
