#include "k8s/protocol/lease.hpp"

#include <algorithm>
#include <utility>

namespace k8s::protocol {

Election::Election(ElectionOptions options) : options_(std::move(options)) {}

// The longer of what the holder wrote and what we were told: never early.
std::int64_t Election::expires_ms() const {
    return seen_ms_ + std::max(seen_.duration_ms, options_.lease_duration_ms);
}

LeaseAction Election::next(std::int64_t now_ms, std::uint32_t random) {
    check_deadline(now_ms);
    if (!std::exchange(waited_, true)) {
        std::int64_t ms = options_.retry_period_ms;
        // Candidates spread out, and the first one is there soon after the expiry.
        if (!leader_) {
            ms += static_cast<std::int64_t>(random) % (options_.retry_period_ms / 5 + 1);
            if (exists_) ms = std::clamp<std::int64_t>(expires_ms() - now_ms, 1, ms);
        }
        return WaitLease{ms};
    }
    if (must_read_) return ReadLease{};
    must_read_ = !leader_;
    if (!exists_) return CreateLease{ever_seen_ ? seen_.transitions + 1 : 0};
    const bool ours = seen_.holder == options_.identity;
    if (ours) return UpdateLease{seen_.resource_version, seen_.transitions, false};
    if (seen_.holder.empty() || now_ms >= expires_ms()) {
        return UpdateLease{seen_.resource_version, seen_.transitions + 1, true};
    }
    waited_ = false;
    return next(now_ms, random);
}

void Election::see(std::int64_t now_ms, const Lease& lease) {
    if (!exists_ || lease != seen_) seen_ms_ = now_ms;
    exists_ = true;
    ever_seen_ = true;
    seen_ = lease;
}

void Election::on_read(std::int64_t now_ms, const std::optional<Lease>& lease) {
    must_read_ = false;
    if (!lease) {
        exists_ = false;
        leader_ = false;
        return;
    }
    see(now_ms, *lease);
    if (lease->holder != options_.identity) leader_ = false;
}

void Election::on_written(std::int64_t sent_ms, const Lease& lease) {
    see(sent_ms, lease);
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

// A leader looks at once who it was, but two that share an identity must not race each other.
void Election::on_conflict(std::int64_t now_ms) {
    must_read_ = true;
    waited_ = leader_ && !conflicted_;
    conflicted_ = true;
    check_deadline(now_ms);
}

bool Election::may_write(std::int64_t now_ms) const {
    return leader_ && now_ms < deadline_ms();
}

void Election::check_deadline(std::int64_t now_ms) {
    if (leader_ && now_ms >= deadline_ms()) {
        leader_ = false;
        must_read_ = true;
    }
}

std::optional<UpdateLease> Election::release() const {
    if (!exists_ || seen_.holder != options_.identity) return std::nullopt;
    return UpdateLease{seen_.resource_version, seen_.transitions, false};
}

}  // namespace k8s::protocol
