#include "gang/model/ledger.hpp"

#include "core/base/result.hpp"

#include <utility>

namespace gang {

void Ledger::choose_card_anew(const Application& app, const Slot& slot) {
    cluster_.allocations().choose_card_anew(slot.allocation, cards_.choice_of(app, slot));
}

void Ledger::charge_again(const Application& app) {
    for (const Slot& slot : app.slots) {
        shares_.charges.add_slots(app.uid, held_by(cluster_, app, slot), 1);
    }
}

void Ledger::resize_unplaced(
    const Application& app, std::size_t shape, const core::Resources& size) {
    for (const Slot& slot : app.slots) {
        if (slot.shape == shape && slot.allocation.is_none()) {
            shares_.charges.resize_slot(app.uid, held_by(cluster_, app, slot), size);
        }
    }
}

void Ledger::add(Application& app, std::size_t shape, std::string_view node, std::int64_t count) {
    ENSURE(shape <= UINT16_MAX);
    const core::Text text = texts_.keep(node);
    for (std::int64_t i = 0; i < count; ++i) {
        Slot& slot = app.slots.emplace_back();
        slot.shape = static_cast<std::uint16_t>(shape);
        slot.node = text;
    }
    SlotCounts::add_unplaced(app, count);
    shares_.charges.add_slots(app.uid, cluster_.resources(app.declared.shapes[shape].id), count);
}

void Ledger::add_open(
    Application& app, std::size_t shape, core::NodeIndex node, std::int64_t count) {
    const std::size_t first = app.slots.size();
    add(app, shape, cluster_.nodes().name(node), count);
    for (std::size_t i = first; i < app.slots.size(); ++i) {
        open_at(app, app.slots[i], node);
    }
}

void Ledger::open(Application& app, Slot& slot, std::string_view node) {
    slot.node = texts_.keep(node);
    open_at(app, slot, cluster_.node_or_placeholder(node));
}

void Ledger::open_at(Application& app, Slot& slot, core::NodeIndex node) {
    ENSURE(slot.allocation.is_none());
    counts_.set_state(app, slot, SlotState::open);
    slot.allocation = cluster_.allocate(
        node,
        app.declared.shapes[slot.shape].id,
        core::UsedBy::gang,
        1,
        cards_.choice_of(app, slot));
    counts_.add_room(slot);
}

void Ledger::assign(Application& app, std::size_t index, PodEntry& entry) {
    const SlotState state = entry.bind_in_flight ? SlotState::assumed
                            : entry.pod.deleting ? SlotState::draining
                                                 : SlotState::bound;
    assign_to(
        app,
        app.slots[index],
        {entry.id,
         entry.pod.uid,
         entry.node(),
         entry.pod.requests,
         state,
         cards_.use_of(entry.pod)});
    entry.slot = static_cast<std::int32_t>(index);
}

void Ledger::assign(Application& app, std::size_t index, PodId compacted) {
    assign_to(
        app,
        app.slots[index],
        {compacted,
         pods_.uid(compacted),
         pods_[compacted].node(),
         pods_[compacted].requests(),
         SlotState::bound,
         {}});
    pods_.set_slot(compacted, static_cast<std::int32_t>(index));
}

void Ledger::assign_to(Application& app, Slot& slot, const Assignee& assignee) {
    counts_.remove_room(slot);
    const core::Resources& size = cluster_.resources(app.declared.shapes[slot.shape].id);
    const core::Resources amounts = core::larger(size, assignee.requests);
    std::optional<core::AllocationId> own = cluster_.take_pod(assignee.uid);
    core::CardUse cards = assignee.cards;
    if (own && cards.said.empty() && !amounts.extended.empty()) {
        cards.said = cluster_.allocations().cards_of(*own);
    }
    // Of another amount than the slot's nobody has said where all of it is.
    if (amounts.extended != assignee.requests.extended) {
        cards.said.clear();
    }
    shares_.charges.drop_pod(assignee.uid);
    shares_.charges.resize_slot(app.uid, held_by(cluster_, app, slot), amounts);
    if (!slot.allocation.is_none() && slot.node == assignee.node) {
        cluster_.allocations().reallocate(slot.allocation, amounts, core::UsedBy::gang, cards);
    } else {
        if (!slot.allocation.is_none()) {
            cluster_.allocations().release(slot.allocation);
        }
        if (slot.node != assignee.node) {
            slot.node = texts_.keep(assignee.node);
        }
        if (own && cluster_.nodes().name(cluster_.allocations().of(*own).node) == assignee.node) {
            slot.allocation = *std::exchange(own, std::nullopt);
            cluster_.allocations().reallocate(slot.allocation, amounts, core::UsedBy::gang, cards);
        } else {
            slot.allocation = cluster_.allocations().allocate(
                cluster_.node_or_placeholder(slot.node.str()), amounts, core::UsedBy::gang, cards);
        }
    }
    if (own) {
        cluster_.allocations().release(*own);
    }
    slot.pod = assignee.pod;
    counts_.set_state(app, slot, assignee.state);
}

void Ledger::release(Application& app, PodEntry& entry) {
    Slot& slot = app.slots[static_cast<std::size_t>(entry.slot)];
    entry.slot = -1;
    slot.pod = {};
    counts_.set_state(app, slot, SlotState::open);
    const core::Resources& size = cluster_.resources(app.declared.shapes[slot.shape].id);
    shares_.charges.resize_slot(app.uid, held_by(cluster_, app, slot), size);
    cluster_.allocations().reallocate(slot.allocation, size, core::UsedBy::gang);
    // A device plugin may have put who is gone on several cards: the next is promised one that has enough.
    if (cluster_.allocations().cards_of(slot.allocation).size() > 1) {
        choose_card_anew(app, slot);
    }
    counts_.add_room(slot);
}

void Ledger::unplace(Application& app, Slot& slot) {
    counts_.remove_room(slot);
    if (!slot.allocation.is_none()) {
        shares_.charges.resize_slot(
            app.uid,
            held_by(cluster_, app, slot),
            cluster_.resources(app.declared.shapes[slot.shape].id));
        cluster_.allocations().release(slot.allocation);
    }
    slot.allocation = {};
    counts_.set_state(app, slot, SlotState::unplaced);
}

void Ledger::give_up(
    Application& app, const std::vector<std::size_t>& slots, std::int64_t generation) {
    std::vector<Slot> kept;
    auto next = slots.begin();
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        Slot& slot = app.slots[i];
        if (next == slots.end() || *next != i) {
            if (!slot.pod.is_none()) {
                pods_.set_slot(slot.pod, static_cast<std::int32_t>(kept.size()));
            }
            kept.push_back(std::move(slot));
            continue;
        }
        ++next;
        ENSURE(slot.pod.is_none());
        shares_.charges.add_slots(app.uid, held_by(cluster_, app, slot), -1);
        if (!slot.allocation.is_none()) {
            counts_.remove_room(slot);
            releases_.keep(app, slot.allocation, generation);
        }
    }
    app.slots = std::move(kept);
    counts_.count_anew(app);
}

void Ledger::give_up_unfilled(Application& app, std::int64_t generation) {
    std::vector<std::size_t> unfilled;
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        if (app.slots[i].pod.is_none()) {
            unfilled.push_back(i);
        }
    }
    give_up(app, unfilled, generation);
}

void Ledger::take_out(Application& app, std::size_t slot) {
    const Slot taken = app.slots[slot];
    ENSURE(!taken.pod.is_none());
    app.slots.erase(app.slots.begin() + static_cast<std::ptrdiff_t>(slot));
    for (std::size_t i = slot; i < app.slots.size(); ++i) {
        if (!app.slots[i].pod.is_none()) {
            pods_.set_slot(app.slots[i].pod, static_cast<std::int32_t>(i));
        }
    }
    counts_.count_anew(app);
    let_stand_alone(app, taken);
}

void Ledger::put_back(Application& app, std::size_t shape, PodId executor) {
    add(app, shape, pods_[executor].node(), 1);
    const std::size_t last = app.slots.size() - 1;
    if (pods_.is_compacted(executor)) {
        assign(app, last, executor);
    } else {
        assign(app, last, pods_.expand(executor));
    }
}

/// What a slot that is none any more held, and who was in it.
void Ledger::let_stand_alone(const Application& app, const Slot& slot) {
    shares_.charges.add_slots(app.uid, held_by(cluster_, app, slot), -1);
    core::CardUse cards;
    if (!slot.allocation.is_none()) {
        counts_.remove_room(slot);
        cards.said = cluster_.allocations().cards_of(slot.allocation);
        cluster_.allocations().release(slot.allocation);
    }
    if (!slot.pod.is_none()) {
        pods_.set_slot(slot.pod, -1);
        pod_allocations_.leave_slot(slot.pod, app.uid, cards);
    }
}

void Ledger::hand_over(Application& from, Application& to) {
    for (const Slot& slot : from.slots) {
        const core::Resources& held = held_by(cluster_, from, slot);
        shares_.charges.add_slots(to.uid, held, 1);
        shares_.charges.add_slots(from.uid, held, -1);
    }
    to.slots = std::exchange(from.slots, {});
    to.pending_releases = std::exchange(from.pending_releases, {});
    counts_.count_anew(from);
    counts_.count_anew(to);
}

void Ledger::drop(Application& app) {
    const std::vector<Slot> slots = std::exchange(app.slots, {});
    counts_.count_anew(app);
    for (const Slot& slot : slots) {
        let_stand_alone(app, slot);
    }
    releases_.drop(app);
    app.published.reserved = false;
}

}  // namespace gang
