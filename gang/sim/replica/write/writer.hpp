#pragma once
// All that one process writes, and the config maps it reads: the product's own queue, versions and
// machines (WriteQueue, PodVersions, Bind, StatusWrite, CircuitBreaker) over a few connections.
// What k8s/write/writer_pool.cpp does with sockets and timers is done here with calls and
// happenings of the virtual world; its limiter is not here, the number of connections is fixed.

#include "gang/decision.hpp"
#include "gang/sim/base/call.hpp"
#include "gang/sim/replica/write/pending_writes.hpp"
#include "gang/sim/replica/write/write_authors.hpp"
#include "gang/sim/replica/write/write_machine.hpp"
#include "k8s/protocol/flow/circuit_breaker.hpp"
#include "k8s/protocol/write/answer_order.hpp"
#include "k8s/protocol/write/pod_versions.hpp"
#include "k8s/protocol/write/write_queue.hpp"

#include <cstdint>
#include <string>

namespace gang::sim {

class Process;
struct World;

class Writer {
public:
    Writer(World& world, Process& process);

    /// `author`: who decided it, and what was seen then.
    void bind(const BindPod& decision, const Author& author);
    void set_condition(const SetCondition& decision);
    void update_reservation(const UpdateReservation& decision);
    void evict(const EvictPod& decision);
    void fetch(const FetchSparkConf& decision);

    void answered(const Call& call);
    /// `tag`: as it was given to Wakeups::writer().
    void wakes(std::uint32_t tag);
    /// Takes nothing new and forgets what nobody waits for. Process::drained() when the rest is
    /// over.
    void stop();
    /// What is not over yet is not waited for any longer.
    void cut_off();
    /// Awaited patches that were given up and may still reach their pod.
    std::uint64_t patches_unsettled() const { return patches_unsettled_; }
    /// Nothing waits and nothing is under way.
    bool is_idle() const { return writes_.empty() && queue_.size() == 0; }

    static constexpr std::uint32_t first_ticket = 3;

private:
    void patch(const std::string& uid, k8s::StatusPatch what);
    void asked(const std::string& uid, WriteAuthors::Kind kind, const Author& author);
    void dispatch();
    void begin(std::uint32_t id);
    void go_on(std::uint32_t id);
    void proceed(std::uint32_t id, WriteStep step);
    void attempt(std::uint32_t id, Operation operation);
    void wait(std::uint32_t id, std::int64_t ms);
    void no_answer(std::uint32_t id, bool maybe_sent, const std::string& message);
    void fetched(std::uint32_t id, const Answer& answer);
    void finish(std::uint32_t id);
    void look_for_end();

    World& world_;
    Process& process_;
    k8s::WriteQueue queue_;
    k8s::PodVersions versions_;
    k8s::protocol::CircuitBreaker breaker_;
    k8s::AnswerOrder answers_;
    WriteAuthors authors_;  ///< of what waits in the queue
    PendingWrites writes_;  ///< taken from the queue
    std::int64_t connections_used_ = 0;
    std::uint64_t patches_unsettled_ = 0;
    bool is_stopping_ = false;
    bool is_closed_ = false;
};

}  // namespace gang::sim
