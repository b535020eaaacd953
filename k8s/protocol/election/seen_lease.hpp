#pragma once
// The Lease as it was seen last, and since when: it has expired when nobody was seen to renew it for
// its duration, by our own clock.

#include "k8s/protocol/election/lease.hpp"

#include <cstdint>

namespace k8s::protocol {

class SeenLease {
public:
    /// The shortest duration that counts, whatever a holder writes.
    explicit SeenLease(std::int64_t duration_ms_min) : duration_ms_min_(duration_ms_min) {}

    void see(std::int64_t now_ms, const Lease& lease);
    /// There is none any more. What it was like is remembered.
    void note_deleted() { exists_ = false; }

    const Lease& lease() const { return lease_; }
    bool exists() const { return exists_; }
    bool was_ever_seen() const { return ever_seen_; }
    /// When it was last seen to be renewed.
    std::int64_t renewed_ms() const { return renewed_ms_; }
    /// The longer of what the holder wrote and what we were told: never early.
    std::int64_t expires_ms() const;
    /// A holder that gives the Lease up says so by its duration; one that was made without a holder
    /// has none. Anything else without a holder was edited by somebody while the holder may still
    /// write.
    bool is_released() const;

private:
    std::int64_t duration_ms_min_;
    Lease lease_;
    bool exists_ = false;
    bool ever_seen_ = false;
    std::int64_t renewed_ms_ = 0;
};

}  // namespace k8s::protocol
