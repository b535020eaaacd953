#pragma once
// The room that gangs hold, slot by slot, kept equal to the cluster's allocations: every move
// changes both at once. Knows nothing of time, queues or messages.

#include "config/schema.hpp"
#include "core/base/text.hpp"
#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/shares/shares.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
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
        : cluster_(cluster), pods_(pods), texts_(texts), shares_(shares), schema_(schema) {}

    /// Allocates what a pod of ours takes where it is, unless a slot does.
    void settle(const PodEntry& entry);
    /// The pod is gone.
    void forget(const PodEntry& entry);

    /// It is to have so many slots in all: there will be no room for more than it needs.
    static void expect(Application& app, std::int64_t slots) {
        app.slots.reserve(static_cast<std::size_t>(slots));
    }

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

    /// Allocates the room that an unplaced slot had on its node, until `generation` is written.
    void release_later(Application& app, const Slot& slot, std::int64_t generation);

    /// The same for these amounts; as far as pods are counted, they are one.
    void release_later(
        Application& app,
        std::string_view node,
        const core::Resources& amounts,
        std::int64_t generation);

    /// The reservation of this generation is stored: what it no longer names is free.
    void finish_releases(Application& app, std::int64_t generation);

    /// These slots, which nobody is in, cease to be; their room is held until `generation` is
    /// written. Indices ascending.
    void give_up(Application& app, const std::vector<std::size_t>& slots, std::int64_t generation);

    /// This slot ceases to be; its executor goes on beside its gang, and is allocated as itself.
    void take_out(Application& app, std::size_t slot);

    /// The opposite: an executor beside its gang, who is there, gets one more slot of this shape.
    void put_back(Application& app, std::size_t shape, PodId executor);

    /// All open and unplaced slots.
    void give_up_unfilled(Application& app, std::int64_t generation);

    /// All slots of the gang, and the room that some have left, are the other's from now on.
    void hand_over(Application& from, Application& to);

    /// The gang holds nothing any more. Executors that still run are allocated as themselves.
    void drop(Application& app);

    /// An open slot on a usable node that takes this executor, those of its own profile first.
    /// `avoids_overcommitted`: none on a node where more is allocated than it has, as long as
    /// nobody may move slots away from it. `allowed`: the executor's nodes, if not all.
    std::optional<std::size_t> find_open(
        const Application& app,
        const PodEntry& entry,
        bool avoids_overcommitted,
        const core::NodeBitmap* allowed = nullptr) const;

    /// Whether others have taken more of the node than it has, as far as the shape asks for it.
    /// Room that slots have left and that is still held is on its way out and does not count.
    bool is_overcommitted_for(core::NodeIndex node, core::ShapeId shape) const;

    /// Whether an open slot can stay where it is.
    bool is_usable(const Application& app, const Slot& slot) const;

    /// Queues are others: what the pod holds by itself is charged again. `before`: where its holder
    /// was charged, nullptr: nowhere.
    void charge_again(const PodEntry& entry, const NamedAccount* before);
    /// So are the gang's slots.
    void charge_again(const Application& app);

    /// What the slot is to its queue: its room; of one without any, what it is to have.
    const core::Resources& held_by(const Application& app, const Slot& slot) const;

    /// CPU of all open slots, in thousandths of a core.
    std::int64_t open_milli() const { return open_milli_; }

    /// Gangs with open slots: few, however many run or wait.
    const std::set<Rank>& unfilled() const { return unfilled_; }

    /// Of all gangs.
    std::size_t pending_release_count() const { return pending_.size(); }

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
    core::CardChoice card_choice(
        std::string_view scheduler_name, std::optional<core::PackingPolicy> packing) const;
    core::CardUse card_use(const core::Pod& pod) const;
    core::CardChoice card_choice_of(const Application& app, const Slot& slot) const;
    void assign_to(Application& app, Slot& slot, const Assignee& assignee);
    void let_stand_alone(const Application& app, const Slot& slot);
    void open_at(Application& app, Slot& slot, core::NodeIndex node);
    void set_state(Application& app, Slot& slot, SlotState state);
    void count_anew(Application& app);
    void note_unfilled(const Application& app);
    void count_open(const Slot& slot, std::int64_t sign);
    void keep(Application& app, core::AllocationId allocation, std::int64_t generation);
    void hold_by_itself(const PodEntry& entry, const NamedAccount* before = nullptr);

    core::Cluster& cluster_;
    Pods& pods_;
    core::Texts& texts_;
    Shares& shares_;
    const config::Schema& schema_;
    std::int64_t open_milli_ = 0;
    std::set<Rank> unfilled_;
    std::set<core::AllocationId> pending_;  ///< the pending releases of all gangs
};

/// Whether the API server has the reservation that names this slot where it is.
inline bool is_stored(const Application& app, const Slot& slot) {
    return app.published.first_generation + slot.since <= app.published.stored;
}

/// The profile label of an executor, 0 if there is none.
std::int32_t profile_of(const core::Pod& executor);

/// What the annotation of an executor says of its slot; valid as long as the pod.
struct SlotNote {
    SlotAnnotation kind = SlotAnnotation::none;
    std::string_view gang;  ///< Application::gang_uid() of the gang whose slot it is; else empty
};
SlotNote read_slot_annotation(const core::Pod& executor);

/// Whether each amount of `inner` is within `outer`.
bool fits_within(const core::Resources& inner, const core::Resources& outer);

}  // namespace gang
