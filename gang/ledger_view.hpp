#pragma once
// The ledger as it is shown: per node what it has, what is bound there, what is held for whom, and
// what is free.

#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// Room that a gang holds on a node and no pod uses yet.
struct HeldUnit {
    enum class State : std::uint8_t {
        open,     ///< waits for its executor
        assumed,  ///< its executor's bind is under way
        leaving,  ///< the slot has gone elsewhere, and that is not written yet
        nominated  ///< others were evicted for the gang, which still waits
    };
    State state = State::open;
    std::string gang;  ///< namespace/driver
    std::string driver_uid;
    std::int32_t slot = -1;  ///< number within the gang; -1 of one that is leaving or nominated
    core::Resources requests;
    std::int64_t since_ms = 0;  ///< Unix time at which the gang was bound; 0: it is not yet
    friend bool operator==(const HeldUnit&, const HeldUnit&) = default;
};

/// What the pods of one gang take on a node, its driver included.
struct BoundShare {
    std::string gang;  ///< namespace/driver
    std::int64_t pods = 0;
    core::Resources requests;
    friend bool operator==(const BoundShare&, const BoundShare&) = default;
};

/// A card of a node.
struct CardLedger {
    std::string id;
    std::string resource;  ///< whose units they are
    std::int64_t units = 0;
    std::int64_t free = 0;  ///< less what may be on it of pods that do not say their card
    friend bool operator==(const CardLedger&, const CardLedger&) = default;
};

struct NodeLedger {
    std::string name;
    std::string pool;   ///< as the labels of the usual clouds say; empty: they do not
    std::string zone;   ///< topology.kubernetes.io/zone
    std::string state;  ///< "cordoned, tainted dedicated=spark:NoSchedule"; empty: open to all
    bool is_present = true;  ///< false: a node that is gone or unknown and still has allocations
    core::Resources allocatable;
    core::Resources bound;  ///< pods of everybody
    core::Resources held;
    core::Resources free;  ///< as placement sees it; negative where others have overcommitted
    std::int64_t pods_allocatable = 0;
    std::int64_t pods_bound = 0;
    std::int64_t pods_free = 0;
    bool adds_up = true;  ///< allocatable = bound + held + free, in everything
    std::vector<HeldUnit> units;
    /// Of `bound`, by gang and in the order of their names; the rest are pods outside gangs.
    std::vector<BoundShare> bound_by;
    std::vector<CardLedger> cards;  ///< in the node's order
};

/// All nodes that are there, together.
struct NodeSums {
    core::Resources allocatable;
    core::Resources free;  ///< as placement sees it: what is overcommitted is taken off
};

inline std::string_view to_string(HeldUnit::State state) {
    switch (state) {
        case HeldUnit::State::open:
            return "open";
        case HeldUnit::State::assumed:
            return "claimed";
        case HeldUnit::State::leaving:
            return "leaving";
        case HeldUnit::State::nominated:
            return "nominated";
    }
    return "";
}

}  // namespace gang
