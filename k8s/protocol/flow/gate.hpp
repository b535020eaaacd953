#pragma once
// One gate before everything a pool of connections sends to one server. While the server cannot be
// reached at all, a single probe at a time passes, after waits that grow: ten thousand pending pods
// ask a dead server no more often than one does. Any answer opens the gate. No clock, no chance:
// both are arguments.
//
//   open --no connection--> closed --wait over--> probing --no connection--> closed (longer)
//     ^------------------------------ an answer ------+

#include "k8s/protocol/flow/backoff.hpp"

#include <cstdint>

namespace k8s::protocol {

class Gate {
public:
    explicit Gate(BackoffOptions options) : backoff_(options) {}

    /// 0: send now (and then say how it went). Else wait so long and ask again.
    std::int64_t wait_ms(std::int64_t now_ms);
    /// Something came back, whatever it says.
    void answered();
    /// No connection could be made. False if that was known already.
    bool unreachable(std::int64_t now_ms, std::uint32_t random);

    bool is_open() const { return is_open_; }

private:
    Backoff backoff_;
    std::int64_t until_ms_ = 0;  ///< while closed: the next probe; while probing: its last moment
    bool is_open_ = true;
    bool is_probing_ = false;
};

}  // namespace k8s::protocol
