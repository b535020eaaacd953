#pragma once
// The clocks of one machine: a monotonic one that may run too fast or too slow, and a wall clock
// that may be wrong by any amount. The model's own time is the true one.

#include <cstdint>

namespace gang::sim {

inline constexpr std::int64_t unix_begin_ms = 1'800'000'000'000;

class Clock {
public:
    std::int64_t mono(std::int64_t now_ms) const {
        return local_ms_ + (now_ms - true_ms_) * rate_permille_ / 1'000;
    }
    std::int64_t wall(std::int64_t now_ms) const { return unix_begin_ms + now_ms + wrong_by_ms_; }
    /// So long a time on this clock takes so long in truth, at least 1 ms.
    std::int64_t to_true(std::int64_t local_ms) const {
        const std::int64_t ms = (local_ms * 1'000 + rate_permille_ - 1) / rate_permille_;
        return ms < 1 ? 1 : ms;
    }
    void set_rate(std::int64_t now_ms, std::int64_t permille) {
        local_ms_ = mono(now_ms);
        true_ms_ = now_ms;
        rate_permille_ = permille;
    }
    void jump(std::int64_t ms) { wrong_by_ms_ += ms; }
    void set_right() { wrong_by_ms_ = 0; }
    bool is_right() const { return rate_permille_ == 1'000; }
    /// Also at every moment since then.
    bool was_right_since(std::int64_t then_ms) const { return is_right() && true_ms_ <= then_ms; }

private:
    std::int64_t local_ms_ = 1'000'000;
    std::int64_t true_ms_ = 0;
    std::int64_t rate_permille_ = 1'000;
    std::int64_t wrong_by_ms_ = 0;
};

}  // namespace gang::sim
