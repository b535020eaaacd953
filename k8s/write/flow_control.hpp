#pragma once
// FlowControl: how much a writer may send now, from what the API server has answered so far. No
// sockets, no clock: how many may be in flight is protocol/flow/concurrency_limiter.hpp, whether
// the server can be reached at all is protocol/flow/circuit_breaker.hpp.

#include "k8s/base/http.hpp"
#include "k8s/protocol/flow/circuit_breaker.hpp"
#include "k8s/protocol/flow/concurrency_limiter.hpp"
#include "k8s/write/writer_context.hpp"

#include <cstddef>
#include <cstdint>

namespace k8s {

class FlowControl {
public:
    explicit FlowControl(WriterContext& context);

    /// So many writes may be in flight at once.
    std::size_t allowed() const { return static_cast<std::size_t>(limiter_.size()); }
    /// Nothing may be sent for so long, as the server asked; 0: allowed() may be.
    std::int64_t hold_ms(std::int64_t now_us) const { return limiter_.hold_ms(now_us); }
    /// The server cannot be reached: wait so long and ask again. 0: send now. One of all who ask
    /// may find out whether that is over.
    std::int64_t breaker_wait_ms(std::int64_t now_ms) { return breaker_.wait_ms(now_ms); }

    /// Whether the server is there.
    void note_reply(const Reply& reply, std::int64_t now_ms);
    /// Whoever is asked to come back later, all of us are. True: that was the reply.
    bool note_throttling(const Reply& reply, std::int64_t sent_us, std::int64_t now_us);
    // Only writes are compared with each other.
    /// `is_full`: as many as allowed were in flight, and more wait.
    void note_answered(std::int64_t sent_us, std::int64_t now_us, bool is_full) {
        limiter_.answered(sent_us, now_us, is_full);
    }
    void note_unanswered(std::int64_t sent_us, std::int64_t now_us) {
        limiter_.unanswered(sent_us, now_us);
    }

private:
    WriterContext& context_;
    protocol::CircuitBreaker breaker_;
    protocol::ConcurrencyLimiter limiter_;
};

}  // namespace k8s
