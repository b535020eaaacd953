#pragma once
// The requests of replicas that are on their way, there or back, and what becomes of them: lost,
// late, refused, answered slowly, given up by the client.
//
//   send() -> arrive: refused or carried out -> answered(), or timed_out() and given up
//
// A late request is carried out although nobody waits for it. Its place is used again only when
// both its ends are over, so a number never means two calls.

#include "gang/sim/base/call.hpp"

#include <cstdint>
#include <vector>

namespace gang::sim {

struct World;

class Calls {
public:
    explicit Calls(World& world) : world_(world) {}

    /// The answer, or that there is none, comes to the replica. Its number.
    std::uint32_t send(Call call);
    /// At its server.
    void arrive(std::uint32_t id);
    /// At its replica.
    void answered(std::uint32_t id);
    void timed_out(std::uint32_t id);
    /// The client closes the connection: what it has asked may still be carried out.
    void give_up(std::uint32_t id);
    /// A process has ended: nobody waits for what it has asked.
    void forget_replica(std::uint32_t replica);
    std::uint32_t replica_of(std::uint32_t id) const { return calls_[id].replica; }

private:
    void set_out(std::uint32_t id);
    bool is_refused(std::uint32_t id);
    void send_answer(std::uint32_t id);
    void answer(std::uint32_t id, std::int64_t after_ms);
    void fail(std::uint32_t id, int status, std::int64_t retry_after_ms = -1);
    void lose(std::uint32_t id, bool maybe_sent, std::int64_t after_ms);
    void leave_unanswered(std::uint32_t id);
    bool is_awaited(std::uint32_t id);
    void hand_over(std::uint32_t id);
    void release(std::uint32_t id);

    World& world_;
    std::vector<Call> calls_;
    std::vector<std::uint32_t> free_;
};

}  // namespace gang::sim
