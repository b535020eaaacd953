#pragma once
// What the history says about room: per node the pods that are there, and per gang the slots that
// its reservation names and that no pod sits in. Built from commits alone: it has never seen our
// ledger.
//
//   usage(node) = requests of all bound pods that have not ended
//               + for each gang with a live driver: (slots there - its pods in them there) * slot
//
// Of a reservation the text that counts is the one that a scheduler wrote last. A tenant's edit
// ends what it promised: whoever leads may make the slots anew, elsewhere. Of a pod group the newest
// one counts, whichever of its pods bears it: who sat in a slot of the one before sits in one of it.

#include "core/value/resources.hpp"
#include "gang/reservation/format/seal.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/group_jobs.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::sim {

struct Amount {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t pods = 0;
    std::int64_t gpus = 0;
    std::int64_t ports = 0;  ///< `host_port`, of which each node has one
    std::int64_t units = 0;  ///< of cards, whichever

    void add(const Amount& other, std::int64_t times) {
        cpu_milli += other.cpu_milli * times;
        memory_bytes += other.memory_bytes * times;
        pods += other.pods * times;
        gpus += other.gpus * times;
        ports += other.ports * times;
        units += other.units * times;
    }
    bool is_within(const Amount& bound) const {
        return cpu_milli <= bound.cpu_milli && memory_bytes <= bound.memory_bytes &&
               pods <= bound.pods && gpus <= bound.gpus && ports <= bound.ports &&
               units <= bound.units;
    }
    bool is_more_than(const Amount& before) const {
        return cpu_milli > before.cpu_milli || memory_bytes > before.memory_bytes ||
               pods > before.pods || gpus > before.gpus || ports > before.ports ||
               units > before.units;
    }
    friend bool operator==(const Amount&, const Amount&) = default;
};

/// Of one pod.
inline Amount amount_of(const core::Resources& requests) {
    return {
        requests.cpu_milli,
        requests.memory_bytes,
        1,
        requests.extended_amount(gpu_resource),
        wants_host_port(requests) ? 1 : 0,
        requests.extended_amount(card_resource)};
}

/// A gang's slots of one size on one node and how many of its pods sit in them.
struct SizedSlots {
    std::int64_t slots = 0;
    std::int64_t assigned = 0;
    Amount unit;
    std::int64_t open() const { return slots > assigned ? slots - assigned : 0; }
};

/// All of them there. Of a gang with one size every pod is of it, whatever its own is.
struct NodeSlots {
    std::vector<SizedSlots> sizes;

    /// Those that a pod of this size sits in.
    SizedSlots& of(const Amount& size);
    /// The same of one that comes: where none of its size is open, it has one that it fits into, or
    /// else any.
    SizedSlots& open_for(const Amount& size);
    std::int64_t open() const;
    /// What the open ones keep.
    Amount room() const;
};

/// What is remembered of one pod.
struct Seen {
    NodeId node = nobody;  ///< bound there and not ended
    NodeId counted_on = nobody;
    NodeId was_on = nobody;  ///< bound there, whether or not it has ended
    PodId gang = nobody;  ///< the driver whose slot it says to be in
    PodId owner = nobody;  ///< its controller
    bool is_surplus = false;  ///< a scheduler has said so
    std::int64_t slot = -1;
    std::string tenant_slot;   ///< what its tenant has written there
    bool is_unmarked = false;  ///< its tenant has taken away what a scheduler wrote there
    std::uint64_t binder = 0;  ///< the process that bound it: it alone numbers its slots
    Amount amount;
    Amount slot_size;
    bool is_bound = false;
    bool is_over = false;
    bool is_gone = false;
    std::uint64_t bound_revision = 0;
    std::int64_t created_ms = 0;
};

struct GangRecord {
    bool is_live = false;  ///< its driver is bound, has not ended and is not being deleted
    bool has_reservation = false;
    bool is_forsaken = false;  ///< relabelled, and no seal says that it is one
    bool is_void = false;      ///< its tenant has edited it, and no scheduler has written it since
    bool is_succeeded = false;  ///< another pod of its group bears the reservation now,
    PodId heir = nobody;        ///< this one
    std::pair<std::int64_t, std::int64_t> age;  ///< epoch and generation that its text names
    std::uint64_t revision = 0;                 ///< at which a scheduler wrote it last
    std::string text;          ///< as a scheduler wrote it last
    std::string seal;          ///< that it wrote with it
    /// Slots that the text named when its tenant edited it, or that an older one names which he put
    /// back; or that of the pod of its group before it.
    std::map<NodeId, std::int64_t> lost;
    std::int64_t slots = 0;               ///< of all shapes, unplaced ones too
    std::vector<std::pair<Amount, std::int64_t>> unplaced;  ///< how many of which size
    std::vector<NodeId> nodes;            ///< on which it has slots
};

class CapacityModel {
public:
    /// Both outlive the room.
    CapacityModel(const Seal& seal, const GroupJobs& group_jobs)
        : seal_(seal), group_jobs_(group_jobs) {}

    /// The pod's new state; `is_ours`: a scheduler wrote it, so its annotations count.
    void pod_changed(const Entry<core::Pod>& entry, const Author& author, std::int64_t now_ms);
    void node_changed(const Entry<core::Node>& entry);

    /// Another leader: without a valid seal what a group's anchor bears counts for nothing to it.
    void forget_unsealed(PodId anchor);

    Amount usage(NodeId node) const;
    Amount pods_on(NodeId node) const;
    Amount allocatable(NodeId node) const;
    Amount open_on(NodeId node) const;
    const Seen& seen(PodId pod) const { return pods_[pod]; }
    bool knows(PodId pod) const { return pod < pods_.size(); }
    const GangRecord* find_gang(PodId driver) const;
    /// See GangRecord; not so of a driver without a gang.
    bool is_forsaken(PodId driver) const {
        const GangRecord* const gang = find_gang(driver);
        return gang != nullptr && gang->is_forsaken;
    }
    /// Whether its reservation names no more slots there than before its tenant edited it.
    bool is_restored(PodId driver, NodeId node) const;
    const std::map<PodId, NodeSlots>& node_slots(NodeId node) const {
        return nodes_[node].node_slots;
    }
    const std::map<PodId, GangRecord>& gangs() const { return gangs_; }
    std::size_t node_count() const { return nodes_.size(); }
    /// Other live pods that the same process put into the same slot. A number alone does not say
    /// which slot it is: those behind slots that are given up are counted anew.
    std::int64_t rivals(PodId pod) const;
    /// Slots of the gang that stand open for pods of this size; of a gang with one size, all.
    std::int64_t open_for(PodId driver, const Amount& size) const;
    /// Live pods in slots of this gang that had a number, on all nodes.
    std::int64_t assigned(PodId driver) const;

private:
    void lose_put_back(GangRecord& gang, core::Pod pod) const;
    struct NodeRecord {
        Amount allocatable;
        Amount pods;
        std::map<PodId, NodeSlots> node_slots;  ///< by driver
    };
    NodeRecord& node(NodeId id);
    void assign(Seen& pod, int sign);
    std::optional<PodId> predecessor(PodId anchor) const;
    bool is_older(PodId anchor, const std::string& text) const;
    PodId heir_of(PodId anchor) const;
    void move_seats(PodId from, PodId to);
    void succeed(PodId before, PodId anchor);
    static void add_named(GangRecord& gang, const std::string& text);
    void read_reservation(PodId driver, const core::Pod& pod, const std::string& text);
    void tenant_edited(PodId driver, const core::Pod& pod);
    void clear_slots(PodId driver);
    void forget_numbers(PodId driver);
    void seat(PodId driver, int sign);
    void seat_executors(PodId driver);
    void seat_unmarked(PodId anchor);

    const Seal& seal_;
    const GroupJobs& group_jobs_;
    std::vector<Seen> pods_;
    std::vector<NodeRecord> nodes_;
    std::map<PodId, GangRecord> gangs_;
};

}  // namespace gang::sim
