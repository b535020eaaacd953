#pragma once
// How many pods of a demand a node takes: exact integer arithmetic, the one rule of room.

#include "core/cluster/device/card_room.hpp"
#include "core/cluster/node_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace core {

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// A node takes no more pods than this, whatever it says: capacities have 32 bits.
inline constexpr std::int64_t pod_slots_max = std::numeric_limits<std::int32_t>::max();

/// Pod slots as they count: never negative.
inline std::int64_t pod_slots(std::int64_t free_capacity) {
    return std::clamp<std::int64_t>(free_capacity, 0, pod_slots_max);
}

/// What nobody is newly placed in, on every node: room for pods that come unannounced.
struct Headroom {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_bytes = 0;
    friend bool operator==(const Headroom&, const Headroom&) = default;
};

/// The room that is left above the headroom; never negative.
inline std::int64_t beyond(std::int64_t free_capacity, std::int64_t headroom) {
    return free_capacity > headroom ? free_capacity - headroom : 0;
}

/// One view of the columns, taken apart once for a scan over all nodes.
struct FreeColumns {
    FreeColumns(const NodeColumns& all, View which, const Headroom& kept = {})
        : cpu(all.cpu(which)),
          memory(all.memory(which)),
          ephemeral(all.ephemeral(which)),
          pods(all.pods(which)),
          headroom(kept),
          columns(&all),
          view(which) {}

    std::span<const std::int64_t> cpu;
    std::span<const std::int64_t> memory;
    std::span<const std::int64_t> ephemeral;
    std::span<const std::int64_t> pods;
    Headroom headroom;
    const NodeColumns* columns;
    View view;
};

/// floor(room / request); what is not requested never limits, even where room is negative.
inline std::int64_t times_it_fits(std::int64_t free_capacity, std::int64_t request) {
    if (request == 0) return unlimited;
    if (free_capacity < request) return 0;
    return free_capacity / request;
}

inline std::int64_t amount_of(const Demand& demand, ExtendedId id) {
    for (const ExtendedDemand& entry : demand.extended) {
        if (entry.id == id) return entry.amount;
    }
    return 0;
}

inline std::int64_t amount_of(std::span<const ExtendedDemand> planned, ExtendedId id) {
    std::int64_t amount = 0;
    for (const ExtendedDemand& entry : planned) amount += entry.id == id ? entry.amount : 0;
    return amount;
}

/// Volumes that count for the limit, which a pod of the demand would bring to the node: nobody has
/// them there, nor are they planned there.
inline std::int64_t new_volumes(
    const NodeColumns& columns,
    NodeIndex node,
    const Demand& demand,
    ExtendedId limit,
    std::span<const ExtendedDemand> planned = {}) {
    if (!demand.wants_volumes || limit.is_none()) return 0;
    std::int64_t count = 0;
    for (const ExtendedDemand& wanted : demand.extended) {
        if (columns.names().limit_of_volume(wanted.id) != limit) continue;
        if (amount_of(planned, wanted.id) > 0) continue;
        count += columns.is_attached(node, wanted.id) ? 0 : 1;
    }
    return count;
}

/// The same of pods that bring volumes, too: the first one brings them for all.
inline std::int64_t times_it_fits_with_volumes(
    std::int64_t free_capacity, std::int64_t request, std::int64_t new_volumes) {
    if (request == 0 && new_volumes > 0 && free_capacity < new_volumes) return 0;
    return times_it_fits(free_capacity - new_volumes, request);
}

/// Min over resources and pod slots; constraints are not looked at.
inline std::int64_t capacity_of(
    const FreeColumns& free_capacity, NodeIndex node, const Demand& demand) {
    const std::size_t row = node.value;
    std::int64_t least = pod_slots(free_capacity.pods[row]);
    const Headroom& kept = free_capacity.headroom;
    least = std::min(
        least, times_it_fits(beyond(free_capacity.cpu[row], kept.cpu_milli), demand.cpu_milli));
    least = std::min(
        least,
        times_it_fits(beyond(free_capacity.memory[row], kept.memory_bytes), demand.memory_bytes));
    least = std::min(least, times_it_fits(free_capacity.ephemeral[row], demand.ephemeral_bytes));
    for (const ExtendedDemand& wanted : demand.extended) {
        const std::int64_t offered =
            free_capacity.columns->extended(node, wanted.id, free_capacity.view);
        const std::int64_t brought =
            new_volumes(*free_capacity.columns, node, demand, wanted.id);
        least = std::min(least, times_it_fits_with_volumes(offered, wanted.amount, brought));
        if (demand.wants_cards) {
            least = std::min(
                least, times_on_cards(*free_capacity.columns, node, wanted, free_capacity.view));
        }
    }
    return least;
}

/// What one pod of the demand takes of cards, which are chosen so.
inline std::vector<CardDemand> cards_taken_by(
    const FreeColumns& free_capacity, NodeIndex node, const Demand& demand, CardChoice choice) {
    std::vector<CardDemand> planned;
    for (const ExtendedDemand& wanted : demand.extended) {
        const auto cards =
            choose_cards(*free_capacity.columns, node, wanted, free_capacity.view, choice, planned);
        planned.insert(planned.end(), cards.begin(), cards.end());
    }
    return planned;
}

/// capacity_of() after one pod of `other`, which must fit there (so that nothing here overflows).
inline std::int64_t capacity_beside(
    const FreeColumns& free_capacity,
    NodeIndex node,
    const Demand& demand,
    const Demand& other,
    CardChoice choice = CardChoice::least_left) {
    const std::size_t row = node.value;
    std::int64_t least = pod_slots(free_capacity.pods[row]) - 1;
    const std::int64_t cpu = beyond(free_capacity.cpu[row], free_capacity.headroom.cpu_milli);
    const std::int64_t memory =
        beyond(free_capacity.memory[row], free_capacity.headroom.memory_bytes);
    least = std::min(least, times_it_fits(cpu - other.cpu_milli, demand.cpu_milli));
    least = std::min(least, times_it_fits(memory - other.memory_bytes, demand.memory_bytes));
    least = std::min(
        least,
        times_it_fits(
            free_capacity.ephemeral[row] - other.ephemeral_bytes, demand.ephemeral_bytes));
    std::vector<CardDemand> planned;
    if (demand.wants_cards && other.wants_cards) {
        planned = cards_taken_by(free_capacity, node, other, choice);
    }
    for (const ExtendedDemand& wanted : demand.extended) {
        const std::int64_t offered =
            free_capacity.columns->extended(node, wanted.id, free_capacity.view) -
            amount_of(other, wanted.id) -
            new_volumes(*free_capacity.columns, node, other, wanted.id);
        const std::int64_t brought =
            new_volumes(*free_capacity.columns, node, demand, wanted.id, other.extended);
        least = std::min(least, times_it_fits_with_volumes(offered, wanted.amount, brought));
        if (demand.wants_cards) {
            least = std::min(
                least,
                times_on_cards(*free_capacity.columns, node, wanted, free_capacity.view, planned));
        }
    }
    return least;
}

}  // namespace core
