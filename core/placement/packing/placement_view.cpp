#include "core/placement/packing/placement_view.hpp"

#include <array>

namespace core {

void PlacementView::begin(
    const Cluster& cluster,
    View view,
    const std::vector<NodeIndex>& excluded,
    CardChoice card_choice) {
    cluster_ = &cluster;
    order_ = cluster.nodes().by_name();
    free_capacity_ = &cluster.room().free_capacity(view);
    columns_.emplace(cluster.columns(), view, cluster.room().headroom());
    card_choice_ = card_choice;
    for (const Position position : excluded_positions_) excluded_.set(position, false);
    excluded_positions_.clear();
    for (const NodeIndex node : excluded) {
        const Position position = cluster.position_of(node);
        if (position == no_position) continue;
        excluded_.set(position, true);
        excluded_positions_.push_back(position);
    }
}

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

std::string_view resource_name(const PlacementView& view, ShapeId shape, std::size_t resource) {
    constexpr std::array<std::string_view, plain_resources> names = {
        "cpu", "memory", "ephemeral-storage", "pods"};
    if (resource < plain_resources) return names[resource];
    return view.cluster().extended_names().name(extended_id(view.demand(shape), resource));
}

std::int64_t capacity_beside(
    const PlacementView& view, Position position, ShapeId shape, ShapeId other) {
    return capacity_beside(
        view.columns(),
        view.node_at(position),
        view.demand(shape),
        view.demand(other),
        view.card_choice());
}

namespace {

/// False: that cannot be told for a whole block at once.
bool scan_beside(
    const PlacementView& view,
    std::size_t block,
    ShapeId shape,
    ShapeId other,
    std::int32_t* capacities) {
    const Demand& demand = view.demand(shape);
    const Demand& beside = view.demand(other);
    const FreeCapacity& free_capacity = view.free_capacity();
    const ScanDemand scanned(demand);
    const bool is_plain = !scanned.is_wide && !demand.wants_exclusive &&
                          !scanned.leaves_devices_out && free_capacity.is_wide[block] == 0;
    if (!is_plain) return false;
    for (const ExtendedDemand& wanted : demand.extended) {
        const DeviceColumn* const column = free_capacity.devices.find(wanted.id);
        if (column == nullptr || column->is_wide(block) != 0) return false;
        // The other's card is of its own choice.
        if (amount_of(beside, wanted.id) > 0) return false;
    }
    // Where the other fits it takes no more than the room, so no more than scanned_max.
    std::array<double, plain_resources> taken;
    for (std::size_t i = 0; i < plain_resources; ++i) {
        taken[i] = static_cast<double>(request_of(beside, i));
    }
    scan_rows_beside(scanned, free_capacity.rows(0, block), taken, capacities);
    for (std::size_t i = 0; i < scanned.device_count; ++i) {
        const ScanDemand::Device& device = scanned.devices[i];
        const DeviceColumn& column = *free_capacity.devices.find(device.id);
        limit_rows(device, column.rows(0, block), capacities);
        const std::size_t cards = scanned.wants_cards ? column.card_count(block) : 0;
        if (cards > 0) limit_rows_by_cards(device, column.cards(block), cards, capacities);
    }
    return true;
}

}  // namespace

std::array<std::int32_t, block_size> losses_beside(
    const PlacementView& view,
    std::size_t block,
    ShapeId shape,
    const Capacities& capacities,
    ShapeId other) {
    std::array<std::int32_t, block_size> losses = {};
    if (!capacities.takes_any(block)) return losses;
    const std::int32_t* const alone = capacities.of_block(block);
    if (!scan_beside(view, block, shape, other, losses.data())) {
        for (std::size_t i = 0; i < block_size; ++i) {
            if (alone[i] == 0) continue;
            const auto position = static_cast<Position>(block * block_size + i);
            const std::int64_t beside = capacity_beside(view, position, shape, other);
            losses[i] = static_cast<std::int32_t>(alone[i] - beside);
        }
        return losses;
    }
    for (std::size_t i = 0; i < block_size; ++i) {
        losses[i] = alone[i] == 0 ? 0 : alone[i] - losses[i];
    }
    return losses;
}

}  // namespace core
