#include "gang/model/ledger.hpp"

#include "core/filter/filters.hpp"
#include "core/placement/packing_policy.hpp"
#include "core/value/device/card_dialect.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gang {

std::int32_t profile_of(const core::Pod& executor) {
    const std::string* label = core::find_value(executor.labels, "spark-exec-resourceprofile-id");
    std::int32_t profile = 0;
    if (label != nullptr) {
        std::from_chars(label->data(), label->data() + label->size(), profile);
    }
    return profile;
}

SlotNote read_slot_annotation(const core::Pod& executor) {
    const std::string* value = core::find_value(executor.annotations, slot_annotation);
    if (value == nullptr) {
        return {};
    }
    if (*value == surplus_slot) {
        return {SlotAnnotation::surplus, {}};
    }
    return {SlotAnnotation::slot, std::string_view(*value).substr(0, value->find('/'))};
}

bool fits_within(const core::Resources& inner, const core::Resources& outer) {
    return core::larger(inner, outer) == outer;
}

void Ledger::note_unfilled(const Application& app) {
    if (app.count(SlotState::open) > 0) {
        unfilled_.insert(app.rank());
    } else {
        unfilled_.erase(app.rank());
    }
}

void Ledger::set_state(Application& app, Slot& slot, SlotState state) {
    const bool had_open = app.count(SlotState::open) > 0;
    --app.slots_in[static_cast<std::size_t>(slot.state)];
    ++app.slots_in[static_cast<std::size_t>(state)];
    slot.state = state;
    if (had_open != (app.count(SlotState::open) > 0)) {
        note_unfilled(app);
    }
    const auto index = static_cast<std::size_t>(&slot - app.slots.data());
    if (state == SlotState::open) {
        app.open_from = std::min(app.open_from, index);
    } else if (app.count(SlotState::open) == 0) {
        app.open_from = app.slots.size();
    } else if (index == app.open_from) {
        const auto next = std::find_if(
            app.slots.begin() + static_cast<std::ptrdiff_t>(index),
            app.slots.end(),
            [](const Slot& other) { return other.state == SlotState::open; });
        app.open_from = static_cast<std::size_t>(next - app.slots.begin());
    }
}

void Ledger::count_anew(Application& app) {
    app.slots_in = {};
    app.open_from = 0;
    for (const Slot& slot : app.slots) {
        ++app.slots_in[static_cast<std::size_t>(slot.state)];
    }
    note_unfilled(app);
}

/// Called while the slot is open and allocated: after it has become so, before it ceases to be.
void Ledger::count_open(const Slot& slot, std::int64_t sign) {
    if (slot.state == SlotState::open && !slot.allocation.is_none()) {
        open_milli_ += sign * cluster_.resources_of(slot.allocation).cpu_milli;
    }
}

const core::Resources& Ledger::held_by(const Application& app, const Slot& slot) const {
    return slot.allocation.is_none() ? cluster_.resources(app.declared.shapes[slot.shape].id)
                                     : cluster_.resources_of(slot.allocation);
}

core::CardChoice Ledger::card_choice(
    std::string_view scheduler_name, std::optional<core::PackingPolicy> packing) const {
    if (packing) {
        return core::card_choice(*packing, nullptr);
    }
    const config::Profile* const profile = schema_.find_profile(scheduler_name);
    if (profile == nullptr) {
        return core::CardChoice::least_left;
    }
    return core::card_choice(
        profile->packing, profile->scores.empty() ? nullptr : &profile->scores);
}

core::CardUse Ledger::card_use(const core::Pod& pod) const {
    if (pod.requests.extended.empty()) {
        return {};
    }
    return {
        card_choice(pod.scheduler_name, std::nullopt),
        core::read_pod_cards(pod.annotations, pod.requests, true)};
}

/// As the gang was planned.
core::CardChoice Ledger::card_choice_of(const Application& app, const Slot& slot) const {
    if (!cluster_.demand(app.declared.shapes[slot.shape].id).wants_cards) {
        return core::CardChoice::least_left;
    }
    return card_choice(pods_.scheduler_name(pods_.id_of(app.uid)), app.declared.packing);
}

void Ledger::choose_card_anew(const Application& app, const Slot& slot) {
    cluster_.choose_card_anew(slot.allocation, card_choice_of(app, slot));
}

void Ledger::settle(const PodEntry& entry) {
    if (entry.holds_capacity() && entry.slot < 0) {
        cluster_.upsert_pod(
            entry.pod.uid,
            entry.node(),
            entry.pod.requests,
            core::UsedBy::gang,
            card_use(entry.pod));
        if (shares_.is_active()) {
            hold_by_itself(entry);
        }
    } else {
        forget(entry);
    }
}

void Ledger::forget(const PodEntry& entry) {
    cluster_.remove_pod(entry.pod.uid);
    shares_.charges.drop_pod(entry.pod.uid);
}

/// An executor belongs to its driver's gang, who need not be known yet, and a member to its
/// group's; not to one in another namespace.
void Ledger::hold_by_itself(const PodEntry& entry, const NamedAccount* before) {
    const auto own = [&] {
        if (const auto queue =
                before == nullptr ? std::nullopt : shares_.placement.restore(before->queue)) {
            return QueueAccount{*queue, before->user};
        }
        return shares_.placement
            .place(entry.pod, asked_queue(entry.pod), queue_elsewhere(entry.pod))
            .account;
    };
    const QueueAccount* const owner =
        entry.owner.empty() ? nullptr : shares_.charges.find(entry.owner.str());
    const bool is_of_owner =
        (entry.is_executor || !entry.group.empty()) && !entry.owner.empty() &&
        (owner == nullptr || owner->user.starts_with(entry.pod.namespace_name + "/"));
    shares_.charges.hold_pod(
        entry.pod.uid, is_of_owner ? entry.owner.str() : entry.pod.uid, entry.pod.requests, own);
}

void Ledger::charge_again(const PodEntry& entry, const NamedAccount* before) {
    if (cluster_.find_pod(entry.pod.uid)) {
        hold_by_itself(entry, before);
    }
}

void Ledger::charge_again(const Application& app) {
    for (const Slot& slot : app.slots) {
        shares_.charges.add_slots(app.uid, held_by(app, slot), 1);
    }
}

void Ledger::resize_unplaced(
    const Application& app, std::size_t shape, const core::Resources& size) {
    for (const Slot& slot : app.slots) {
        if (slot.shape == shape && slot.allocation.is_none()) {
            shares_.charges.resize_slot(app.uid, held_by(app, slot), size);
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
    app.slots_in[static_cast<std::size_t>(SlotState::unplaced)] +=
        static_cast<std::uint32_t>(count);
    shares_.charges.add_slots(app.uid, cluster_.resources(app.declared.shapes[shape].id), count);
}

void Ledger::add_open(
    Application& app, std::size_t shape, core::NodeIndex node, std::int64_t count) {
    const std::size_t first = app.slots.size();
    add(app, shape, cluster_.node_name(node), count);
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
    set_state(app, slot, SlotState::open);
    slot.allocation = cluster_.allocate(
        node, app.declared.shapes[slot.shape].id, core::UsedBy::gang, 1, card_choice_of(app, slot));
    count_open(slot, 1);
}

void Ledger::assign(Application& app, std::size_t index, PodEntry& entry) {
    const SlotState state = entry.bind_in_flight ? SlotState::assumed
                            : entry.pod.deleting ? SlotState::draining
                                                 : SlotState::bound;
    assign_to(
        app,
        app.slots[index],
        {entry.id, entry.pod.uid, entry.node(), entry.pod.requests, state, card_use(entry.pod)});
    entry.slot = static_cast<std::int32_t>(index);
}

void Ledger::assign(Application& app, std::size_t index, PodId compacted) {
    assign_to(
        app,
        app.slots[index],
        {compacted,
         pods_.uid(compacted),
         pods_.node(compacted),
         pods_.requests(compacted),
         SlotState::bound,
         {}});
    pods_.set_slot(compacted, static_cast<std::int32_t>(index));
}

void Ledger::assign_to(Application& app, Slot& slot, const Assignee& assignee) {
    count_open(slot, -1);
    const core::Resources& size = cluster_.resources(app.declared.shapes[slot.shape].id);
    const core::Resources amounts = core::larger(size, assignee.requests);
    std::optional<core::AllocationId> own = cluster_.take_pod(assignee.uid);
    core::CardUse cards = assignee.cards;
    if (own && cards.said.empty() && !amounts.extended.empty()) {
        cards.said = cluster_.cards_of(*own);
    }
    // Of another amount than the slot's nobody has said where all of it is.
    if (amounts.extended != assignee.requests.extended) {
        cards.said.clear();
    }
    shares_.charges.drop_pod(assignee.uid);
    shares_.charges.resize_slot(app.uid, held_by(app, slot), amounts);
    if (!slot.allocation.is_none() && slot.node == assignee.node) {
        cluster_.reallocate(slot.allocation, amounts, core::UsedBy::gang, cards);
    } else {
        if (!slot.allocation.is_none()) {
            cluster_.release(slot.allocation);
        }
        if (slot.node != assignee.node) {
            slot.node = texts_.keep(assignee.node);
        }
        if (own && cluster_.node_name(cluster_.allocation_of(*own).node) == assignee.node) {
            slot.allocation = *std::exchange(own, std::nullopt);
            cluster_.reallocate(slot.allocation, amounts, core::UsedBy::gang, cards);
        } else {
            slot.allocation = cluster_.allocate(
                cluster_.node_or_placeholder(slot.node.str()), amounts, core::UsedBy::gang, cards);
        }
    }
    if (own) {
        cluster_.release(*own);
    }
    slot.pod = assignee.pod;
    set_state(app, slot, assignee.state);
}

void Ledger::release(Application& app, PodEntry& entry) {
    Slot& slot = app.slots[static_cast<std::size_t>(entry.slot)];
    entry.slot = -1;
    slot.pod = {};
    set_state(app, slot, SlotState::open);
    const core::Resources& size = cluster_.resources(app.declared.shapes[slot.shape].id);
    shares_.charges.resize_slot(app.uid, held_by(app, slot), size);
    cluster_.reallocate(slot.allocation, size, core::UsedBy::gang);
    count_open(slot, 1);
}

void Ledger::unplace(Application& app, Slot& slot) {
    count_open(slot, -1);
    if (!slot.allocation.is_none()) {
        shares_.charges.resize_slot(
            app.uid, held_by(app, slot), cluster_.resources(app.declared.shapes[slot.shape].id));
        cluster_.release(slot.allocation);
    }
    slot.allocation = {};
    set_state(app, slot, SlotState::unplaced);
}

void Ledger::release_later(Application& app, const Slot& slot, std::int64_t generation) {
    const core::AllocationId allocation = cluster_.allocate(
        cluster_.node_or_placeholder(slot.node.str()),
        app.declared.shapes[slot.shape].id,
        core::UsedBy::gang);
    keep(app, allocation, generation);
}

void Ledger::release_later(
    Application& app,
    std::string_view node,
    const core::Resources& amounts,
    std::int64_t generation) {
    const core::AllocationId allocation =
        cluster_.allocate(cluster_.node_or_placeholder(node), amounts, core::UsedBy::gang);
    keep(app, allocation, generation);
}

void Ledger::keep(Application& app, core::AllocationId allocation, std::int64_t generation) {
    app.pending_releases.make().push_back({allocation, generation});
    pending_.insert(allocation);
}

void Ledger::finish_releases(Application& app, std::int64_t generation) {
    if (!app.pending_releases.is_made()) {
        return;
    }
    std::erase_if(app.pending_releases.make(), [this, generation](const PendingRelease& pending) {
        if (pending.generation > generation) {
            return false;
        }
        pending_.erase(pending.allocation);
        cluster_.release(pending.allocation);
        return true;
    });
    if (app.pending_releases->empty()) {
        app.pending_releases.reset();
    }
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
        shares_.charges.add_slots(app.uid, held_by(app, slot), -1);
        if (!slot.allocation.is_none()) {
            count_open(slot, -1);
            keep(app, slot.allocation, generation);
        }
    }
    app.slots = std::move(kept);
    count_anew(app);
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
    count_anew(app);
    let_stand_alone(app, taken);
}

void Ledger::put_back(Application& app, std::size_t shape, PodId executor) {
    add(app, shape, pods_.node(executor), 1);
    const std::size_t last = app.slots.size() - 1;
    if (pods_.is_compacted(executor)) {
        assign(app, last, executor);
    } else {
        assign(app, last, pods_.expand(executor));
    }
}

/// What a slot that is none any more held, and who was in it.
void Ledger::let_stand_alone(const Application& app, const Slot& slot) {
    shares_.charges.add_slots(app.uid, held_by(app, slot), -1);
    core::CardUse cards;
    if (!slot.allocation.is_none()) {
        count_open(slot, -1);
        cards.said = cluster_.cards_of(slot.allocation);
        cluster_.release(slot.allocation);
    }
    if (slot.pod.is_none()) {
        return;
    }
    pods_.set_slot(slot.pod, -1);
    if (pods_.holds_capacity(slot.pod)) {
        cluster_.upsert_pod(
            pods_.uid(slot.pod),
            pods_.node(slot.pod),
            pods_.requests(slot.pod),
            core::UsedBy::gang,
            cards);
        shares_.charges.hold_pod(
            pods_.uid(slot.pod), app.uid, pods_.requests(slot.pod), [] { return QueueAccount{}; });
    }
}

void Ledger::hand_over(Application& from, Application& to) {
    for (const Slot& slot : from.slots) {
        const core::Resources& held = held_by(from, slot);
        shares_.charges.add_slots(to.uid, held, 1);
        shares_.charges.add_slots(from.uid, held, -1);
    }
    to.slots = std::exchange(from.slots, {});
    to.pending_releases = std::exchange(from.pending_releases, {});
    count_anew(from);
    count_anew(to);
}

void Ledger::drop(Application& app) {
    const std::vector<Slot> slots = std::exchange(app.slots, {});
    count_anew(app);
    for (const Slot& slot : slots) {
        let_stand_alone(app, slot);
    }
    for (const PendingRelease& pending : *app.pending_releases) {
        pending_.erase(pending.allocation);
        cluster_.release(pending.allocation);
    }
    app.pending_releases.reset();
    app.published.reserved = false;
}

std::optional<std::size_t> Ledger::find_open(
    const Application& app,
    const PodEntry& entry,
    bool avoids_overcommitted,
    const core::NodeBitmap* allowed) const {
    const std::int32_t profile = entry.profile;
    std::vector<bool> takes_it;  // by shape: slots are many, shapes few
    for (const GangShape& shape : app.declared.shapes) {
        takes_it.push_back(fits_within(entry.pod.requests, cluster_.resources(shape.id)));
    }
    std::optional<std::size_t> other;
    for (std::size_t i = app.open_from; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        const GangShape& shape = app.declared.shapes[slot.shape];
        if (slot.state != SlotState::open || !is_stored(app, slot) || !takes_it[slot.shape] ||
            (other && shape.profile != profile) || !is_usable(app, slot)) {
            continue;
        }
        // The pod's own constraints decide, not the declared ones.
        const auto node = cluster_.find_node(slot.node.str());
        if (allowed != nullptr && !allowed->test(cluster_.position_of(*node))) {
            continue;
        }
        if (avoids_overcommitted && cluster_.columns().is_overcommitted(*node)) {
            continue;
        }
        if (entry.pod.constraints != cluster_.constraints(shape.id) &&
            !core::filter_node(cluster_.node(*node), entry.pod.constraints).passes()) {
            continue;
        }
        if (shape.profile == profile) {
            return i;
        }
        other = i;
    }
    return other;
}

bool Ledger::is_usable(const Application& app, const Slot& slot) const {
    const auto node = cluster_.find_node(slot.node.str());
    return node && cluster_.is_eligible(*node, app.declared.shapes[slot.shape].id);
}

bool Ledger::is_overcommitted_for(core::NodeIndex node, core::ShapeId shape) const {
    if (!cluster_.columns().is_overcommitted(node)) {
        return false;  // nearly always, and then what is to be released need not be added up
    }
    core::Wide cpu = 0;
    core::Wide memory = 0;
    core::Wide ephemeral = 0;
    core::Wide pods = 0;
    std::vector<const core::Resources*> pending;
    for (const core::AllocationId allocation : pending_) {
        if (cluster_.allocation_of(allocation).node == node) {
            const core::Resources& amounts = cluster_.resources_of(allocation);
            cpu += amounts.cpu_milli;
            memory += amounts.memory_bytes;
            ephemeral += amounts.ephemeral_bytes;
            ++pods;
            pending.push_back(&amounts);
        }
    }
    const core::NodeColumns& columns = cluster_.columns();
    const auto free = core::View::free;
    const auto at = node.value;
    const auto is_short = [&](const core::ExtendedDemand& demand) {
        core::Wide left = columns.extended(node, demand.id, free);
        for (const core::Resources* amounts : pending) {
            left += amounts->extended_amount(cluster_.extended_name(demand.id));
        }
        return left < 0;
    };
    const auto& extended = cluster_.demand(shape).extended;
    return columns.cpu(free)[at] + cpu < 0 || columns.memory(free)[at] + memory < 0 ||
           columns.ephemeral(free)[at] + ephemeral < 0 || columns.pods(free)[at] + pods < 0 ||
           std::any_of(extended.begin(), extended.end(), is_short) ||
           std::any_of(extended.begin(), extended.end(), [&](const core::ExtendedDemand& demand) {
               return columns.is_card_overdrawn(node, demand.id);
           });
}

}  // namespace gang
