#include "k8s/protocol/flow/backoff.hpp"

#include <algorithm>

namespace k8s::protocol {

std::int64_t with_jitter(std::int64_t ms, std::uint32_t random) {
    constexpr std::int64_t steps = 1'000;
    return ms + ms * static_cast<std::int64_t>(random % (steps + 1)) / steps;
}

std::int64_t Backoff::failed(std::int64_t now_ms, std::uint32_t random) {
    if (now_ms - until_ms_ >= options_.forget_after_ms) reset();
    const std::int64_t delay = with_jitter(next_ms_, random);
    next_ms_ = std::min(next_ms_ * 2, options_.ms_max);
    until_ms_ = now_ms + delay;
    return delay;
}

}  // namespace k8s::protocol
