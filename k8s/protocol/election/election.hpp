#pragma once
// Leader election over one Lease object, as a state machine without sockets.
//
//             none: create           expired or released: update
//   candidate ------------> writing <------------------------- candidate (follows by a watch)
//                              | written
//                              v
//                            leader --renewed each retry period--> leader
//                              | renew deadline passed, or somebody else holds it, or it is gone
//                              v
//                          candidate
//
// No clock of another machine counts: a lease has expired when *we* have not seen it renewed for
// its duration. The holder stops writing when its own last successful renewal was *sent* longer ago
// than the renew deadline, which is shorter than the duration.
//
// A Lease that is deleted, or whose holder is taken out by hand, is not free: whoever held it may
// not know yet. It is taken when its time is over, as if its holder had died.

#include "k8s/protocol/election/lease.hpp"
#include "k8s/protocol/election/seen_lease.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace k8s::protocol {

/// How a leader that is told to stop gives the Lease up.
enum class LeaseEnd : std::uint8_t {
    settle,   ///< released, and said that no write is under way, ours or an older leader's
    release,  ///< no write of ours is under way
    leave     ///< left to expire: a write of ours may still be on its way
};

/// `is_drained`: every write of ours has ended. `is_settled`: nor may one that was given up, or an
/// older leader's, still be carried out.
constexpr LeaseEnd choose_lease_end(bool is_drained, bool is_settled) {
    if (!is_drained) return LeaseEnd::leave;
    return is_settled ? LeaseEnd::settle : LeaseEnd::release;
}

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
/// Watch the Lease from this version on, for as long as is_following().
struct FollowLease {
    std::string resource_version;
};
struct WaitLease {
    std::int64_t ms = 0;
};
using LeaseAction = std::variant<ReadLease, CreateLease, UpdateLease, FollowLease, WaitLease>;

/// How a watch of the Lease ended.
enum class FollowEnd : std::uint8_t {
    closed,  ///< by the server, by the network, or because its version has expired
    busy,    ///< 429 or 5xx: not now
    refused  ///< not for us (no right to watch): read from time to time instead
};

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

    /// An event of the watch that FollowLease asked for; nothing: the Lease was deleted.
    void on_followed(std::int64_t now_ms, const std::optional<Lease>& lease);
    void on_follow_ended(std::int64_t now_ms, FollowEnd end);
    /// The watch is to go on: there is nothing to do yet. Until follow_until_ms(), if nothing
    /// comes.
    bool is_following(std::int64_t now_ms) const { return !may_take(now_ms); }
    std::int64_t follow_until_ms() const { return seen_.expires_ms(); }

    /// Leader, and the last renewal is young enough, now.
    bool may_write(std::int64_t now_ms) const;
    /// The state callers were told of: to be compared before and after each input.
    bool is_leader() const { return leader_; }
    /// Turns a leader whose deadline has passed into a candidate.
    void check_deadline(std::int64_t now_ms);
    /// Monotonic time until which we may lead without another renewal.
    std::int64_t deadline_ms() const { return renewed_sent_ms_ + options_.renew_deadline_ms; }

    /// Grows with each change of holder, also where clocks differ, as long as nobody edits the
    /// Lease.
    std::int64_t epoch() const { return std::max(seen_.lease().epoch, seen_.lease().transitions + 1); }
    /// What to write as the epoch when the Lease is acquired.
    std::int64_t next_epoch(std::int64_t unix_time_ms) const;
    const std::string& holder() const { return seen_.lease().holder; }
    /// Why the Lease was free when we last tried to take it, for people.
    const std::string& why_free() const { return why_free_; }
    /// We lead, and the leader before us gave the Lease up and said that no write is under way, its
    /// own or an older leader's.
    bool was_handed_over() const { return leader_ && handed_over_; }
    /// What to PUT when we stop: nothing if we do not hold it.
    std::optional<UpdateLease> release() const;

private:
    void observe(std::int64_t now_ms, const std::optional<Lease>& lease);
    void leads_no_more();
    bool is_ours() const { return claimed_ && seen_.lease().holder == options_.identity; }
    bool may_take(std::int64_t now_ms) const;
    LeaseAction take(std::int64_t now_ms);
    WaitLease pause(std::int64_t now_ms, std::uint32_t random) const;

    /// The watch of the Lease.
    struct Follow {
        std::int64_t again_ms = 0;  ///< before it there is no use in asking for one
        std::int64_t began_ms = 0;
        bool had_event = false;
    };

    ElectionOptions options_;
    SeenLease seen_;
    bool must_read_ = true;
    bool waited_ = true;  ///< the pause before the next read or write is over
    bool leader_ = false;
    bool claimed_ = false;      ///< we have tried to take it: a holder of our name may be us
    bool conflicted_ = false;   ///< the last write was a conflict
    bool handed_over_ = false;  ///< what our acquisition replaced, or would, was settled
    std::int64_t renewed_sent_ms_ = 0;  ///< when the last successful renewal was sent
    Follow follow_;
    std::string why_free_;
};

}  // namespace k8s::protocol
