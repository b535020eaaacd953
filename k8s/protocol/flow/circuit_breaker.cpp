#include "k8s/protocol/flow/circuit_breaker.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {
constexpr std::int64_t probe_ms_max = 15'000;  // a probe that was cancelled tells nobody
constexpr std::int64_t look_again_ms = 500;    // while somebody else's probe is out
}  // namespace

std::int64_t CircuitBreaker::wait_ms(std::int64_t now_ms) {
    if (is_closed_) return 0;
    if (now_ms < until_ms_) {
        return is_half_open_ ? std::min(until_ms_ - now_ms, look_again_ms) : until_ms_ - now_ms;
    }
    is_half_open_ = true;
    until_ms_ = now_ms + probe_ms_max;
    return 0;
}

void CircuitBreaker::answered() {
    is_closed_ = true;
    is_half_open_ = false;
    backoff_.reset();
}

// What was under way when the breaker opened fails too, and says nothing new.
bool CircuitBreaker::unreachable(std::int64_t now_ms, std::uint32_t random) {
    if (!is_closed_ && !is_half_open_) return false;
    const bool is_change = is_closed_;
    is_closed_ = false;
    is_half_open_ = false;
    until_ms_ = now_ms + backoff_.failed(now_ms, random);
    return is_change;
}

}  // namespace k8s::protocol
