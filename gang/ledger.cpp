#include "gang/ledger.hpp"

#include "core/filters.hpp"
#include "core/mutant.hpp"

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

bool fits_within(const core::Resources& inner, const core::Resources& outer) {
    return core::larger(inner, outer) == outer;
}

/// Called while the slot is open and charged: after it has become so, before it ceases to be.
void Ledger::count_open(const Slot& slot, std::int64_t sign) {
    if (slot.state == SlotState::open && !slot.charge.is_none()) {
        open_milli_ += sign * cluster_.resources_of(slot.charge).cpu_milli;
    }
}

void Ledger::settle(const PodEntry& entry) {
    if (entry.holds_room() && entry.slot < 0) {
        cluster_.upsert_pod(entry.pod.uid, entry.node(), entry.pod.requests, core::Holder::gang);
    } else {
        cluster_.remove_pod(entry.pod.uid);
    }
}

void Ledger::open(const Application& app, Slot& slot, const std::string& node) {
    ENSURE(slot.charge.is_none());
    slot.node = node;
    slot.state = SlotState::open;
    slot.charge = cluster_.charge(
        cluster_.node_or_ghost(node), app.shapes[slot.shape].id, core::Holder::gang);
    count_open(slot, 1);
}

void Ledger::fill(Application& app, std::size_t index, PodEntry& entry) {
    Slot& slot = app.slots[index];
    count_open(slot, -1);
    const core::Resources amounts =
        core::larger(cluster_.resources(app.shapes[slot.shape].id), entry.pod.requests);
    cluster_.remove_pod(entry.pod.uid);
    if (!slot.charge.is_none() && slot.node == entry.node()) {
        cluster_.recharge(slot.charge, amounts, core::Holder::gang);
    } else {
        if (!slot.charge.is_none()) {
            cluster_.release(slot.charge);
        }
        slot.node = entry.node();
        slot.charge =
            cluster_.charge(cluster_.node_or_ghost(slot.node), amounts, core::Holder::gang);
    }
    slot.pod = entry.pod.uid;
    slot.state = entry.bind_in_flight ? SlotState::claimed
                 : entry.pod.deleting ? SlotState::draining
                                      : SlotState::bound;
    entry.slot = static_cast<std::int32_t>(index);
}

void Ledger::vacate(Application& app, PodEntry& entry) {
    Slot& slot = app.slots[static_cast<std::size_t>(entry.slot)];
    entry.slot = -1;
    slot.pod.clear();
    slot.state = SlotState::open;
    cluster_.recharge(
        slot.charge, cluster_.resources(app.shapes[slot.shape].id), core::Holder::gang);
    if (core::is_mutant(core::Mutant::slot_freed_twice)) {
        cluster_.recharge(slot.charge, {}, core::Holder::gang);
    }
    count_open(slot, 1);
}

void Ledger::degrade(Slot& slot) {
    count_open(slot, -1);
    if (!slot.charge.is_none()) {
        cluster_.release(slot.charge);
    }
    slot.charge = {};
    slot.state = SlotState::degraded;
}

void Ledger::hold(Application& app, const Slot& slot, std::int64_t generation) {
    if (core::is_mutant(core::Mutant::hold_released_early)) {
        return;
    }
    const core::ChargeId charge = cluster_.charge(
        cluster_.node_or_ghost(slot.node), app.shapes[slot.shape].id, core::Holder::gang);
    app.holds.push_back({charge, generation});
}

void Ledger::hold(
    Application& app,
    const std::string& node,
    const core::Resources& amounts,
    std::int64_t generation) {
    const core::ChargeId charge =
        cluster_.charge(cluster_.node_or_ghost(node), amounts, core::Holder::gang);
    app.holds.push_back({charge, generation});
}

void Ledger::release_holds(Application& app, std::int64_t generation) {
    std::erase_if(app.holds, [this, generation](const Hold& hold) {
        if (hold.generation > generation) {
            return false;
        }
        cluster_.release(hold.charge);
        return true;
    });
}

void Ledger::give_up(
    Application& app, const std::vector<std::size_t>& slots, std::int64_t generation) {
    std::vector<Slot> kept;
    auto next = slots.begin();
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        Slot& slot = app.slots[i];
        if (next == slots.end() || *next != i) {
            if (!slot.pod.empty()) {
                pods_.at(slot.pod).slot = static_cast<std::int32_t>(kept.size());
            }
            kept.push_back(std::move(slot));
            continue;
        }
        ++next;
        ENSURE(slot.pod.empty());
        if (!slot.charge.is_none()) {
            count_open(slot, -1);
            app.holds.push_back({slot.charge, generation});
        }
    }
    app.slots = std::move(kept);
}

void Ledger::give_up_unfilled(Application& app, std::int64_t generation) {
    std::vector<std::size_t> unfilled;
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        if (app.slots[i].pod.empty()) {
            unfilled.push_back(i);
        }
    }
    give_up(app, unfilled, generation);
}

void Ledger::drop(Application& app) {
    const std::vector<Slot> slots = std::exchange(app.slots, {});
    for (const Slot& slot : slots) {
        if (!slot.charge.is_none()) {
            count_open(slot, -1);
            if (!core::is_mutant(core::Mutant::slot_not_freed) || &slot != &slots.front()) {
                cluster_.release(slot.charge);
            }
        }
        if (const auto it = pods_.find(slot.pod); it != pods_.end()) {
            it->second.slot = -1;
            settle(it->second);
        }
    }
    for (const Hold& hold : std::exchange(app.holds, {})) {
        cluster_.release(hold.charge);
    }
    app.reserved = false;
}

std::optional<std::size_t> Ledger::find_open(const Application& app, const PodEntry& entry) const {
    const std::int32_t profile = profile_of(entry.pod);
    std::vector<bool> takes_it;  // by shape: slots are many, shapes few
    for (const GangShape& shape : app.shapes) {
        takes_it.push_back(fits_within(entry.pod.requests, cluster_.resources(shape.id)));
    }
    std::optional<std::size_t> other;
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        const GangShape& shape = app.shapes[slot.shape];
        if (slot.state != SlotState::open || !is_stored(app, slot) || !takes_it[slot.shape] ||
            (other && shape.profile != profile) || !is_usable(app, slot)) {
            continue;
        }
        // The pod's own constraints decide, not the declared ones.
        const auto node = cluster_.find_node(slot.node);
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
    const auto node = cluster_.find_node(slot.node);
    return node && cluster_.is_eligible(*node, app.shapes[slot.shape].id);
}

bool Ledger::is_overrun(
    core::NodeIndex node,
    core::ShapeId shape,
    const std::vector<const Application*>& holders) const {
    if (!cluster_.columns().is_overdrawn(node)) {
        return false;  // nearly always, and then nobody's holds need be added up
    }
    core::Wide cpu = 0;
    core::Wide memory = 0;
    core::Wide ephemeral = 0;
    core::Wide pods = 0;
    for (const Application* app : holders) {
        for (const Hold& hold : app->holds) {
            if (cluster_.charge_of(hold.charge).node == node) {
                const core::Resources& amounts = cluster_.resources_of(hold.charge);
                cpu += amounts.cpu_milli;
                memory += amounts.memory_bytes;
                ephemeral += amounts.ephemeral_bytes;
                ++pods;
            }
        }
    }
    const core::NodeColumns& columns = cluster_.columns();
    const auto free = core::View::free;
    const auto at = node.value;
    const auto& extended = cluster_.demand(shape).extended;
    return columns.cpu(free)[at] + cpu < 0 || columns.memory(free)[at] + memory < 0 ||
           columns.ephemeral(free)[at] + ephemeral < 0 || columns.pods(free)[at] + pods < 0 ||
           std::any_of(extended.begin(), extended.end(), [&](const core::ExtendedDemand& demand) {
               return columns.extended(node, demand.id, free) < 0;
           });
}

}  // namespace gang
