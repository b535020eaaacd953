#pragma once
// Room that gangs which wait have had others evicted for (gang/preempt). What of it is free already
// is held: allocated, so that nobody else is placed there. What is not yet is held as it appears.
//
//   nominated --hold()--> some held --hold()--> ... --Admission--> admitted, or given back

#include "core/cluster/cluster.hpp"
#include "gang/decision.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gang {

/// What goes for a gang that waits: a whole gang, one executor beyond its gang's reservation, or an
/// open slot beyond its gang's minimum.
struct Victim {
    enum class Kind : std::uint8_t {
        executor,       ///< beyond its gang's reservation
        open_slot,      ///< beyond its gang's minimum
        soft_executor,  ///< in a slot beyond its gang's minimum, which goes with it
        pod,            ///< that stands alone
        gang
    };
    enum class Stage : std::uint8_t {
        planned,  ///< nothing was sent yet
        asked,    ///< the eviction of its driver, or of the pod, is under way
        ending    ///< it was accepted, or its pod was on its way out before
    };
    std::string uid;  ///< of the executor or pod, else of the gang's driver
    Kind kind = Kind::gang;
    EvictReason reason = EvictReason::reclaim;
    Stage stage = Stage::planned;
    std::int64_t not_before_ms = 0;  ///< nothing is sent for it before
    // Of an open slot:
    core::NodeIndex node = {};
    std::uint16_t shape = 0;
};

struct Nomination {
    /// Pods of one shape on one node.
    struct Place {
        core::NodeIndex node;
        std::size_t shape = 0;  ///< 0: the driver; n: the n-th of the gang's shapes
        std::int64_t left = 0;  ///< of them, those that nothing is held for yet
    };
    std::vector<Victim> victims;
    std::vector<Place> places;
    std::vector<core::AllocationId> held;
    std::uint64_t nodes_version = 0;  ///< of the places: another one, and they are void
    std::int64_t replan_ms = 0;       ///< not 0: others are looked for then
    // For what is said of it:
    std::string whom;            ///< "gang a, gang b and 2 more"
    std::int64_t pods = 0;       ///< of all victims, when they were chosen
    std::int64_t pods_gone = 0;  ///< of these
    bool was_refused = false;    ///< and it was said
};

class Nominations {
public:
    /// nullptr: nothing is nominated for it.
    const Nomination* find(const std::string& gang) const {
        const auto found = nominations_.find(gang);
        return found == nominations_.end() ? nullptr : &found->second;
    }
    /// By the gang's uid.
    std::map<std::string, Nomination>& all() { return nominations_; }
    const std::map<std::string, Nomination>& all() const { return nominations_; }
    void add(const std::string& gang, Nomination nomination) {
        nominations_.insert_or_assign(gang, std::move(nomination));
        ++version_;
    }
    /// A pod's room at this place belongs to the gang from now on.
    void hold(Nomination& nomination, Nomination::Place& place, core::AllocationId room) {
        nomination.held.push_back(room);
        --place.left;
        ++version_;
    }
    /// What is held is free again, and nothing is nominated any more.
    void give_back(const std::string& gang, core::Cluster& cluster) {
        const auto found = nominations_.find(gang);
        if (found == nominations_.end()) {
            return;
        }
        for (const core::AllocationId room : found->second.held) {
            cluster.allocations().release(room);
        }
        nominations_.erase(found);
        ++version_;
    }
    /// Grows with each change.
    std::uint64_t version() const { return version_; }
    std::size_t size() const { return nominations_.size(); }
    std::size_t held_count() const {
        std::size_t held = 0;
        for (const auto& [gang, nomination] : nominations_) {
            held += nomination.held.size();
        }
        return held;
    }

private:
    std::map<std::string, Nomination> nominations_;
    std::uint64_t version_ = 0;
};

}  // namespace gang
