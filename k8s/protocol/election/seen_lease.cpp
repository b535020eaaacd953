#include "k8s/protocol/election/seen_lease.hpp"

#include <algorithm>

namespace k8s::protocol {

void SeenLease::see(std::int64_t now_ms, const Lease& lease) {
    // Labels may be edited: only what a holder writes is a sign of its life.
    const bool renewed = lease.holder != lease_.holder || lease.renewed != lease_.renewed ||
                         lease.transitions != lease_.transitions ||
                         lease.duration_ms != lease_.duration_ms;
    if (!exists_ || renewed) renewed_ms_ = now_ms;
    exists_ = true;
    ever_seen_ = true;
    lease_ = lease;
}

std::int64_t SeenLease::expires_ms() const {
    const std::int64_t longer = std::max(lease_.duration_ms, duration_ms_min_);
    return renewed_ms_ + std::min(longer, lease_duration_ms_max);
}

bool SeenLease::is_released() const {
    return lease_.holder.empty() && lease_.duration_ms <= lease_released_ms;
}

}  // namespace k8s::protocol
