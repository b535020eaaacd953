#pragma once
// How many writes may be in flight to one server at once. We have no rate of our own: the server's
// answers say how much it can take. No clock, no sockets: time is an argument.
//
//   In rounds of some dozens of answered writes, only while more wait than the limit lets out:
//
//             +-- worth it: further --+
//             v                       |
//   settled --+-> raised  ------------+--> not worth it: back, settled
//             +-> lowered ------------+--> it costs throughput: back, settled
//
//   Raising is worth it while the latency stays near its floor (nobody queues at the server), or
//   when throughput rises by at least an eighth of what the limit rose by. Lowering is kept when
//   throughput falls by less than that. So where latency rises without more throughput, the limit
//   shrinks to where it does not.
//
//   A server that asks us to come back later (429), or does not answer in time, halves the limit,
//   once for all that was in flight then; from there on it is raised by one a round. At the minimum
//   a 429 stops all writes for as long as the server asks.

#include <cstdint>

namespace k8s::protocol {

struct ConcurrencyLimiterOptions {
    std::int32_t min = 1;
    std::int32_t start = 16;
    std::int32_t max = 64;
};

inline constexpr std::int64_t limiter_hold_ms_max = 10'000;

class ConcurrencyLimiter {
public:
    /// min <= start <= max is made true.
    explicit ConcurrencyLimiter(ConcurrencyLimiterOptions options);

    std::int32_t size() const { return size_; }

    /// Nothing may be sent for so long; 0: up to size() may be in flight.
    std::int64_t hold_ms(std::int64_t now_us) const;

    /// A write was answered, whatever else the answer says. `is_full`: until now as many were in
    /// flight as were allowed, and more wait. Only such times say what a larger limit would give.
    void answered(std::int64_t sent_us, std::int64_t now_us, bool is_full);

    /// 429, or 503 with Retry-After; -1: the server did not say for how long.
    void throttled(std::int64_t sent_us, std::int64_t now_us, std::int64_t retry_after_ms);

    /// No answer in time.
    void unanswered(std::int64_t sent_us, std::int64_t now_us);

private:
    enum class State : std::uint8_t { settled, raised, lowered };
    struct Round {
        std::int64_t began_us = 0;
        std::int64_t calls = 0;
        std::int64_t latency_us = 0;  ///< of all calls together
    };
    /// Throughput with another size, to compare with; rate 0: not known.
    struct Reference {
        std::int32_t size = 0;
        std::int64_t rate = 0;  ///< writes per 1000 s
    };

    void note_latency(std::int64_t latency_us);
    void end_round(std::int64_t now_us);
    void judge(std::int64_t rate, bool is_near_floor);
    void settle(std::int32_t size, std::int32_t rounds);
    void raise(std::int64_t rate);
    void lower(std::int32_t to, std::int64_t rate);
    bool cut(std::int64_t sent_us, std::int64_t now_us);

    ConcurrencyLimiterOptions options_;
    std::int32_t size_;
    std::int32_t fast_max_;   ///< beyond it the limit is raised by one at a time
    std::int64_t cut_at_us_;  ///< what was sent before knows nothing of the last cut
    std::int64_t hold_until_us_;
    State state_ = State::settled;
    bool raise_next_ = true;
    std::int32_t cooldown_ = 0;  ///< rounds until the next try
    Round round_;
    Reference before_;
    std::int64_t floor_us_ = 0;  ///< the lowest latency, which slowly loses its force; 0: none yet
    std::int32_t epoch_rounds_ = 0;
};

}  // namespace k8s::protocol
