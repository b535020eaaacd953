#pragma once
// How a process that ends in good order gives its Lease up: within two seconds, and with two writes
// at most, since the renewal before it may have landed without our knowing its version.
//
//   none --begin--> a renewal that is under way may finish --next_write--> the Lease is written
//                                                                  |  (409: next_write again)
//                                                                  v  no time, no write is left
//                                                                 over

#include "k8s/protocol/election/election.hpp"

#include <cstdint>
#include <string>

namespace gang::sim {

using k8s::protocol::LeaseEnd;

class LeaseRelease {
public:
    /// Times are on the clock of the process.
    void begin(LeaseEnd end, std::int64_t now_ms) {
        is_begun_ = true;
        end_ = end;
        ends_by_ms_ = now_ms + time_ms_max;
    }
    bool is_begun() const { return is_begun_; }
    /// It has come to the writes: what is answered now is an answer to one of them.
    bool is_writing() const { return is_writing_; }
    void stop_renewing() { is_writing_ = true; }
    std::int64_t left_ms(std::int64_t now_ms) const { return ends_by_ms_ - now_ms; }
    /// Whether there may be one more write; it counts.
    bool next_write(std::int64_t now_ms) {
        if (end_ == LeaseEnd::leave || writes_ == writes_max || left_ms(now_ms) <= 0) {
            return false;
        }
        ++writes_;
        return true;
    }
    /// As it is left to the next leader. `epoch`: that the Lease had last; 0: none.
    k8s::protocol::Lease lease(
        const k8s::protocol::UpdateLease& update, std::int64_t wall_ms, std::int64_t epoch) const {
        k8s::protocol::Lease made;
        made.resource_version = update.resource_version;
        made.transitions = update.transitions;
        made.duration_ms = k8s::protocol::lease_released_ms;
        made.renewed = std::to_string(wall_ms);
        made.epoch = epoch;
        made.settled = end_ == LeaseEnd::settle && epoch != 0;
        return made;
    }

private:
    static constexpr std::int64_t time_ms_max = 2'000;  // as in k8s/lease/elector.cpp
    static constexpr int writes_max = 2;

    LeaseEnd end_ = LeaseEnd::leave;
    std::int64_t ends_by_ms_ = 0;
    int writes_ = 0;
    bool is_begun_ = false;
    bool is_writing_ = false;
};

}  // namespace gang::sim
