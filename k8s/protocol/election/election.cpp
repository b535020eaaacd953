#include "k8s/protocol/election/election.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace k8s::protocol {
namespace {

constexpr std::int64_t follow_again_ms = 60'000;  // rights are seldom given while we run
constexpr std::int64_t follow_short_ms = 1'000;

// What is further ahead than any wrong clock was forged.
constexpr std::int64_t epoch_ahead_max = std::int64_t{10} * 366 * 24 * 3'600'000;

// The field has 32 bits, and the API server refuses what does not fit.
std::int64_t one_more(std::int64_t transitions) {
    return transitions >= std::numeric_limits<std::int32_t>::max() ? 0 : transitions + 1;
}

}  // namespace

Election::Election(ElectionOptions options)
    : options_(std::move(options)), seen_(options_.lease_duration_ms) {}

bool Election::may_take(std::int64_t now_ms) const {
    return !seen_.was_ever_seen() || is_ours() || seen_.is_released() ||
           now_ms >= seen_.expires_ms();
}

LeaseAction Election::take(std::int64_t now_ms) {
    if (seen_.exists() && is_ours()) {
        return UpdateLease{seen_.lease().resource_version, seen_.lease().transitions, false};
    }
    // The write names the version that was seen: it replaces that state or nothing.
    handed_over_ = seen_.exists() && seen_.is_released() && seen_.lease().settled;
    if (!seen_.was_ever_seen()) {
        why_free_ = "there was none";
    } else if (seen_.is_released()) {
        why_free_ = handed_over_ ? "it was given up, with no write under way" : "it was given up";
    } else {
        why_free_ = "nobody has renewed it for " + std::to_string(now_ms - seen_.renewed_ms()) +
                    "ms" +
                    (seen_.lease().holder.empty() ? "" : ", held by " + seen_.lease().holder);
    }
    if (seen_.was_ever_seen() && !seen_.exists()) why_free_ += ", and it was deleted";
    claimed_ = true;
    if (!seen_.exists())
        return CreateLease{seen_.was_ever_seen() ? one_more(seen_.lease().transitions) : 0};
    return UpdateLease{seen_.lease().resource_version, one_more(seen_.lease().transitions), true};
}

// Candidates spread out, and one is there soon after the expiry.
WaitLease Election::pause(std::int64_t now_ms, std::uint32_t random) const {
    std::int64_t ms = options_.retry_period_ms;
    if (leader_) return WaitLease{ms};
    ms += static_cast<std::int64_t>(random) % (options_.retry_period_ms / 5 + 1);
    if (seen_.was_ever_seen()) ms = std::clamp<std::int64_t>(seen_.expires_ms() - now_ms, 1, ms);
    return WaitLease{ms};
}

LeaseAction Election::next(std::int64_t now_ms, std::uint32_t random) {
    check_deadline(now_ms);
    if (!std::exchange(waited_, true)) return pause(now_ms, random);
    if (must_read_) return ReadLease{};
    if (may_take(now_ms)) return take(now_ms);
    if (seen_.exists() && now_ms >= follow_.again_ms) {
        follow_.began_ms = now_ms;
        follow_.had_event = false;
        return FollowLease{seen_.lease().resource_version};
    }
    must_read_ = true;
    return pause(now_ms, random);
}

void Election::leads_no_more() {
    leader_ = false;
    handed_over_ = false;
}

void Election::observe(std::int64_t now_ms, const std::optional<Lease>& lease) {
    if (!lease) {
        seen_.note_deleted();
        leads_no_more();
        return;
    }
    seen_.see(now_ms, *lease);
    if (lease->holder == options_.identity) return;
    leads_no_more();
    conflicted_ = false;
}

void Election::on_read(std::int64_t now_ms, const std::optional<Lease>& lease) {
    must_read_ = false;
    observe(now_ms, lease);
}

void Election::on_written(std::int64_t sent_ms, const Lease& lease) {
    seen_.see(sent_ms, lease);
    leader_ = true;
    must_read_ = false;
    waited_ = false;
    conflicted_ = false;
    renewed_sent_ms_ = sent_ms;
}

void Election::on_failed(std::int64_t now_ms) {
    must_read_ = true;
    waited_ = false;
    check_deadline(now_ms);
}

// Looks at once who it was, but two that share an identity must not race each other.
void Election::on_conflict(std::int64_t now_ms) {
    must_read_ = true;
    waited_ = !conflicted_;
    conflicted_ = true;
    check_deadline(now_ms);
}

void Election::on_followed(std::int64_t now_ms, const std::optional<Lease>& lease) {
    follow_.had_event = true;
    observe(now_ms, lease);
}

void Election::on_follow_ended(std::int64_t now_ms, FollowEnd end) {
    if (may_take(now_ms)) return;
    must_read_ = true;
    if (end == FollowEnd::refused) follow_.again_ms = now_ms + follow_again_ms;
    const bool very_short = !follow_.had_event && now_ms - follow_.began_ms < follow_short_ms;
    waited_ = end == FollowEnd::closed && !very_short;
}

// The time, so that a Lease which was deleted does not begin again.
std::int64_t Election::next_epoch(std::int64_t unix_time_ms) const {
    const bool is_plausible = epoch() <= unix_time_ms + epoch_ahead_max;
    return is_plausible ? std::max(unix_time_ms, epoch() + 1) : unix_time_ms;
}

bool Election::may_write(std::int64_t now_ms) const {
    return leader_ && now_ms < deadline_ms();
}

void Election::check_deadline(std::int64_t now_ms) {
    if (leader_ && now_ms >= deadline_ms()) {
        leads_no_more();
        must_read_ = true;
    }
}

std::optional<UpdateLease> Election::release() const {
    if (!seen_.exists() || !is_ours()) return std::nullopt;
    return UpdateLease{seen_.lease().resource_version, seen_.lease().transitions, false};
}

}  // namespace k8s::protocol
