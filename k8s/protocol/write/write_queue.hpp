#pragma once
// What waits to be written, in the order in which it is to be served. No sockets, no clock: the
// pool (writer_pool.cpp) takes from here and says when it has finished.
//
// At most one write per pod is out at a time (its order key is busy until finished()). A bind
// overtakes everything but an awaited patch of its own pod that was there before it: a fence comes
// first. Of droppable conditions only the newest per pod waits, and a bind of the pod makes it
// void.
//
// Binds come first, gang by gang (bind_turns.hpp). While there are more of them, nothing starves:
//   - after `binds_per_other` binds one eviction, awaited patch or fetch, in turn;
//   - after `binds_per_droppable` binds one condition, status of a group or event that has waited
//     for `patience_ms`.

#include "k8s/protocol/flow/token_bucket.hpp"
#include "k8s/protocol/write/bind_turns.hpp"
#include "k8s/protocol/write/condition_queue.hpp"
#include "k8s/protocol/write/write_job.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace k8s {

inline constexpr std::int32_t binds_per_other = 4;
inline constexpr std::int32_t binds_per_droppable = 32;
inline constexpr std::int64_t patience_ms = 1'000;

/// How much may wait.
struct WriteBounds {
    std::size_t binds_max = 65'536;       ///< beyond it a bind is answered not_sent
    std::size_t patches_max = 65'536;     ///< with callback; beyond it: not written
    std::size_t fetches_max = 8'192;      ///< beyond it: failed, at once
    std::size_t conditions_max = 16'384;  ///< without callback; beyond it dropped and counted
    std::size_t object_statuses_max = 1'024;  ///< beyond it: failed, at once
    std::size_t events_max = 1'024;       ///< beyond it dropped and counted
    std::int64_t events_per_second = 10;  ///< with a burst of ten seconds' worth
};

class WriteQueue {
public:
    explicit WriteQueue(const WriteBounds& bounds);

    // False: the bound is reached and the job was not taken; its callback is the caller's affair.
    [[nodiscard]] bool add(BindJob&& job);
    [[nodiscard]] bool add(PatchJob&& job);
    [[nodiscard]] bool add(EvictJob&& job);
    [[nodiscard]] bool add(FetchJob&& job);
    [[nodiscard]] bool add(EventJob&& job);
    [[nodiscard]] bool add(ObjectStatusJob&& job);

    /// The next job that may run now; its order key is busy from here on. `with_droppable` false:
    /// enough of what nobody waits for is out already.
    std::optional<WriteJob> take(std::int64_t now_ms, bool with_droppable = true);
    /// The job that was taken is through.
    void finished(const std::string& order_key);

    /// The pod was bound: a waiting "not scheduled" would be a lie.
    void discard_condition(const std::string& uid);
    /// Forgets everything that nobody must wait for, for a graceful end.
    void keep_only_awaited_writes();

    /// Milliseconds until an event that waits may be sent; -1: none waits.
    std::int64_t event_wait_ms(std::int64_t now_ms);
    /// Something waits that another take() may well give.
    bool has_work(std::int64_t now_ms);
    std::size_t size() const;

private:
    template <typename Job>
    std::optional<WriteJob> take_from(std::deque<Job>& queue);
    std::optional<WriteJob> take_bind();
    std::optional<WriteJob> take_other();
    std::optional<WriteJob> take_droppable(std::int64_t now_ms);
    bool is_overdue(std::int64_t now_ms) const;
    bool is_free(const std::string& order_key) const { return busy_.count(order_key) == 0; }
    bool may_start(const BindJob& job) const;
    bool may_start(const PatchJob& job) const { return is_free(job.patch.pod.uid); }
    bool may_start(const EvictJob& job) const { return is_free(job.pod.uid); }
    template <typename Job>
    bool may_start(const Job&) const {
        return true;
    }
    void started(const PatchJob& job);
    template <typename Job>
    void started(const Job&) {}

    /// Whose turn it is.
    struct Turns {
        std::int32_t binds_since_other = 0;
        std::int32_t binds_since_droppable = 0;
        bool is_fetch_next = false;
        std::uint64_t sequence = 0;  ///< of the bind or awaited patch that came last
    };

    WriteBounds bounds_;
    BindTurns binds_;
    std::deque<PatchJob> patches_;
    std::map<std::string, std::deque<std::uint64_t>> patch_sequences_;  ///< of patches_, by pod
    std::deque<EvictJob> evictions_;  ///< as many as patches at most
    std::deque<FetchJob> fetches_;
    ConditionQueue conditions_;
    std::deque<ObjectStatusJob> object_statuses_;
    std::deque<EventJob> events_;
    std::set<std::string> busy_;
    Turns turns_;
    protocol::TokenBucket event_tokens_;
};

}  // namespace k8s
