#pragma once
// All that one process writes, and the config maps it reads: the product's own queue, versions and
// machines (WriteQueue, PodVersions, Bind, StatusWrite, CircuitBreaker) over a few connections.
// What k8s/write/writer_pool.cpp does with sockets and timers is done here with calls and
// happenings of the virtual world; its limiter is not here, the number of connections is fixed.

#include "gang/decision.hpp"
#include "gang/sim/base/call.hpp"
#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/evict.hpp"
#include "k8s/protocol/flow/circuit_breaker.hpp"
#include "k8s/protocol/status.hpp"
#include "k8s/protocol/write/answer_order.hpp"
#include "k8s/protocol/write/pod_versions.hpp"
#include "k8s/protocol/write/write_queue.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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
    /// `tag`: as it was given to Process::wake_writer().
    void wakes(std::uint32_t tag);
    /// Takes nothing new and forgets what nobody waits for. Process::drained() when the rest is
    /// over.
    void stop();
    /// What is not over yet is not waited for any longer.
    void cut_off();
    /// Awaited patches that were given up and may still reach their pod.
    std::uint64_t patches_unsettled() const { return patches_unsettled_; }
    /// Nothing waits and nothing is under way.
    bool is_idle() const { return jobs_.size() == free_jobs_.size() && queue_.size() == 0; }

    static constexpr std::uint32_t first_ticket = 3;

private:
    static constexpr std::uint32_t job_bits = 12;
    static constexpr std::uint32_t job_mask = (1U << job_bits) - 1;

    /// A job that was taken from the queue, until it is through.
    struct Job {
        k8s::WriteJob asked;
        Author author;  ///< who decided it, and what was seen then
        bool waits_for_breaker = false;
        bool is_delayed = false;   ///< waits to be repeated, without a connection
        bool is_given_up = false;  ///< a condition whose pod is wanted for something newer
        std::uint32_t wake_serial = 0;
        Operation operation = Operation::bind;  ///< what is asked next
        PodRef pod;
        std::optional<k8s::protocol::Bind> bind;
        std::optional<k8s::protocol::StatusWrite> status;
        std::optional<k8s::protocol::Evict> eviction;

        bool is_fetch() const { return std::holds_alternative<k8s::FetchJob>(asked); }
    };

    enum class AskedKind : std::uint8_t { bind, patch, evict };

    void patch(const std::string& uid, k8s::StatusPatch what);
    void asked(const std::string& uid, AskedKind kind, const Author& author);
    Author take_author(const std::string& uid, AskedKind kind);
    void go_on(std::uint32_t id);
    Call call_for(const Job& job) const;
    /// What wakes a job names it, and which of its waits is meant.
    std::uint32_t tag_of(std::uint32_t id) const {
        return (jobs_[id].wake_serial << job_bits) | id;
    }
    void finish(std::uint32_t id);
    void look_for_end();
    void dispatch();
    std::uint32_t keep(k8s::WriteJob taken);
    void begin(std::uint32_t id);
    void proceed(std::uint32_t id, k8s::protocol::BindAction action);
    void proceed(std::uint32_t id, k8s::protocol::PatchAction action);
    void proceed(std::uint32_t id, k8s::protocol::EvictAction action);
    void wait(std::uint32_t id, std::int64_t ms);
    void attempt(std::uint32_t id, Operation operation);
    void no_answer(std::uint32_t id, bool maybe_sent, const std::string& message);
    void fetched(std::uint32_t id, const Answer& answer);
    void bind_answered(std::uint32_t id, const Answer& answer);
    void patch_answered(std::uint32_t id, const Answer& answer);
    bool may_take_droppable() const;

    World& world_;
    Process& process_;
    k8s::WriteQueue queue_;
    k8s::PodVersions versions_;
    k8s::protocol::CircuitBreaker breaker_;
    k8s::AnswerOrder answers_;
    /// Of awaited writes that wait: by pod and kind, which are taken in the order of asking.
    std::map<std::pair<std::string, AskedKind>, std::deque<Author>> asked_;
    std::deque<Job> jobs_;
    std::vector<std::uint32_t> free_jobs_;
    std::deque<std::uint32_t> resumed_;  ///< their wait is over, no connection was free yet
    std::int64_t connections_used_ = 0;
    std::int64_t droppable_taken_ = 0;
    std::uint64_t patches_unsettled_ = 0;
    bool is_stopping_ = false;
    bool is_closed_ = false;
};

}  // namespace gang::sim
