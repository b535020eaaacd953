#pragma once
// What is going to happen, by virtual time. What is due at the same millisecond happens in the
// order in which it was planned. An entry is plain numbers: what `a` and `b` mean is the receiver's
// affair.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gang::sim {

enum class Happening : std::uint8_t {
    call_arrives,      ///< a: call
    call_answered,     ///< a: call
    call_times_out,    ///< a: call
    cache_advances,    ///< a: API server
    stream_delivers,   ///< a: stream
    stream_silent,     ///< a: stream
    lease_seen,        ///< a: replica, b: life and number of the Lease's state
    replica_starts,    ///< a: replica
    replica_turn,      ///< a: replica, b: life
    replica_wakes,     ///< a: replica, b: life
    watcher_pause,     ///< a: replica and kind, b: life
    elector_wakes,     ///< a: replica, b: life and turn
    writer_wakes,      ///< a: replica, b: life and job
    kubelet_admits,    ///< a: pod
    kubelet_ends,      ///< a: pod whose grace is over
    application_acts,  ///< a: application
    config_map_made,   ///< a: application
    owner_is_gone,     ///< a: pod whose owner was deleted
    strike,            ///< a: kind of fault
    strike_ends,       ///< a: kind of fault, b: what it fell on
    submission,        ///<
    inspection,        ///< the checkers look at processes that have become quiescent
    calm,              ///< faults are over
    end,               ///<
    replica_is_told,   ///< a: replica, b: life; SIGTERM
    drain_ends,        ///< a: replica, b: life
    pods_listed,       ///< a: replica, b: life; for their labels
    file_changes,      ///< a: which file, 0: the one of the start
    group_acts,        ///< a: group
    group_object_made,  ///< a: group
    group_mishap,      ///<
    volume_made,       ///< a: claim with a node, by number
    volume_mishap,     ///<
    volumes_wake,      ///< a: replica, b: life and what
    quota_synced,      ///< a: tenant
    quota_mishap,      ///<
    demand_wakes,      ///< a: replica, b: life
    autoscaler_scans,  ///<
    node_bought,       ///< a: which order
    node_ready         ///< a: node
};
inline constexpr auto last_happening = Happening::node_ready;

struct Planned {
    std::int64_t time_ms = 0;
    std::uint64_t order = 0;
    std::uint64_t b = 0;
    std::uint32_t a = 0;
    Happening what = Happening::end;
};

class EventQueue {
public:
    void plan(std::int64_t time_ms, Happening what, std::uint32_t a = 0, std::uint64_t b = 0) {
        heap_.push_back(Planned{time_ms, ++order_, b, a, what});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    const Planned& top() const { return heap_.front(); }
    Planned take() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Planned next = heap_.back();
        heap_.pop_back();
        return next;
    }

private:
    static bool later(const Planned& x, const Planned& y) {
        return x.time_ms != y.time_ms ? x.time_ms > y.time_ms : x.order > y.order;
    }

    std::vector<Planned> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace gang::sim
