#pragma once
// What waits to be written, in the order in which it is to be served. No sockets, no clock: the
// pool (writer.cpp) takes from here and says when it has finished.
//
// At most one write per pod is out at a time (its lane is busy until finished()). A bind overtakes
// everything but an awaited patch of its own pod that was there before it: a fence comes first. Of
// droppable conditions only the newest per pod waits.

#include "k8s/protocol/token_bucket.hpp"
#include "k8s/writer.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

namespace k8s {

struct BindJob {
    BindRequest request;
    std::function<void(BindResult)> done;
    std::uint64_t sequence = 0;  ///< set by the queue
};
struct PatchJob {
    StatusPatch patch;
    std::function<void(StatusResult)> done;  ///< empty: droppable
};
struct FetchJob {
    std::string namespace_name;
    std::string name;
    std::function<void(ConfigMapResult)> done;
};
struct EventJob {
    PodEvent event;
};
using WriteJob = std::variant<BindJob, PatchJob, FetchJob, EventJob>;

/// The pod whose lane a job uses; empty for fetches and events.
std::string lane_of(const WriteJob& job);
/// A bind, or a patch with a callback.
bool is_awaited_write(const WriteJob& job);

class WriteQueue {
public:
    explicit WriteQueue(const WriterOptions& bounds);

    // False: the bound is reached and the job was not taken; its callback is the caller's affair.
    [[nodiscard]] bool add(BindJob&& job);
    [[nodiscard]] bool add(PatchJob&& job);
    [[nodiscard]] bool add(FetchJob&& job);
    [[nodiscard]] bool add(EventJob&& job);

    /// The next job that may run now; its lane is busy from here on.
    std::optional<WriteJob> take(std::int64_t now_ms);
    /// The job that was taken is through.
    void finished(const std::string& lane);

    /// The pod was bound: a waiting "not scheduled" would be a lie.
    void discard_condition(const std::string& uid);
    /// Forgets everything that nobody must wait for, for a graceful end.
    void keep_only_awaited_writes();

    /// Milliseconds until an event that waits may be sent; -1: none waits.
    std::int64_t event_wait_ms(std::int64_t now_ms);
    std::size_t size() const;

private:
    template <typename Job>
    std::optional<WriteJob> take_from(std::deque<Job>& queue);
    std::optional<WriteJob> take_condition();
    bool is_free(const std::string& lane) const { return busy_.count(lane) == 0; }
    bool may_start(const BindJob& job) const;
    bool may_start(const PatchJob& job) const { return is_free(job.patch.pod.uid); }
    bool may_start(const FetchJob&) const { return true; }
    bool may_start(const EventJob&) const { return true; }
    void started(const PatchJob& job);
    template <typename Job>
    void started(const Job&) {}

    std::size_t binds_max_, patches_max_, fetches_max_, conditions_max_, events_max_;
    std::deque<BindJob> binds_;
    std::deque<PatchJob> patches_;
    std::map<std::string, std::deque<std::uint64_t>> patch_sequences_;  ///< of patches_, by pod
    std::deque<FetchJob> fetches_;
    std::list<PatchJob> conditions_;  ///< in order of the first arrival per pod
    std::map<std::string, std::list<PatchJob>::iterator> condition_of_;
    std::deque<EventJob> events_;
    std::set<std::string> busy_;
    std::uint64_t next_sequence_ = 0;
    protocol::TokenBucket event_tokens_;
};

/// What our own writes have made of a pod, for a while: the watch may show it later than our next
/// write to the same pod is made.
class PodVersions {
public:
    static constexpr std::size_t kept_max = 8'192;

    void wrote(const std::string& uid, const std::string& version);
    /// `shown`, or what our own last write made of it since.
    std::string newest(const std::string& uid, const std::string& shown) const;
    /// We have set PodScheduled=False; call it after wrote().
    void wrote_condition(const std::string& uid);
    bool has_condition(const std::string& uid) const;

private:
    struct Written {
        std::string version;
        bool has_condition = false;
    };
    std::map<std::string, Written> pods_;
    std::deque<std::string> order_;  ///< uids, oldest first; each once
};

}  // namespace k8s
