#include "core/placement/packing.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <bit>

namespace core {

namespace {

std::int64_t request_of(const Demand& demand, std::size_t resource) {
    switch (resource) {
        case 0:
            return demand.cpu_milli;
        case 1:
            return demand.memory_bytes;
        case 2:
            return demand.ephemeral_bytes;
        case 3:
            return 1;
        default:
            return demand.extended[resource - plain_resources].amount;
    }
}

}  // namespace

void Packing::begin(const Cluster& cluster, View view, const std::vector<NodeIndex>& excluded) {
    ENSURE(borrowed_.empty());  // the last question has ended
    cluster_ = &cluster;
    order_ = cluster.nodes_by_name();
    view_ = view;
    free_capacity_ = &cluster.free_capacity(view);
    columns_.emplace(cluster.columns(), view, cluster.headroom());
    for (const std::size_t position : excluded_positions_) excluded_.set(position, false);
    excluded_positions_.clear();
    for (const NodeIndex node : excluded) {
        const Position position = cluster.position_of(node);
        if (position == no_position) continue;
        excluded_.set(position, true);
        excluded_positions_.push_back(position);
    }
    has_excluded_ = !excluded_positions_.empty();
    if (stamps_.size() < order_.size()) stamps_.resize(order_.size());
    if (block_epochs_.size() < free_capacity_->block_count())
        block_epochs_.resize(free_capacity_->block_count());
    clear();
}

void Packing::end() {
    for (CapacityCache::Entry* entry : borrowed_) {
        entry->capacities.undo(0);
        entry->is_lent = false;
    }
    borrowed_.clear();
}

/// Stamps of an epoch four billion placements ago must not be taken for ours.
void Packing::next_epoch() {
    if (++epoch_ != 0) return;
    std::fill(stamps_.begin(), stamps_.end(), Stamp{});
    std::fill(block_epochs_.begin(), block_epochs_.end(), 0);
    epoch_ = 1;
}

void Packing::clear() {
    next_epoch();
    touched_.clear();
}

Packing::Planned& Packing::planned_at(Position position) {
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

std::int64_t Packing::Planned::extended_amount(ExtendedId id) const {
    for (const ExtendedDemand& entry : extended) {
        if (entry.id == id) return entry.amount;
    }
    return 0;
}

void Packing::put(Position position, ShapeId shape, std::int64_t count) {
    const Demand& demand = cluster_->demand(shape);
    Planned& planned = planned_at(position);
    // No overflow: every product is at most the room that was found there.
    for (std::size_t i = 0; i < plain_resources; ++i) {
        planned.plain[i] += request_of(demand, i) * count;
    }
    std::vector<ExtendedDemand> brought;
    if (demand.wants_volumes) brought = volumes_brought(demand, order_[position], planned);
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
    for (std::int64_t i = 0; i < count; ++i) plan_cards(demand, order_[position], planned);
}

/// What the first of the pods takes of limits for all of them.
std::vector<ExtendedDemand> Packing::volumes_brought(
    const Demand& demand, NodeIndex node, const Planned& planned) const {
    std::vector<ExtendedDemand> brought;
    for (const ExtendedDemand& wanted : demand.extended) {
        const std::int64_t count =
            core::new_volumes(*columns_->columns, node, demand, wanted.id, planned.extended);
        if (count > 0) brought.push_back({wanted.id, count});
    }
    return brought;
}

std::int64_t Packing::new_volumes(
    Position position, ShapeId shape, ExtendedId limit, const Demand* beside) const {
    const Demand& demand = cluster_->demand(shape);
    if (!demand.wants_volumes) return 0;
    std::vector<ExtendedDemand> there;
    if (const Planned* planned = find_planned(position)) there = planned->extended;
    if (beside != nullptr) {
        there.insert(there.end(), beside->extended.begin(), beside->extended.end());
    }
    return core::new_volumes(*columns_->columns, order_[position], demand, limit, there);
}

/// As the cluster chooses them when the pods are allocated.
void Packing::plan_cards(const Demand& demand, NodeIndex node, Planned& planned) const {
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto cards =
            choose_cards(*columns_->columns, node, wanted, view_, card_choice_, planned.cards);
        planned.cards.insert(planned.cards.end(), cards.begin(), cards.end());
    }
}

Packing::Planned Packing::filled_with(Position position, ShapeId filler, std::int64_t more) const {
    Planned filled;
    if (const Planned* planned = find_planned(position)) filled = *planned;
    for (; more > 0; --more) plan_cards(cluster_->demand(filler), order_[position], filled);
    return filled;
}

bool Packing::has_cards_for(
    Position position, ShapeId shape, ShapeId filler, std::int64_t more) const {
    const Planned filled = filled_with(position, filler, more);
    const Demand& demand = cluster_->demand(shape);
    return std::all_of(
        demand.extended.begin(), demand.extended.end(), [&](const ExtendedDemand& wanted) {
            return times_on_cards(
                       *columns_->columns, order_[position], wanted, view_, filled.cards) > 0;
        });
}

std::optional<NodeColumns::CardRoom> Packing::emptiest_card(
    Position position, ShapeId shape, ShapeId filler, std::int64_t more) const {
    const Demand& demand = cluster_->demand(shape);
    if (!demand.wants_cards) return std::nullopt;
    const Planned filled = filled_with(position, filler, more);
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto card = core::emptiest_card(
            *columns_->columns, order_[position], wanted.id, view_, filled.cards);
        if (card) return card;
    }
    return std::nullopt;
}

void Packing::put_all(std::span<const PositionCount> chosen, ShapeId shape) {
    for (const PositionCount& one : chosen) put(one.position, shape, one.count);
}

std::int64_t Packing::left(Position position, ShapeId shape, std::size_t resource) const {
    const NodeIndex node = order_[position];
    const Planned* planned = find_planned(position);
    if (resource < plain_resources) {
        const std::array columns = {
            &columns_->cpu, &columns_->memory, &columns_->ephemeral, &columns_->pods};
        const std::array<std::int64_t, plain_resources> kept = {
            columns_->headroom.cpu_milli, columns_->headroom.memory_bytes, 0, 0};
        const std::int64_t taken = planned == nullptr ? 0 : planned->plain[resource];
        const std::int64_t free_capacity = beyond((*columns[resource])[node.value], kept[resource]);
        return (resource == 3 ? pod_slots(free_capacity) : free_capacity) - taken;
    }
    const ExtendedId id = cluster_->demand(shape).extended[resource - plain_resources].id;
    const std::int64_t amount = columns_->columns->extended(node, id, columns_->view);
    return planned == nullptr ? amount : amount - planned->extended_amount(id);
}

std::size_t Packing::resource_count(ShapeId shape) const {
    return plain_resources + cluster_->demand(shape).extended.size();
}

std::string_view Packing::resource_name(ShapeId shape, std::size_t resource) const {
    constexpr std::array<std::string_view, plain_resources> names = {
        "cpu", "memory", "ephemeral-storage", "pods"};
    if (resource < plain_resources) return names[resource];
    return cluster_->extended_name(cluster_->demand(shape).extended[resource - plain_resources].id);
}

std::int64_t Packing::request(ShapeId shape, std::size_t resource) const {
    return request_of(cluster_->demand(shape), resource);
}

/// How often this resource alone allows the shape at the position.
std::int64_t Packing::times(Position position, ShapeId shape, std::size_t resource) const {
    const ExtendedId id = resource < plain_resources
                              ? ExtendedId{}
                              : cluster_->demand(shape).extended[resource - plain_resources].id;
    const std::int64_t in_all = times_it_fits_with_volumes(
        left(position, shape, resource),
        request(shape, resource),
        new_volumes(position, shape, id));
    const Demand& demand = cluster_->demand(shape);
    if (!demand.wants_cards || resource < plain_resources) return in_all;
    const Planned* planned = find_planned(position);
    const ExtendedDemand& wanted = demand.extended[resource - plain_resources];
    return std::min(
        in_all,
        times_on_cards(
            *columns_->columns,
            order_[position],
            wanted,
            view_,
            planned == nullptr ? std::span<const CardDemand>() : planned->cards));
}

std::int64_t Packing::capacity(Position position, ShapeId shape) const {
    if (is_excluded(position)) return 0;
    if (!cluster_->eligible(cluster_->class_of(shape)).test(position)) return 0;
    std::int64_t least = unlimited;
    const std::size_t resources = resource_count(shape);
    for (std::size_t i = 0; i < resources; ++i) {
        least = std::min(least, times(position, shape, i));
    }
    return least;
}

std::int64_t Packing::capacity_beside(Position position, ShapeId shape, ShapeId other) const {
    return core::capacity_beside(
        *columns_,
        order_[position],
        cluster_->demand(shape),
        cluster_->demand(other),
        card_choice_);
}

/// False: that cannot be told for a whole block at once.
bool Packing::scan_beside(
    std::size_t block,
    ShapeId shape,
    const ScanDemand& scanned,
    ShapeId other,
    std::int32_t* capacities) const {
    const Demand& demand = cluster_->demand(shape);
    const Demand& beside = cluster_->demand(other);
    const bool is_plain = !scanned.is_wide && !demand.wants_exclusive &&
                          !scanned.leaves_devices_out && free_capacity_->is_wide[block] == 0;
    if (!is_plain) return false;
    for (const ExtendedDemand& wanted : demand.extended) {
        const DeviceColumn* const column = free_capacity_->devices.find(wanted.id);
        if (column == nullptr || column->is_wide(block) != 0) return false;
        // The other's card is of its own choice.
        if (amount_of(beside, wanted.id) > 0) return false;
    }
    // Where the other fits it takes no more than the room, so no more than scanned_max.
    std::array<double, plain_resources> taken;
    for (std::size_t i = 0; i < plain_resources; ++i) {
        taken[i] = static_cast<double>(request_of(beside, i));
    }
    scan_rows_beside(scanned, free_capacity_->rows(0, block), taken, capacities);
    for (std::size_t i = 0; i < scanned.device_count; ++i) {
        const ScanDemand::Device& device = scanned.devices[i];
        const DeviceColumn& column = *free_capacity_->devices.find(device.id);
        limit_rows(device, column.rows(0, block), capacities);
        const std::size_t cards = scanned.wants_cards ? column.card_count(block) : 0;
        if (cards > 0) limit_rows_by_cards(device, column.cards(block), cards, capacities);
    }
    return true;
}

std::array<std::int32_t, block_size> Packing::losses_beside(
    std::size_t block, ShapeId shape, const Capacities& capacities, ShapeId other) const {
    std::array<std::int32_t, block_size> losses = {};
    if (!capacities.takes_any(block)) return losses;
    const std::int32_t* const alone = capacities.of_block(block);
    const Demand& demand = cluster_->demand(shape);
    const ScanDemand scanned(demand);
    if (!scan_beside(block, shape, scanned, other, losses.data())) {
        for (std::size_t i = 0; i < block_size; ++i) {
            if (alone[i] == 0) continue;
            const auto position = static_cast<Position>(block * block_size + i);
            const std::int64_t beside = capacity_beside(position, shape, other);
            losses[i] = static_cast<std::int32_t>(alone[i] - beside);
        }
        return losses;
    }
    for (std::size_t i = 0; i < block_size; ++i) {
        losses[i] = alone[i] == 0 ? 0 : alone[i] - losses[i];
    }
    return losses;
}

// --- capacities ---------------------------------------------------------------------------------

CapacityCache::Entry& Packing::borrow(ShapeId shape) {
    for (CapacityCache::Entry* entry : borrowed_) {
        if (entry->shape == shape) return *entry;
    }
    CapacityCache::Entry& entry = cluster_->ask_capacities(shape, view_);
    entry.is_lent = true;
    borrowed_.push_back(&entry);
    return entry;
}

/// In the free room, gangs of one shape come again and again: the second question shows it. The
/// other views are asked once for many, and a look for the largest is quick where there is room.
bool Packing::is_known(ShapeId shape) {
    if (view_ != View::free) {
        const CapacityCache::Entry* const kept = cluster_->find_capacities(shape, view_);
        return kept != nullptr && kept->capacities.is_built();
    }
    const CapacityCache::Entry& entry = borrow(shape);
    return entry.capacities.is_built() || entry.questions > 1;
}

/// Quicker than a scan, where the shape that was restricted has its capacities.
void Packing::copy_from_unrestricted(ShapeId shape, Capacities& capacities) {
    const auto whole = cluster_->find_unrestricted(shape);
    if (!whole) return;
    const CapacityCache::Entry* const kept = cluster_->find_capacities(*whole, view_);
    if (kept == nullptr || !kept->capacities.is_built()) return;
    Capacities& of_whole = borrow(*whole).capacities;
    if (of_whole.set_count() > 0) return;
    groups_scanned_ += of_whole.refresh(source(*whole));
    capacities.copy_some(of_whole, cluster_->eligible(cluster_->class_of(shape)));
}

Capacities& Packing::capacities(ShapeId shape) {
    Capacities& capacities = borrow(shape).capacities;
    if (capacities.set_count() > 0)
        return capacities;  // it is up to date, and set for this question
    if (!capacities.is_built()) copy_from_unrestricted(shape, capacities);
    // All nodes are to be looked at: that is worth a column.
    if (!capacities.is_built()) cluster_->know_devices(shape, view_);
    groups_scanned_ += capacities.refresh(source(shape));
    for (const std::size_t position : excluded_positions_) {
        capacities.set(static_cast<Position>(position), 0);
    }
    return capacities;
}

void Packing::set_touched(Capacities& capacities, ShapeId shape) const {
    for (const Position position : touched_) {
        capacities.set(position, capacity(position, shape));
    }
}

void Packing::scan_block(const Wanted& wanted, std::size_t block, std::int32_t* capacities) {
    ++groups_scanned_;
    const std::uint64_t takers = usable(wanted.source.eligible, block);
    core::scan_block(wanted.source, wanted.demand, block, takers, capacities);
    if (!is_block_touched(block)) return;
    for (std::size_t i = 0; i < block_size; ++i) {
        const auto position = static_cast<Position>(block * block_size + i);
        if (capacities[i] == 0 || !is_touched(position)) continue;
        capacities[i] = static_cast<std::int32_t>(capacity(position, wanted.shape));
    }
}

/// Planned pods only ever make capacities smaller.
void Packing::scan_bounds(
    const Wanted& wanted, std::size_t level, std::size_t group, std::int32_t* bounds) {
    ++groups_scanned_;
    core::scan_bounds(wanted.source, wanted.demand, level, group, bounds);
}

}  // namespace core
