#pragma once
// Leader election over one Lease object, as a state machine without sockets.
//
//             404: create            expired or released: update
//   candidate ------------> writing <------------------------- candidate (waits, reads)
//                              | written
//                              v
//                            leader --renewed each retry period--> leader
//                              | renew deadline passed, or somebody else holds it
//                              v
//                          candidate
//
// No clock of another machine counts: a lease has expired when *we* have not seen it change for its
// duration. The holder stops writing when its own last successful renewal was *sent* longer ago
// than the renew deadline, which is shorter than the duration.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace k8s::protocol {

struct Lease {
    std::string holder;  ///< empty: released
    std::int64_t duration_ms = 0;
    std::int64_t transitions = 0;
    std::string renewed;           ///< renewTime, opaque
    std::string resource_version;  ///< opaque
    friend bool operator==(const Lease&, const Lease&) = default;
};

struct ReadLease {};
struct CreateLease {
    std::int64_t transitions = 0;
};
/// PUT with the version as precondition; `acquired`: a new acquireTime too.
struct UpdateLease {
    std::string resource_version;
    std::int64_t transitions = 0;
    bool acquired = false;
};
struct WaitLease {
    std::int64_t ms = 0;
};
using LeaseAction = std::variant<ReadLease, CreateLease, UpdateLease, WaitLease>;

struct ElectionOptions {
    std::string identity;
    std::int64_t lease_duration_ms = 15'000;
    std::int64_t renew_deadline_ms = 10'000;
    std::int64_t retry_period_ms = 2'000;
};

class Election {
public:
    explicit Election(ElectionOptions options);

    LeaseAction next(std::int64_t now_ms, std::uint32_t random);

    /// Nothing: there is no such Lease.
    void on_read(std::int64_t now_ms, const std::optional<Lease>& lease);
    void on_written(std::int64_t sent_ms, const Lease& lease);
    /// A read or a write gave no usable answer; a write's effect is unknown.
    void on_failed(std::int64_t now_ms);
    /// A write met another version: somebody else wrote.
    void on_conflict(std::int64_t now_ms);

    /// Leader, and the last renewal is young enough, now.
    bool may_write(std::int64_t now_ms) const;
    /// The state callers were told of: to be compared before and after each input.
    bool is_leader() const { return leader_; }
    /// Turns a leader whose deadline has passed into a candidate.
    void check_deadline(std::int64_t now_ms);
    /// Monotonic time until which we may lead without another renewal.
    std::int64_t deadline_ms() const { return renewed_sent_ms_ + options_.renew_deadline_ms; }

    /// Grows with each change of holder: leaseTransitions + 1.
    std::int64_t epoch() const { return seen_.transitions + 1; }
    const std::string& holder() const { return seen_.holder; }
    /// What to PUT when we stop: nothing if we do not hold it.
    std::optional<UpdateLease> release() const;

private:
    void see(std::int64_t now_ms, const Lease& lease);
    std::int64_t expires_ms() const;

    ElectionOptions options_;
    Lease seen_;
    bool exists_ = false;
    bool must_read_ = true;
    bool waited_ = true;  ///< the pause before the next read or write is over
    bool leader_ = false;
    bool conflicted_ = false;  ///< the last write was a conflict
    bool ever_seen_ = false;
    std::int64_t seen_ms_ = 0;          ///< when the Lease was last seen to change
    std::int64_t renewed_sent_ms_ = 0;  ///< when the last successful renewal was sent
};

}  // namespace k8s::protocol
