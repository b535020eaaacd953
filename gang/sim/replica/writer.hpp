#pragma once
// All that one process writes, and the config maps it reads: drives the real Bind, StatusWrite and
// CircuitBreaker over a few connections, with the queue's rules of k8s/write/write_queue.hpp:
// writes to one pod are serial and take the version from the answer before them; binds first, but
// not past an awaited patch of their own pod; of droppable conditions only the newest waits.

#include "gang/decision.hpp"
#include "gang/sim/base/call.hpp"
#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/flow/circuit_breaker.hpp"
#include "k8s/protocol/status.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace gang::sim {

class Process;
struct World;

class Writer {
public:
    Writer(World& world, Process& process);

    void bind(const BindPod& decision);
    void set_condition(const SetCondition& decision);
    void update_reservation(const UpdateReservation& decision);
    void fetch(const FetchSparkConf& decision);

    void answered(const Call& call);
    void wakes(std::uint32_t job);
    /// Takes nothing new and forgets what nobody waits for. Process::drained() when the rest is
    /// over.
    void stop();
    /// What is not over yet is not waited for any longer.
    void cut_off();
    /// Awaited patches that were given up and may still reach their pod.
    std::uint64_t patches_unsettled() const { return patches_unsettled_; }
    /// Nothing waits and nothing is under way.
    bool is_idle() const { return jobs_.size() == free_jobs_.size(); }

    static constexpr std::uint32_t first_ticket = 3;

private:
    enum class JobKind : std::uint8_t { bind, patch, condition, fetch };
    struct Job {
        JobKind kind = JobKind::bind;
        bool has_condition = false;
        bool waits_for_breaker = false;
        Operation operation = Operation::bind;  ///< what is asked next
        PodRef pod;
        std::uint32_t order_key = nobody;
        std::uint64_t sequence = 0;
        std::string version;
        std::string node;
        core::StringMap annotations;
        std::string reason;
        std::string message;
        Author author;
        std::optional<k8s::protocol::Bind> bind;
        std::optional<k8s::protocol::StatusWrite> status;
    };

    std::uint32_t make(JobKind kind, const PodRef& pod);
    void finish(std::uint32_t id, bool holds_connection);
    void look_for_end();
    void dispatch();
    std::optional<std::uint32_t> take();
    bool may_bind(const Job& job) const;
    void begin(std::uint32_t id);
    void proceed(std::uint32_t id, k8s::protocol::BindAction action);
    void proceed(std::uint32_t id, k8s::protocol::PatchAction action);
    void attempt(std::uint32_t id, Operation operation);
    void no_answer(std::uint32_t id, bool maybe_sent, const std::string& message);
    void fetched(std::uint32_t id, const Answer& answer);
    void bind_answered(std::uint32_t id, const Answer& answer);
    void patch_answered(std::uint32_t id, const Answer& answer);
    std::string newest(std::uint32_t order_key, const std::string& shown) const;
    void wrote(std::uint32_t order_key, const std::string& version);
    bool is_free(std::uint32_t order_key) const {
        return order_key >= busy_.size() || !busy_[order_key];
    }
    void set_busy(std::uint32_t order_key, bool busy);

    World& world_;
    Process& process_;
    k8s::protocol::CircuitBreaker breaker_;
    std::deque<Job> jobs_;
    std::vector<std::uint32_t> free_jobs_;
    std::deque<std::uint32_t> binds_;
    std::deque<std::uint32_t> patches_;
    std::deque<std::uint32_t> fetches_;
    std::deque<std::uint32_t> conditions_;
    std::deque<std::uint32_t> woken_;
    std::vector<bool> busy_;            ///< by PodId
    std::vector<std::uint64_t> wrote_;  ///< by PodId: the version that our last write made
    std::int64_t connections_used_ = 0;
    std::uint64_t sequence_ = 0;
    std::uint64_t patches_unsettled_ = 0;
    bool is_stopping_ = false;
    bool is_closed_ = false;
};

}  // namespace gang::sim
