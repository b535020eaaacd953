#pragma once
// The time as one process reads it off the clock of its machine. Its Unix time is steady from the
// start of the process on, whatever happens to the wall clock.

#include "gang/sim/base/clock.hpp"

#include <cstdint>

namespace gang::sim {

class LocalTime {
public:
    /// `now_ms`: the true time, which goes on. Both outlive this.
    LocalTime(const std::int64_t& now_ms, const Clock& clock)
        : now_ms_(now_ms),
          clock_(clock),
          mono_begin_(clock.mono(now_ms)),
          unix_begin_(clock.wall(now_ms)) {}

    std::int64_t mono() const { return clock_.mono(now_ms_); }
    std::int64_t wall() const { return clock_.wall(now_ms_); }
    /// As its events are stamped.
    std::int64_t unix_ms() const { return unix_begin_ + mono() - mono_begin_; }
    /// The true time when this clock has gone on by so much.
    std::int64_t true_ms_after(std::int64_t ms) const { return now_ms_ + clock_.to_true(ms); }
    bool was_right_since(std::int64_t then_ms) const { return clock_.was_right_since(then_ms); }

private:
    const std::int64_t& now_ms_;
    const Clock& clock_;
    std::int64_t mono_begin_;
    std::int64_t unix_begin_;
};

}  // namespace gang::sim
