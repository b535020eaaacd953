#pragma once
// What is remembered of every pod that was ever committed, by its number.

#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/capacity/amount.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang::sim {

/// What is remembered of one pod.
struct Seen {
    NodeId node = nobody;  ///< bound there and not ended
    NodeId counted_on = nobody;
    NodeId was_on = nobody;   ///< bound there, whether or not it has ended
    PodId gang = nobody;      ///< the driver whose slot it says to be in
    PodId owner = nobody;     ///< its controller
    bool is_surplus = false;  ///< a scheduler has said so
    std::int64_t slot = -1;
    std::string tenant_slot;   ///< what its tenant has written there
    /// Its tenant has taken away what a scheduler wrote there, or put something else in its place.
    bool is_unmarked = false;
    std::uint64_t binder = 0;  ///< the process that bound it: it alone numbers its slots
    Amount amount;
    Amount slot_size;
    bool is_bound = false;
    bool is_over = false;
    bool is_gone = false;
    std::uint64_t bound_revision = 0;
    std::int64_t created_ms = 0;
};

class SeenPods {
public:
    /// There is a record from now on; it may move the others.
    Seen& record(PodId pod);
    Seen& operator[](PodId pod) { return pods_[pod]; }
    const Seen& operator[](PodId pod) const { return pods_[pod]; }
    bool knows(PodId pod) const { return pod < pods_.size(); }
    std::vector<Seen>& all() { return pods_; }

    /// Other live pods that the same process put into the same slot. A number alone does not say
    /// which slot it is: those behind slots that are given up are counted anew.
    std::int64_t rivals(PodId pod) const;
    /// Live pods in slots of this gang that had a number, on all nodes.
    std::int64_t assigned(PodId driver) const;
    /// Slots that were given up leave the others with other numbers than their pods say.
    void forget_numbers(PodId driver);
    /// Nobody has said by what number its slot is known now.
    void forget_number(PodId pod);

private:
    std::vector<Seen> pods_;
};

}  // namespace gang::sim
