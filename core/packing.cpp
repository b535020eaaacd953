#include "core/packing.hpp"

#include "core/result.hpp"

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
    cluster_ = &cluster;
    order_ = cluster.nodes_by_name();
    room_ = &cluster.room(view);
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
    if (block_epochs_.size() < room_->block_count()) block_epochs_.resize(room_->block_count());
    clear();
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
    }
    return planned_[stamp.index];
}

void Packing::put(Position position, ShapeId shape, std::int64_t count) {
    const Demand& demand = cluster_->demand(shape);
    Planned& planned = planned_at(position);
    // No overflow: every product is at most the room that was found there.
    for (std::size_t i = 0; i < plain_resources; ++i) {
        planned.plain[i] += request_of(demand, i) * count;
    }
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto same = [&wanted](const ExtendedDemand& entry) { return entry.id == wanted.id; };
        const auto known = std::find_if(planned.extended.begin(), planned.extended.end(), same);
        if (known != planned.extended.end()) {
            known->amount += wanted.amount * count;
        } else {
            planned.extended.push_back({wanted.id, wanted.amount * count});
        }
    }
}

std::int64_t Packing::left(Position position, const Demand& demand, std::size_t resource) const {
    const NodeIndex node = order_[position];
    const Planned* planned = is_touched(position) ? &planned_[stamps_[position].index] : nullptr;
    if (resource < plain_resources) {
        const std::array columns = {
            &columns_->cpu, &columns_->memory, &columns_->ephemeral, &columns_->pods};
        const std::array<std::int64_t, plain_resources> kept = {
            columns_->headroom.cpu_milli, columns_->headroom.memory_bytes, 0, 0};
        const std::int64_t taken = planned == nullptr ? 0 : planned->plain[resource];
        const std::int64_t room = beyond((*columns[resource])[node.value], kept[resource]);
        return (resource == 3 ? pod_slots(room) : room) - taken;
    }
    const ExtendedId id = demand.extended[resource - plain_resources].id;
    std::int64_t amount = columns_->columns->extended(node, id, columns_->view);
    if (planned == nullptr) return amount;
    for (const ExtendedDemand& entry : planned->extended) {
        if (entry.id == id) amount -= entry.amount;
    }
    return amount;
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

std::int64_t Packing::times(Position position, ShapeId shape, std::size_t resource) const {
    const Demand& demand = cluster_->demand(shape);
    return times_it_fits(left(position, demand, resource), request_of(demand, resource));
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
        *columns_, order_[position], cluster_->demand(shape), cluster_->demand(other));
}

/// Exact: what the loop does not know of (extended resources, planned pods, amounts that it does
/// not hold) is looked at node by node.
void Packing::scan_block(const Wanted& wanted, std::size_t block, std::int32_t* capacities) {
    ++groups_scanned_;
    std::uint64_t takers = usable(wanted.eligible, block);
    if (!wanted.demand.extended.empty()) takers &= room_->has_extended[block];
    if (takers == 0) {
        std::fill_n(capacities, block_size, 0);
        return;
    }
    const bool by_node = wanted.scan.is_wide || room_->is_wide[block] != 0;
    scan_rows(wanted.scan, room_->rows(0, block), capacities);
    if (takers != ~std::uint64_t{0}) {
        for (std::size_t i = 0; i < block_size; ++i) {
            capacities[i] &= -static_cast<std::int32_t>((takers >> i) & 1U);
        }
    }
    if (!by_node && wanted.demand.extended.empty() && !is_block_touched(block)) return;
    for (; takers != 0; takers &= takers - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(takers));
        const auto position = static_cast<Position>(block * block_size + i);
        const bool touched = is_touched(position);
        if (capacities[i] == 0 || (!by_node && wanted.demand.extended.empty() && !touched))
            continue;
        capacities[i] = static_cast<std::int32_t>(
            touched ? capacity(position, wanted.shape)
                    : capacity_of(*columns_, order_[position], wanted.demand));
    }
}

/// At least the largest capacity in each of 64 blocks, or regions. Planned pods and extended
/// resources only ever make capacities smaller.
void Packing::scan_bounds(
    const Wanted& wanted, std::size_t level, std::size_t group, std::int32_t* bounds) {
    ++groups_scanned_;
    scan_rows(wanted.scan, room_->rows(level, group), bounds);
}

/// The block's place among the capacities, to be written to.
std::int32_t* Packing::list_block(Capacities& capacities, std::size_t block) const {
    capacities.blocks.push_back(static_cast<std::uint32_t>(block));
    capacities.listed[block / 64] |= std::uint64_t{1} << (block % 64);
    return capacities.by_position.data() + block * block_size;
}

void Packing::scan(ShapeId shape, Capacities& capacities) {
    const Wanted wanted = this->wanted(shape);
    const std::size_t blocks = room_->block_count();
    capacities.blocks.clear();
    capacities.total = 0;
    capacities.listed.assign((blocks + 63) / 64, 0);
    if (capacities.by_position.size() < blocks * block_size) {
        capacities.by_position.resize(blocks * block_size);
    }
    std::array<std::int32_t, block_size> region_bounds;
    std::array<std::int32_t, block_size> block_bounds;
    for (std::size_t region = 0; region * block_size < blocks; ++region) {
        if (region % block_size == 0) {
            scan_bounds(wanted, 2, region / block_size, region_bounds.data());
        }
        if (region_bounds[region % block_size] == 0) continue;
        scan_bounds(wanted, 1, region, block_bounds.data());
        const std::size_t end = std::min(blocks, (region + 1) * block_size);
        for (std::size_t block = region * block_size; block < end; ++block) {
            if (block_bounds[block % block_size] == 0 || usable(wanted.eligible, block) == 0) {
                continue;
            }
            std::int32_t* const into = list_block(capacities, block);
            scan_block(wanted, block, into);
            capacities.total += sum_of(into, room_->levels[1][plain_resources - 1][block]);
        }
    }
}

}  // namespace core
