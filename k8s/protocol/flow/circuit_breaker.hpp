#pragma once
// A circuit breaker before everything a pool of connections sends to one server. While the server
// cannot be reached at all, the breaker is open: a single probe at a time passes, after waits that
// grow: ten thousand pending pods ask a dead server no more often than one does. Any answer closes
// the breaker. No clock, no chance: both are arguments.
//
//   closed --no connection--> open --wait over--> half open --no connection--> open (longer)
//     ^------------------------------- an answer --------+

#include "k8s/protocol/flow/backoff.hpp"

#include <cstdint>

namespace k8s::protocol {

class CircuitBreaker {
public:
    explicit CircuitBreaker(BackoffOptions options) : backoff_(options) {}

    /// 0: send now (and then say how it went). Else wait so long and ask again.
    std::int64_t wait_ms(std::int64_t now_ms);
    /// Something came back, whatever it says.
    void answered();
    /// No connection could be made. False if that was known already.
    bool unreachable(std::int64_t now_ms, std::uint32_t random);

    bool is_closed() const { return is_closed_; }

private:
    Backoff backoff_;
    std::int64_t until_ms_ = 0;  ///< while open: the next probe; while half open: its last moment
    bool is_closed_ = true;
    bool is_half_open_ = false;
};

}  // namespace k8s::protocol
