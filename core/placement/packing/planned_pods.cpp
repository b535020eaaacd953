#include "core/placement/packing/planned_pods.hpp"

#include "core/cluster/device/card_room.hpp"

#include <algorithm>

namespace core {

namespace {

/// What the first of the pods takes of limits for all of them.
std::vector<ExtendedDemand> volumes_brought(
    const NodeColumns& columns, NodeIndex node, const Demand& demand, const PlannedLoad& planned) {
    std::vector<ExtendedDemand> brought;
    for (const ExtendedDemand& wanted : demand.extended) {
        const std::int64_t count = new_volumes(columns, node, demand, wanted.id, planned.extended);
        if (count > 0) brought.push_back({wanted.id, count});
    }
    return brought;
}

}  // namespace

void PlannedPods::begin() {
    if (stamps_.size() < view_.size()) stamps_.resize(view_.size());
    const std::size_t blocks = view_.free_capacity().block_count();
    if (block_epochs_.size() < blocks) block_epochs_.resize(blocks);
    clear();
}

/// Stamps of an epoch four billion placements ago must not be taken for ours.
void PlannedPods::clear() {
    touched_.clear();
    if (++epoch_ != 0) return;
    std::fill(stamps_.begin(), stamps_.end(), Stamp{});
    std::fill(block_epochs_.begin(), block_epochs_.end(), 0);
    epoch_ = 1;
}

PlannedLoad& PlannedPods::at(Position position) {
    Stamp& stamp = stamps_[position];
    if (stamp.epoch != epoch_) {
        stamp = {epoch_, static_cast<std::uint32_t>(touched_.size())};
        block_epochs_[position / block_size] = epoch_;
        touched_.push_back(position);
        if (stamp.index == planned_.size()) planned_.emplace_back();
        planned_[stamp.index].plain = {};
        planned_[stamp.index].extended.clear();
        planned_[stamp.index].cards.clear();
    }
    return planned_[stamp.index];
}

void PlannedPods::put(Position position, ShapeId shape, std::int64_t count) {
    const Demand& demand = view_.demand(shape);
    const NodeIndex node = view_.node_at(position);
    PlannedLoad& planned = at(position);
    // No overflow: every product is at most the room that was found there.
    for (std::size_t i = 0; i < plain_resources; ++i) {
        planned.plain[i] += request_of(demand, i) * count;
    }
    std::vector<ExtendedDemand> brought;
    if (demand.wants_volumes) {
        brought = volumes_brought(*view_.columns().columns, node, demand, planned);
    }
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto same = [&wanted](const ExtendedDemand& entry) { return entry.id == wanted.id; };
        const auto known = std::find_if(planned.extended.begin(), planned.extended.end(), same);
        const std::int64_t amount = wanted.amount * count + amount_of(brought, wanted.id);
        if (known != planned.extended.end()) {
            known->amount += amount;
        } else {
            planned.extended.push_back({wanted.id, amount});
        }
    }
    if (!demand.wants_cards) return;
    for (std::int64_t i = 0; i < count; ++i) plan_cards(demand, node, planned);
}

void PlannedPods::put_all(std::span<const PositionCount> chosen, ShapeId shape) {
    for (const PositionCount& one : chosen) put(one.position, shape, one.count);
}

/// As the cluster chooses them when the pods are allocated.
void PlannedPods::plan_cards(const Demand& demand, NodeIndex node, PlannedLoad& planned) const {
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto cards = choose_cards(
            *view_.columns().columns,
            node,
            wanted,
            view_.view(),
            view_.card_choice(),
            planned.cards);
        planned.cards.insert(planned.cards.end(), cards.begin(), cards.end());
    }
}

PlannedLoad PlannedPods::filled_with(Position position, ShapeId filler, std::int64_t more) const {
    PlannedLoad filled;
    if (const PlannedLoad* planned = find(position)) filled = *planned;
    for (; more > 0; --more) plan_cards(view_.demand(filler), view_.node_at(position), filled);
    return filled;
}

bool PlannedPods::has_cards_for(
    Position position, ShapeId shape, ShapeId filler, std::int64_t more) const {
    const PlannedLoad filled = filled_with(position, filler, more);
    const auto& extended = view_.demand(shape).extended;
    return std::all_of(extended.begin(), extended.end(), [&](const ExtendedDemand& wanted) {
        return times_on_cards(
                   *view_.columns().columns,
                   view_.node_at(position),
                   wanted,
                   view_.view(),
                   filled.cards) > 0;
    });
}

std::optional<NodeColumns::CardRoom> PlannedPods::emptiest_card(
    Position position, ShapeId shape, ShapeId filler, std::int64_t more) const {
    const Demand& demand = view_.demand(shape);
    if (!demand.wants_cards) return std::nullopt;
    const PlannedLoad filled = filled_with(position, filler, more);
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto card = core::emptiest_card(
            *view_.columns().columns,
            view_.node_at(position),
            wanted.id,
            view_.view(),
            filled.cards);
        if (card) return card;
    }
    return std::nullopt;
}

std::int64_t PlannedPods::new_volumes(
    Position position, ShapeId shape, ExtendedId limit, const Demand* beside) const {
    const Demand& demand = view_.demand(shape);
    if (!demand.wants_volumes) return 0;
    std::vector<ExtendedDemand> there;
    if (const PlannedLoad* planned = find(position)) there = planned->extended;
    if (beside != nullptr) {
        there.insert(there.end(), beside->extended.begin(), beside->extended.end());
    }
    return core::new_volumes(
        *view_.columns().columns, view_.node_at(position), demand, limit, there);
}

std::int64_t PlannedPods::left(Position position, ShapeId shape, std::size_t resource) const {
    const NodeIndex node = view_.node_at(position);
    const FreeColumns& columns = view_.columns();
    const PlannedLoad* planned = find(position);
    if (resource < plain_resources) {
        const std::array rows = {&columns.cpu, &columns.memory, &columns.ephemeral, &columns.pods};
        const std::array<std::int64_t, plain_resources> kept = {
            columns.headroom.cpu_milli, columns.headroom.memory_bytes, 0, 0};
        const std::int64_t taken = planned == nullptr ? 0 : planned->plain[resource];
        const std::int64_t free_capacity = beyond((*rows[resource])[node.value], kept[resource]);
        return (resource == 3 ? pod_slots(free_capacity) : free_capacity) - taken;
    }
    const ExtendedId id = extended_id(view_.demand(shape), resource);
    const std::int64_t amount = columns.columns->extended(node, id, columns.view);
    return planned == nullptr ? amount : amount - amount_of(planned->extended, id);
}

/// How often this resource alone allows the shape at the position.
std::int64_t PlannedPods::times(Position position, ShapeId shape, std::size_t resource) const {
    const Demand& demand = view_.demand(shape);
    const std::int64_t in_all = times_it_fits_with_volumes(
        left(position, shape, resource),
        request_of(demand, resource),
        new_volumes(position, shape, extended_id(demand, resource)));
    if (!demand.wants_cards || resource < plain_resources) return in_all;
    const PlannedLoad* planned = find(position);
    return std::min(
        in_all,
        times_on_cards(
            *view_.columns().columns,
            view_.node_at(position),
            demand.extended[resource - plain_resources],
            view_.view(),
            planned == nullptr ? std::span<const CardDemand>() : planned->cards));
}

std::int64_t PlannedPods::capacity(Position position, ShapeId shape) const {
    if (view_.is_excluded(position) || !view_.eligible(shape).test(position)) return 0;
    std::int64_t least = unlimited;
    const std::size_t resources = resource_count(view_.demand(shape));
    for (std::size_t i = 0; i < resources; ++i) {
        least = std::min(least, times(position, shape, i));
    }
    return least;
}

void PlannedPods::set_touched(Capacities& capacities, ShapeId shape) const {
    for (const Position position : touched_) {
        capacities.set(position, capacity(position, shape));
    }
}

}  // namespace core
