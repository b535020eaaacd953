#include "core/cluster/allocation/allocations.hpp"

#include "core/base/result.hpp"
#include "core/cluster/device/named_cards.hpp"
#include "core/value/device/gpu_wish.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace core {

namespace {

bool wishes_alike(const Resources& a, const Resources& b) {
    const std::string* const of_a = find_gpu_wish(a);
    const std::string* const of_b = find_gpu_wish(b);
    return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
}

}  // namespace

AllocationId Allocations::allocate(
    NodeIndex node, const Resources& resources, UsedBy used_by, const CardUse& cards) {
    return attach(with_cards({node, room_.intern(resources), 1, used_by}, cards));
}

AllocationId Allocations::allocate(
    NodeIndex node,
    ResourcesId amounts,
    UsedBy used_by,
    std::uint32_t count,
    CardChoice choice) {
    room_.retain(amounts);
    return attach(with_cards({node, amounts, count, used_by}, {choice, {}}));
}

void Allocations::release(AllocationId id) {
    const Allocation allocation = detach(id);
    room_.release(allocation.resources);
    room_.nodes().note_if_idle(allocation.node);
}

/// The allocation's amounts become those with the cards.
Allocation Allocations::with_cards(Allocation allocation, const CardUse& cards) {
    const Demand& demand = room_.amounts().demand(allocation.resources);
    if (!demand.wants_cards) return allocation;
    ENSURE(allocation.count == 1);
    const NodeColumns& columns = room_.columns();
    const auto chosen =
        cards.said.empty()
            ? cards_for(columns, allocation.node, demand, allocation.used_by, cards.choice)
            : told_by_cards(columns, allocation.node, demand, cards.said);
    allocation.resources = room_.add_cards(allocation.resources, chosen);
    return allocation;
}

/// Who had a card keeps it, unless the word is another; an unknown one is nobody's choice.
CardUse Allocations::cards_to_keep(
    const Allocation& allocation, ResourcesId amounts, bool is_same, CardUse use) const {
    const NodeColumns& columns = room_.columns();
    const Demand& demand = room_.amounts().demand(amounts);
    if (!demand.wants_cards) return use;
    if (!use.said.empty()) {
        use.said = told_by_cards(columns, allocation.node, demand, std::move(use.said));
    }
    if (!use.said.empty() || !is_same) return use;
    const Resources& had = room_.amounts()[allocation.resources];
    if (allocation.used_by == UsedBy::other_scheduler) {
        use.said = cards_for(columns, allocation.node, demand, allocation.used_by, use.choice);
    } else if (!known_cards(had).empty() || !has_cards(columns, allocation.node, demand)) {
        use.said = cards_among(had);
    }
    return use;
}

void Allocations::reallocate(
    AllocationId id, const Resources& resources, UsedBy used_by, const CardUse& cards) {
    Allocation& allocation = table_[id];
    const ResourcesId amounts = room_.intern(resources);
    const bool wants_cards = room_.amounts().demand(amounts).wants_cards;
    const bool is_same = amounts == room_.amounts().without_cards(allocation.resources) &&
                         used_by == allocation.used_by;
    const CardUse use = cards_to_keep(allocation, amounts, is_same, cards);
    const Resources& had = room_.amounts()[allocation.resources];
    if (is_same && (!wants_cards || use.said == cards_among(had))) {
        room_.release(amounts);
        return;
    }
    // Whose wish stays the same is the same pod: what it uses is known as before.
    const bool is_other_wish = gpu_moves_.is_on() && !wishes_alike(had, resources);
    if (is_other_wish && is_gpu_move(allocation)) note_gpu_move(id, allocation, false);
    room_.apply(allocation, false);
    room_.release(allocation.resources);
    allocation.resources = amounts;
    allocation.used_by = used_by;
    allocation = with_cards(allocation, use);
    room_.apply(allocation, true);
    if (is_other_wish && is_gpu_move(allocation)) note_gpu_move(id, allocation, true);
    room_.gains().note(allocation.node);
}

void Allocations::choose_card_anew(AllocationId id, CardChoice choice) {
    Allocation& allocation = table_[id];
    const ResourcesId plain = room_.amounts().without_cards(allocation.resources);
    if (plain == allocation.resources) return;
    room_.retain(plain);
    room_.apply(allocation, false);
    room_.release(allocation.resources);
    allocation.resources = plain;
    allocation = with_cards(allocation, {choice, {}});
    room_.apply(allocation, true);
    room_.gains().note(allocation.node);
}

const Resources& Allocations::resources_of(AllocationId id) const {
    const AmountTable& amounts = room_.amounts();
    return amounts[amounts.without_cards(of(id).resources)];
}

std::vector<ExtendedResource> Allocations::cards_of(AllocationId id) const {
    return known_cards(room_.amounts()[of(id).resources]);
}

AllocationId Allocations::attach(const Allocation& allocation) {
    ENSURE(allocation.node.value < room_.nodes().size());
    const AllocationId id = table_.add(allocation);
    room_.nodes().count_allocation(allocation.node, 1);
    room_.apply(allocation, true);
    if (is_gpu_move(allocation)) note_gpu_move(id, allocation, true);
    // Others who want a volume that is there now bring none any more.
    if (room_.amounts().demand(allocation.resources).wants_volumes) {
        room_.gains().note(allocation.node);
    }
    return id;
}

/// The allocation's reference to its amounts passes to the caller.
Allocation Allocations::detach(AllocationId id) {
    const Allocation allocation = table_.take(id);
    room_.apply(allocation, false);
    room_.nodes().count_allocation(allocation.node, -1);
    room_.gains().note(allocation.node);
    if (is_gpu_move(allocation)) note_gpu_move(id, allocation, false);
    return allocation;
}

void Allocations::undo_attach(AllocationId id, bool was_new) {
    const Allocation allocation = of(id);
    if (is_gpu_move(allocation)) gpu_moves_.forget_last();
    room_.apply(allocation, false);
    room_.nodes().count_allocation(allocation.node, -1);
    room_.release(allocation.resources);
    table_.undo_add(id, was_new);
}

void Allocations::undo_detach(AllocationId id, const Allocation& allocation) {
    table_.undo_take(id, allocation);
    room_.apply(allocation, true);
    room_.nodes().count_allocation(allocation.node, 1);
    if (is_gpu_move(allocation)) gpu_moves_.forget_last();
}

bool Allocations::is_gpu_move(const Allocation& allocation) const {
    return gpu_moves_.is_on() && room_.amounts().demand(allocation.resources).wants_gpus;
}

void Allocations::note_gpu_move(AllocationId id, const Allocation& allocation, bool taken) {
    const ExtendedNames& names = room_.columns().names();
    for (const ExtendedDemand& wanted : room_.amounts().demand(allocation.resources).extended) {
        const std::string& name = names.name(wanted.id);
        if (!is_gpu_wish(name)) continue;
        gpu_moves_.note(
            {id, room_.nodes().name(allocation.node), allocation.count, taken, name});
        return;  // a pod has one
    }
}

}  // namespace core
