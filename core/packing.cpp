#include "core/packing.hpp"

#include "core/result.hpp"

#include <algorithm>

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
            return demand.extended[resource - Packing::plain_resources].amount;
    }
}

}  // namespace

void Packing::begin(const Cluster& cluster, View view, const std::vector<NodeIndex>& excluded) {
    cluster_ = &cluster;
    order_ = cluster.nodes_by_name();
    room_.emplace(cluster.columns(), view, cluster.headroom());
    excluded_ = {};
    has_excluded_ = !excluded.empty();
    for (const NodeIndex node : excluded) excluded_.set(node, true);
    touched_.clear();
    planned_index_.assign(order_.size(), nothing_planned);
}

void Packing::clear() {
    for (const Position position : touched_) planned_index_[position] = nothing_planned;
    touched_.clear();
}

Packing::Planned& Packing::planned_at(Position position) {
    std::uint32_t& index = planned_index_[position];
    if (index == nothing_planned) {
        index = static_cast<std::uint32_t>(touched_.size());
        touched_.push_back(position);
        if (index == planned_.size()) planned_.emplace_back();
        planned_[index].plain = {};
        planned_[index].extended.clear();
    }
    return planned_[index];
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
    const std::uint32_t index = planned_index_[position];
    const Planned* planned = index == nothing_planned ? nullptr : &planned_[index];
    if (resource < plain_resources) {
        const std::array columns = {&room_->cpu, &room_->memory, &room_->ephemeral, &room_->pods};
        const std::array<std::int64_t, plain_resources> kept = {
            room_->headroom.cpu_milli, room_->headroom.memory_bytes, 0, 0};
        const std::int64_t taken = planned == nullptr ? 0 : planned->plain[resource];
        return beyond((*columns[resource])[node.value], kept[resource]) - taken;
    }
    const ExtendedId id = demand.extended[resource - plain_resources].id;
    std::int64_t amount = room_->columns->extended(node, id, room_->view);
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
    if (has_excluded_ && is_excluded(position)) return 0;
    if (!cluster_->is_eligible(order_[position], shape)) return 0;
    std::int64_t least = unlimited;
    const std::size_t resources = resource_count(shape);
    for (std::size_t i = 0; i < resources; ++i) {
        least = std::min(least, times(position, shape, i));
    }
    return least;
}

std::int64_t Packing::capacity_beside(Position position, ShapeId shape, ShapeId other) const {
    return core::capacity_beside(
        *room_, order_[position], cluster_->demand(shape), cluster_->demand(other));
}

Wide Packing::scan(ShapeId shape, std::vector<std::int64_t>& capacities) const {
    const RoomView room = *room_;
    const Demand& demand = cluster_->demand(shape);
    const NodeBitmap& eligible = cluster_->eligible(cluster_->class_of(shape));
    capacities.resize(order_.size());
    Wide total = 0;
    for (std::size_t position = 0; position < order_.size(); ++position) {
        const NodeIndex node = order_[position];
        std::int64_t capacity = 0;
        if (planned_index_[position] != nothing_planned) {
            capacity = this->capacity(static_cast<Position>(position), shape);
        } else if (eligible.test(node) && !(has_excluded_ && excluded_.test(node))) {
            capacity = capacity_of(room, node, demand);
        }
        capacities[position] = capacity;
        total += capacity;
    }
    return total;
}

std::span<const PositionCount> Packing::fill(
    ShapeId shape, std::int64_t wanted, const std::vector<std::int64_t>& capacities) {
    filled_.clear();
    if (cluster_->has_costs()) {
        take_cheapest(wanted, capacities);
    } else {
        large_.clear();
        buckets_.fill(0);
        const std::int64_t level = choose_level(wanted, capacities);
        take_up_to_level(level, wanted, capacities);
    }
    for (const PositionCount& chosen : filled_) put(chosen.position, shape, chosen.count);
    return filled_;
}

/// By cost, and tightest among equals.
void Packing::take_cheapest(std::int64_t wanted, const std::vector<std::int64_t>& capacities) {
    large_.clear();
    for (std::size_t position = 0; position < capacities.size(); ++position) {
        if (capacities[position] > 0) large_.push_back(static_cast<Position>(position));
    }
    std::stable_sort(large_.begin(), large_.end(), [&](Position a, Position b) {
        return cost_at(a) != cost_at(b) ? cost_at(a) < cost_at(b) : capacities[a] < capacities[b];
    });
    for (const Position position : large_) {
        if (wanted == 0) break;
        const std::int64_t count = std::min(wanted, capacities[position]);
        filled_.push_back({position, count});
        wanted -= count;
    }
    std::sort(filled_.begin(), filled_.end(), [](const auto& a, const auto& b) {
        return a.position < b.position;
    });
}

/// The capacity up to which nodes are used: below it all of them, at it as many as are needed.
std::int64_t Packing::choose_level(
    std::int64_t wanted, const std::vector<std::int64_t>& capacities) {
    constexpr auto large = static_cast<std::int64_t>(small_capacities);
    for (std::size_t position = 0; position < capacities.size(); ++position) {
        const std::int64_t capacity = capacities[position];
        if (capacity >= large) {
            large_.push_back(static_cast<Position>(position));
        } else {
            ++buckets_[static_cast<std::size_t>(capacity)];
        }
    }
    std::int64_t remaining = wanted;
    std::int64_t level = 1;
    for (; level < large; ++level) {
        const std::int64_t total = level * buckets_[static_cast<std::size_t>(level)];
        if (total >= remaining) break;
        remaining -= total;
    }
    return level;
}

void Packing::take_up_to_level(
    std::int64_t level, std::int64_t wanted, const std::vector<std::int64_t>& capacities) {
    std::int64_t below = 0;
    for (std::int64_t smaller = 1; smaller < level; ++smaller) {
        below += smaller * buckets_[static_cast<std::size_t>(smaller)];
    }
    std::int64_t at_level = wanted - below;
    for (std::size_t position = 0; position < capacities.size(); ++position) {
        const std::int64_t capacity = capacities[position];
        if (capacity == 0 || capacity > level) continue;
        if (capacity == level && level == static_cast<std::int64_t>(small_capacities)) continue;
        const std::int64_t count = capacity < level ? capacity : std::min(capacity, at_level);
        if (count == 0) continue;
        if (capacity == level) at_level -= count;
        filled_.push_back({static_cast<Position>(position), count});
    }
    if (level == static_cast<std::int64_t>(small_capacities)) take_large(at_level, capacities);
}

void Packing::take_large(std::int64_t wanted, const std::vector<std::int64_t>& capacities) {
    std::stable_sort(large_.begin(), large_.end(), [&](Position a, Position b) {
        return capacities[a] < capacities[b];
    });
    for (const Position position : large_) {
        if (wanted == 0) break;
        const std::int64_t count = std::min(wanted, capacities[position]);
        filled_.push_back({position, count});
        wanted -= count;
    }
    std::sort(filled_.begin(), filled_.end(), [](const auto& a, const auto& b) {
        return a.position < b.position;
    });
}

}  // namespace core
