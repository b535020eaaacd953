#pragma once
// What the history says about room: per node the pods that are there, and per gang the slots that
// its reservation names and that no pod sits in. Built from commits alone: it has never seen our
// ledger.
//
// Of a reservation the text that counts is the one that a scheduler wrote last, as long as its
// driver lives. A tenant's edit ends what it promised: whoever leads may make the slots anew,
// elsewhere. Of a pod group the newest one counts, whichever of its pods bears it: who sat in a
// slot of the one before sits in one of it.

#include "gang/reservation/format/seal.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/capacity/gang_records.hpp"
#include "gang/sim/checkers/capacity/node_usage.hpp"
#include "gang/sim/checkers/capacity/seen_pods.hpp"
#include "gang/sim/plane/group_jobs.hpp"

#include <cstdint>
#include <string>

namespace gang {
struct ReservedShape;
}

namespace gang::sim {

class CapacityModel {
public:
    /// Both outlive the model.
    CapacityModel(const Seal& seal, const GroupJobs& group_jobs)
        : seal_(seal), group_jobs_(group_jobs), gangs_(group_jobs) {}

    /// The pod's new state. Only what a scheduler wrote counts of its annotations.
    void pod_changed(const Entry<core::Pod>& entry, const Author& author, std::int64_t now_ms);
    void node_changed(const Entry<core::Node>& entry) { nodes_.node_changed(entry); }
    /// Another leader: without a valid seal what a group's anchor bears counts for nothing to it.
    void forget_unsealed(PodId anchor);

    const SeenPods& pods() const { return pods_; }
    const NodeUsage& nodes() const { return nodes_; }
    const GangRecords& gangs() const { return gangs_; }
    /// Whether its reservation names no more slots there than before its tenant edited it.
    bool is_restored(PodId driver, NodeId node) const;
    /// Slots of the gang that stand open for pods of this size, unplaced ones too; of a gang with
    /// one size, all.
    std::int64_t open_for(PodId driver, const Amount& size) const;

private:
    void written_by_us(const Entry<core::Pod>& entry, bool was_bound);
    void read_reservation(PodId driver, const core::Pod& pod, const std::string& text);
    void read_shape(PodId driver, const ReservedShape& shape, bool is_one_of_several);
    void tenant_edited(PodId driver, const core::Pod& pod);
    void make_void(PodId driver, GangRecord& gang);
    void clear_slots(PodId driver, GangRecord& gang);
    bool is_older(PodId anchor, const std::string& text) const;
    void succeed(PodId before, PodId anchor);
    void move_seats(PodId from, PodId to);
    void seat(PodId driver, int sign);
    void seat_executors(PodId driver);
    void seat_unmarked(PodId anchor);
    bool has_open_slot(PodId driver, NodeId node) {
        return nodes_.slots_of(driver, node).open() > 0;
    }
    void sit_down(Seen& pod, PodId driver);

    const Seal& seal_;
    const GroupJobs& group_jobs_;
    SeenPods pods_;
    NodeUsage nodes_;
    GangRecords gangs_;
};

}  // namespace gang::sim
