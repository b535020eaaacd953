#pragma once
// Where events wait for the scheduler, and where it is decided when to plan. No clock and no
// sockets: the daemon asks next() with the time and steps whatever comes out.
//
// A Tick comes out when the inbox has run dry after events, when a burst has been going on for
// tick_after_ms or tick_after_events, and when a wake time is due. So a burst is one plan, and a
// flood of events cannot put planning off for ever.
//
// Bound: from `full` waiting events on is_full() says that the reading of watches must stop; it may
// go on below half of that. Answers to our own writes are always taken: their number is bounded by
// the writer's.

#include "gang/event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace gang {

struct InboxLimits {
    std::size_t full = 65'536;
    std::size_t tick_after_events = 4'096;
    std::int64_t tick_after_ms = 5;
};

class Inbox {
public:
    explicit Inbox(InboxLimits limits = InboxLimits()) : limits_(limits) {}

    void push(Event event);

    /// The earliest wake time asked for stays in force until its Tick has come out.
    void wake_at(std::int64_t time_ms);

    /// Whether next() has something at this time.
    bool has_work(std::int64_t now_ms) const;

    /// The next event for the scheduler, numbered, its time never before the last one's.
    StampedEvent next(std::int64_t now_ms);

    /// When to look again although nothing is pushed.
    std::optional<std::int64_t> wake_time() const { return wake_ms_; }

    /// Whether the reading of watches should pause now.
    bool is_full();

    std::size_t waiting() const { return events_.size(); }

private:
    bool tick_is_due(std::int64_t now_ms) const;

    InboxLimits limits_;
    std::deque<Event> events_;
    std::size_t since_tick_ = 0;            ///< events that came out since the last Tick
    std::int64_t first_since_tick_ms_ = 0;  ///< when the first of them did
    std::optional<std::int64_t> wake_ms_;
    std::uint64_t sequence_ = 0;
    std::int64_t last_ms_ = 0;
    bool full_ = false;
};

}  // namespace gang
