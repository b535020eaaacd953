#pragma once
// The room that gangs hold, slot by slot, kept equal to the cluster's allocations: every move
// changes both at once, and what the gang is charged for. Knows nothing of time or messages.
//
// What pods hold without a slot, room on its way out, and how many slots there are in which state
// are parts of it (folder slot/).

#include "config/schema.hpp"
#include "core/base/text.hpp"
#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/slot/card_policy.hpp"
#include "gang/model/slot/pending_releases.hpp"
#include "gang/model/slot/pod_allocations.hpp"
#include "gang/model/slot/slot_counts.hpp"
#include "gang/model/slot/slot_queries.hpp"
#include "gang/shares/shares.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gang {

class Ledger {
public:
    Ledger(
        core::Cluster& cluster,
        Pods& pods,
        core::Texts& texts,
        Shares& shares,
        const config::Schema& schema)
        : cluster_(cluster),
          pods_(pods),
          texts_(texts),
          shares_(shares),
          cards_(cluster, pods, schema),
          pod_allocations_(cluster, pods, shares, cards_),
          counts_(cluster),
          releases_(cluster) {}
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    /// What pods hold that are in no slot.
    PodAllocations& pod_allocations() { return pod_allocations_; }
    const SlotCounts& counts() const { return counts_; }
    /// Room that slots have left, and that is not free yet.
    PendingReleases& releases() { return releases_; }
    const PendingReleases& releases() const { return releases_; }

    /// An open slot may be served by another card of its node than the one that is overdrawn.
    void choose_card_anew(const Application& app, const Slot& slot);

    /// So many more slots, without room; `node`: where they were last.
    void add(Application& app, std::size_t shape, std::string_view node, std::int64_t count);

    /// So many more slots, open on this node.
    void add_open(Application& app, std::size_t shape, core::NodeIndex node, std::int64_t count);

    /// A slot without room gets it on this node, whether or not there is any left.
    void open(Application& app, Slot& slot, std::string_view node);

    /// The executor is on its node (or on its way): the slot is its room from now on, there.
    /// Repeating it takes over a changed request.
    void assign(Application& app, std::size_t slot, PodEntry& entry);
    /// The same of one that is compacted, and stays so.
    void assign(Application& app, std::size_t slot, PodId compacted);

    /// The executor has left its slot, which is open again on the same node.
    void release(Application& app, PodEntry& entry);

    /// Its executors of this shape ask for something else: what slots without room will be.
    void resize_unplaced(const Application& app, std::size_t shape, const core::Resources& size);

    /// The slot's room is given up; it waits for other room.
    void unplace(Application& app, Slot& slot);

    /// These slots, which nobody is in, cease to be; their room is held until `generation` is
    /// written. Indices ascending.
    void give_up(Application& app, const std::vector<std::size_t>& slots, std::int64_t generation);

    /// The same of all open and unplaced slots.
    void give_up_unfilled(Application& app, std::int64_t generation);

    /// This slot ceases to be; its executor goes on beside its gang, and is allocated as itself.
    void take_out(Application& app, std::size_t slot);

    /// The opposite: an executor beside its gang, who is there, gets one more slot of this shape.
    void put_back(Application& app, std::size_t shape, PodId executor);

    /// All slots of the gang, and the room that some have left, are the other's from now on.
    void hand_over(Application& from, Application& to);

    /// The gang holds nothing any more. Executors that still run are allocated as themselves.
    void drop(Application& app);

    /// Queues are others: the gang's slots are charged again.
    void charge_again(const Application& app);

private:
    /// What a slot is filled with.
    struct Assignee {
        PodId pod;
        const std::string& uid;
        const std::string& node;
        const core::Resources& requests;
        SlotState state;
        core::CardUse cards;
    };
    void assign_to(Application& app, Slot& slot, const Assignee& assignee);
    void let_stand_alone(const Application& app, const Slot& slot);
    void open_at(Application& app, Slot& slot, core::NodeIndex node);

    core::Cluster& cluster_;
    Pods& pods_;
    core::Texts& texts_;
    Shares& shares_;
    CardPolicy cards_;
    PodAllocations pod_allocations_;
    SlotCounts counts_;
    PendingReleases releases_;
};

/// The gang is to have so many slots in all: it takes no memory for more than it needs.
inline void reserve_slots(Application& app, std::int64_t count) {
    app.slots.reserve(static_cast<std::size_t>(count));
}

}  // namespace gang
