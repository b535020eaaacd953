#pragma once
// How long a reflector waits before it asks again. A server that is away or busy is one matter; what
// the server sends and makes a list necessary is another: that it sends says nothing for it, so those
// pauses grow whatever comes between them.

#include "k8s/protocol/flow/backoff.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace k8s::protocol {

class ReflectorPauses {
public:
    explicit ReflectorPauses(BackoffOptions options) : backoff_(options), relist_backoff_(options) {}

    /// It was away or busy, and asked for so long a pause at least; less than 0: it asked for none.
    void back_off(std::int64_t asked_ms, std::int64_t now_ms, std::uint32_t random) {
        pause_ms_ = backoff_.failed(now_ms, random) + std::max<std::int64_t>(asked_ms, 0);
    }
    void back_off_relist(std::int64_t now_ms, std::uint32_t random) {
        pause_ms_ = relist_backoff_.failed(now_ms, random);
    }
    /// The server is there: its next failure is a first one again.
    void reset_backoff() { backoff_.reset(); }
    void set(std::int64_t ms) { pause_ms_ = ms; }
    /// What is left to wait, once.
    std::int64_t take() { return std::exchange(pause_ms_, 0); }

private:
    Backoff backoff_;
    Backoff relist_backoff_;
    std::int64_t pause_ms_ = 0;
};

}  // namespace k8s::protocol
