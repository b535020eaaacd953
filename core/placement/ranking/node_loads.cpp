#include "core/placement/ranking/node_loads.hpp"

#include "core/cluster/device/card_room.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"

#include <algorithm>
#include <limits>

namespace core {

namespace {

/// GPUs, whoever makes them.
bool is_gpu(std::string_view name) {
    return name.ends_with("/gpu");
}

/// Of the same sign as if there were no limits.
std::int64_t clamped_difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return a > b ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}

/// What is taken of a resource: by pods that count in the view, and by those planned now.
std::int64_t taken(std::int64_t allocatable, std::int64_t free_capacity, std::int64_t planned) {
    const std::int64_t counted =
        std::max<std::int64_t>(clamped_difference(allocatable, free_capacity), 0);
    return Load{0, counted, planned}.after();
}

}  // namespace

/// If the shape asks for GPUs, they are its devices; else all extended resources that it asks for.
void NodeLoads::begin(ShapeId shape) {
    demand_ = &view_.demand(shape);
    devices_ = demand_->extended;
    const ExtendedNames& names = view_.cluster().extended_names();
    std::erase_if(devices_, [&names](const ExtendedDemand& wanted) {
        const std::string& name = names.name(wanted.id);
        return is_exclusive(name) || is_gpu_wish(name) || is_card_ask(name);
    });
    const auto is_other = [&names](const ExtendedDemand& wanted) {
        return !is_gpu(names.name(wanted.id));
    };
    if (!std::all_of(devices_.begin(), devices_.end(), is_other)) std::erase_if(devices_, is_other);
}

NodeLoad NodeLoads::of(Position position, std::int64_t placed) const {
    const NodeIndex node = view_.node_at(position);
    const PlannedLoad* planned = planned_.find(position);
    const auto of = [&](std::span<const std::int64_t> free_capacity,
                        std::span<const std::int64_t> allocatable,
                        std::size_t resource,
                        std::int64_t asked) -> Load {
        const std::int64_t now =
            (planned == nullptr ? 0 : planned->plain[resource]) + placed * asked;
        const std::int64_t whole = allocatable[node.value];
        return {whole, taken(whole, free_capacity[node.value], now), asked};
    };
    const FreeColumns& free = view_.columns();
    return {
        of(free.cpu, free.columns->cpu(View::allocatable), 0, demand_->cpu_milli),
        of(free.memory, free.columns->memory(View::allocatable), 1, demand_->memory_bytes),
        of_devices(position, placed),
        demand_->wants_gpus ? view_.cluster().nodes().node(node).gpu_score : 0};
}

Load NodeLoads::of_extended(
    Position position, const ExtendedDemand& asked, std::int64_t placed) const {
    if (demand_->wants_cards) {
        if (const Load on_card = of_card(position, asked, placed); on_card.allocatable > 0)
            return on_card;
    }
    const NodeIndex node = view_.node_at(position);
    const NodeColumns& all = *view_.columns().columns;
    std::int64_t now = placed * asked.amount;
    if (const PlannedLoad* planned = planned_.find(position)) {
        now += amount_of(planned->extended, asked.id);
    }
    const std::int64_t whole = all.extended(node, asked.id, View::allocatable);
    return {whole, taken(whole, all.extended(node, asked.id, view_.view()), now), asked.amount};
}

/// Nothing: no cards are known.
Load NodeLoads::of_card(Position position, const ExtendedDemand& asked, std::int64_t placed) const {
    std::vector<CardDemand> planned;
    if (const PlannedLoad* const before = planned_.find(position)) planned = before->cards;
    for (;; --placed) {
        const auto card = choose_card(
            *view_.columns().columns,
            view_.node_at(position),
            asked,
            view_.view(),
            view_.card_choice(),
            planned);
        if (!card) return {};
        if (placed == 0) {
            return {card->units, std::max<std::int64_t>(card->units - card->free, 0), asked.amount};
        }
        planned.push_back({card->resource, card->order, asked.amount});
    }
}

Load NodeLoads::of_devices(Position position, std::int64_t placed) const {
    Load sum;
    for (const ExtendedDemand& wanted : devices_) {
        const Load one = of_extended(position, wanted, placed);
        sum.allocatable = Load{0, sum.allocatable, one.allocatable}.after();
        sum.requested = Load{0, sum.requested, one.requested}.after();
        sum.asked = Load{0, sum.asked, one.asked}.after();
    }
    return sum;
}

}  // namespace core
