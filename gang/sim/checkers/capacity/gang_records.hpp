#pragma once
// What is remembered of every gang, by the pod that bears its reservation: its driver, or of a pod
// group its anchor. In a group one anchor may follow another.

#include "gang/sim/checkers/capacity/amount.hpp"
#include "gang/sim/plane/group_jobs.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::sim {

struct GangRecord {
    bool is_live = false;  ///< its driver is bound, has not ended and is not being deleted
    bool has_reservation = false;
    bool is_forsaken = false;   ///< relabelled, and no seal says that it is one
    bool is_void = false;       ///< its tenant has edited it, and no scheduler has written it since
    bool is_succeeded = false;  ///< another pod of its group bears the reservation now,
    PodId heir = nobody;        ///< this one
    std::pair<std::int64_t, std::int64_t> age;  ///< epoch and generation that its text names
    std::uint64_t revision = 0;                 ///< at which a scheduler wrote it last
    std::string text;                           ///< as a scheduler wrote it last
    std::string seal;                           ///< that it wrote with it
    /// Slots that the text named when its tenant edited it, or that an older one names which he put
    /// back; or that of the pod of its group before it.
    std::map<NodeId, std::int64_t> lost;
    std::int64_t slots = 0;                                 ///< of all shapes, unplaced ones too
    std::vector<std::pair<Amount, std::int64_t>> unplaced;  ///< how many of which size
    std::vector<NodeId> nodes;                              ///< on which it has slots
};

class GangRecords {
public:
    /// `group_jobs` outlives this.
    explicit GangRecords(const GroupJobs& group_jobs) : group_jobs_(group_jobs) {}

    /// There is a record from now on.
    GangRecord& record(PodId driver) { return gangs_[driver]; }
    GangRecord* find(PodId driver);
    const GangRecord* find(PodId driver) const;
    const std::map<PodId, GangRecord>& all() const { return gangs_; }
    /// See GangRecord; not so of a driver without a gang.
    bool is_forsaken(PodId driver) const;
    /// Of its group's other pods the one whose text was written last, which an anchor goes on from.
    std::optional<PodId> predecessor(PodId anchor) const;
    /// Who bears the reservation now: a bind that was under way may name the one before.
    PodId heir_of(PodId anchor) const;

private:
    const GroupJobs& group_jobs_;
    std::map<PodId, GangRecord> gangs_;
};

}  // namespace gang::sim
