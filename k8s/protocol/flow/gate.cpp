#include "k8s/protocol/flow/gate.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {
constexpr std::int64_t probe_ms_max = 15'000;  // a probe that was cancelled tells nobody
constexpr std::int64_t look_again_ms = 500;    // while somebody else's probe is out
}  // namespace

std::int64_t Gate::wait_ms(std::int64_t now_ms) {
    if (is_open_) return 0;
    if (now_ms < until_ms_) {
        return is_probing_ ? std::min(until_ms_ - now_ms, look_again_ms) : until_ms_ - now_ms;
    }
    is_probing_ = true;
    until_ms_ = now_ms + probe_ms_max;
    return 0;
}

void Gate::answered() {
    is_open_ = true;
    is_probing_ = false;
    backoff_.reset();
}

// What was under way when the gate closed fails too, and says nothing new.
bool Gate::unreachable(std::int64_t now_ms, std::uint32_t random) {
    if (!is_open_ && !is_probing_) return false;
    const bool is_news = is_open_;
    is_open_ = false;
    is_probing_ = false;
    until_ms_ = now_ms + backoff_.failed(now_ms, random);
    return is_news;
}

}  // namespace k8s::protocol
