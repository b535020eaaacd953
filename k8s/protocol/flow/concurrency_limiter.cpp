#include "k8s/protocol/flow/concurrency_limiter.hpp"

#include <algorithm>
#include <limits>

namespace k8s::protocol {
namespace {

constexpr std::int64_t us_per_ms = 1'000;
constexpr std::int64_t rate_scale = 1'000'000'000;  // calls per us -> per 1000 s
constexpr std::int64_t calls_per_slot = 8;          // of a round: so often each slot is used
constexpr std::int64_t round_calls_min = 32;        // fewer tell chance from throughput too badly
constexpr std::int64_t round_calls_max = 256;
constexpr std::int64_t near_floor = 2;     // times the lowest latency: hardly anybody queues there
constexpr std::int64_t worth = 8;          // a limit larger by a third must give a 24th more
constexpr std::int32_t cooldown_rounds = 8;  // between two tries that did not help
constexpr std::int32_t epoch_rounds = 64;  // then an old 429 is forgotten
constexpr std::int64_t floor_drift = 16;   // per epoch: a server that has moved away is noticed
constexpr std::int64_t hold_ms_default = 1'000;
constexpr std::int64_t long_ago = std::numeric_limits<std::int64_t>::min();

std::int64_t calls_of_round(std::int32_t size) {
    return std::clamp(calls_per_slot * size, round_calls_min, round_calls_max);
}

}  // namespace

ConcurrencyLimiter::ConcurrencyLimiter(ConcurrencyLimiterOptions options)
    : options_(options), cut_at_us_(long_ago), hold_until_us_(long_ago) {
    options_.min = std::max(options_.min, 1);
    options_.max = std::max(options_.max, options_.min);
    size_ = std::clamp(options_.start, options_.min, options_.max);
    fast_max_ = options_.max;
}

std::int64_t ConcurrencyLimiter::hold_ms(std::int64_t now_us) const {
    if (now_us >= hold_until_us_) return 0;
    return (hold_until_us_ - now_us + us_per_ms - 1) / us_per_ms;
}

void ConcurrencyLimiter::note_latency(std::int64_t latency_us) {
    const std::int64_t latency = std::max<std::int64_t>(latency_us, 1);
    floor_us_ = floor_us_ == 0 ? latency : std::min(floor_us_, latency);
}

void ConcurrencyLimiter::answered(std::int64_t sent_us, std::int64_t now_us, bool is_full) {
    note_latency(now_us - sent_us);
    // What was sent with another limit, or while there was little to do, would be judged wrongly.
    if (!is_full || round_.calls == 0) round_ = Round{now_us, 0, 0};
    if (!is_full) return;
    ++round_.calls;
    round_.latency_us += now_us - sent_us;
    // The first call only begins the round's time.
    if (round_.calls > calls_of_round(size_) && now_us > round_.began_us) end_round(now_us);
}

void ConcurrencyLimiter::end_round(std::int64_t now_us) {
    const std::int64_t rate =
        std::max<std::int64_t>((round_.calls - 1) * rate_scale / (now_us - round_.began_us), 1);
    const std::int64_t latency = round_.latency_us / round_.calls;
    round_ = Round{};
    judge(rate, latency <= floor_us_ * near_floor);
    if (++epoch_rounds_ < epoch_rounds) return;
    epoch_rounds_ = 0;
    fast_max_ = options_.max;
    floor_us_ += floor_us_ / floor_drift;
}

void ConcurrencyLimiter::judge(std::int64_t rate, bool is_near_floor) {
    // Of a change of the limit, so much must show in the throughput to be worth it.
    const std::int64_t change = (size_ - before_.size);
    const bool is_more =
        rate * worth * before_.size >= before_.rate * (worth * before_.size + change);
    switch (state_) {
        case State::raised:
            if (is_near_floor || is_more) return raise(rate);
            raise_next_ = false;
            return settle(before_.size, cooldown_rounds);
        case State::lowered:
            if (is_more) return lower(size_ * 2 / 3, rate);
            raise_next_ = true;
            return settle(before_.size, cooldown_rounds);
        case State::settled:
            break;
    }
    if (before_.rate > 0 && rate < before_.rate / 2) return lower(size_ / 2, rate);
    before_.rate = before_.rate == 0 ? rate : (before_.rate * 3 + rate) / 4;
    before_.size = size_;
    if (--cooldown_ > 0) return;
    if (is_near_floor || raise_next_) return raise(rate);
    lower(size_ * 2 / 3, rate);
}

void ConcurrencyLimiter::settle(std::int32_t size, std::int32_t rounds) {
    state_ = State::settled;
    size_ = size;
    cooldown_ = rounds;
}

void ConcurrencyLimiter::raise(std::int64_t rate) {
    before_ = Reference{size_, rate};
    const std::int32_t fast = std::min(std::max(size_ * 3 / 2, size_ + 1), fast_max_);
    const std::int32_t to = std::min(std::max(fast, size_ + 1), options_.max);
    if (to == size_) {
        raise_next_ = false;
        return settle(size_, cooldown_rounds);
    }
    state_ = State::raised;
    size_ = to;
}

void ConcurrencyLimiter::lower(std::int32_t to, std::int64_t rate) {
    before_ = Reference{size_, rate};
    if (std::max(to, options_.min) == size_) {
        raise_next_ = true;
        return settle(size_, cooldown_rounds);
    }
    state_ = State::lowered;
    size_ = std::max(to, options_.min);
}

// Halves once for all that is in flight. False: this call knows nothing that is not known.
bool ConcurrencyLimiter::cut(std::int64_t sent_us, std::int64_t now_us) {
    if (sent_us < cut_at_us_) return false;
    cut_at_us_ = now_us;
    round_ = Round{};
    before_ = Reference{};
    raise_next_ = true;
    settle(std::max(size_ / 2, options_.min), 0);
    fast_max_ = size_;
    epoch_rounds_ = 0;
    return true;
}

void ConcurrencyLimiter::throttled(
    std::int64_t sent_us, std::int64_t now_us, std::int64_t retry_after_ms) {
    const bool was_least = size_ == options_.min;
    if (!cut(sent_us, now_us) || !was_least) return;
    const std::int64_t asked = retry_after_ms < 0 ? hold_ms_default : retry_after_ms;
    hold_until_us_ = now_us + std::min(asked, limiter_hold_ms_max) * us_per_ms;
}

void ConcurrencyLimiter::unanswered(std::int64_t sent_us, std::int64_t now_us) {
    cut(sent_us, now_us);
}

}  // namespace k8s::protocol
