// How Packing chooses nodes when it has the capacities of all.

#include "core/packing.hpp"

#include <algorithm>

namespace core {

std::span<const PositionCount> Packing::fill(
    ShapeId shape, std::int64_t wanted, const Capacities& capacities, PackingPolicy policy) {
    filled_.clear();
    if (wanted == 0) return filled_;
    if (cluster_->has_costs() || policy == PackingPolicy::fewest_nodes) {
        take_sorted(wanted, capacities, policy);
    } else {
        take_up_to_level(choose_level(wanted, capacities), wanted, capacities);
    }
    sort_filled();
    for (const PositionCount& chosen : filled_) put(chosen.position, shape, chosen.count);
    return filled_;
}

void Packing::sort_filled() {
    const auto by_position = [](const PositionCount& a, const PositionCount& b) {
        return a.position < b.position;
    };
    if (!std::is_sorted(filled_.begin(), filled_.end(), by_position)) {
        std::sort(filled_.begin(), filled_.end(), by_position);
    }
}

/// Fills the candidates one after another.
void Packing::take_in_order(std::int64_t wanted, const Capacities& capacities) {
    for (const Position position : candidates_) {
        if (wanted == 0) break;
        const std::int64_t count = std::min<std::int64_t>(wanted, capacities.at(position));
        filled_.push_back({position, count});
        wanted -= count;
    }
}

void Packing::take_sorted(std::int64_t wanted, const Capacities& capacities, PackingPolicy policy) {
    candidates_.clear();
    for (const std::uint32_t block : capacities.blocks) {
        for (std::size_t i = 0; i < block_size; ++i) {
            const std::size_t position = block * block_size + i;
            if (capacities.by_position[position] > 0) {
                candidates_.push_back(static_cast<Position>(position));
            }
        }
    }
    const bool has_costs = cluster_->has_costs();
    const bool largest = policy == PackingPolicy::fewest_nodes;
    std::sort(candidates_.begin(), candidates_.end(), [&](Position a, Position b) {
        if (has_costs && cost_at(a) != cost_at(b)) return cost_at(a) < cost_at(b);
        const std::int32_t of_a = capacities.by_position[a];
        const std::int32_t of_b = capacities.by_position[b];
        if (of_a != of_b) return largest ? of_a > of_b : of_a < of_b;
        return a < b;
    });
    take_in_order(wanted, capacities);
}

/// The capacity up to which nodes are used: below it all of them, at it as many as are needed.
/// Nodes at the level found so far are not counted any more: those before them suffice, and come
/// first by name; nor are larger ones. small_capacities: the small ones do not suffice.
std::int64_t Packing::choose_level(std::int64_t wanted, const Capacities& capacities) {
    buckets_.fill(0);
    std::int64_t level = small_capacities;
    std::int64_t found = 0;  // at the level and below
    for (const std::uint32_t block : capacities.blocks) {
        const std::int32_t* const of_block = &capacities.by_position[block * block_size];
        if (!has_between(of_block, static_cast<std::int32_t>(level))) continue;
        for (std::size_t i = 0; i < block_size; ++i) {
            if (of_block[i] == 0 || of_block[i] >= level) continue;
            ++buckets_[static_cast<std::size_t>(of_block[i])];
            found += of_block[i];
        }
        while (found >= wanted) {
            const std::int64_t below = level - 1;
            const std::int64_t there =
                level == small_capacities ? 0 : level * buckets_[static_cast<std::size_t>(level)];
            if (found - there < wanted) break;
            found -= there;
            level = below;
        }
    }
    return level;
}

void Packing::take_up_to_level(
    std::int64_t level, std::int64_t wanted, const Capacities& capacities) {
    std::int64_t below = 0;
    for (std::int64_t smaller = 1; smaller < level; ++smaller) {
        below += smaller * buckets_[static_cast<std::size_t>(smaller)];
    }
    std::int64_t at_level = level == small_capacities ? 0 : wanted - below;
    std::int64_t left = wanted;
    const auto limit = static_cast<std::int32_t>(level + (level < small_capacities ? 1 : 0));
    for (const std::uint32_t block : capacities.blocks) {
        if (left == 0) return;
        const std::int32_t* const of_block = &capacities.by_position[block * block_size];
        if (!has_between(of_block, limit)) continue;
        for (std::size_t i = 0; i < block_size; ++i) {
            const std::int64_t capacity = of_block[i];
            if (capacity == 0 || capacity >= limit) continue;
            const std::int64_t count = capacity < level ? capacity : std::min(capacity, at_level);
            if (count == 0) continue;
            if (capacity == level) at_level -= count;
            left -= count;
            filled_.push_back({static_cast<Position>(block * block_size + i), count});
        }
    }
    if (left == 0) return;
    candidates_.clear();
    for (const std::uint32_t block : capacities.blocks) {
        for (std::size_t i = 0; i < block_size; ++i) {
            const std::size_t position = block * block_size + i;
            if (capacities.by_position[position] >= small_capacities) {
                candidates_.push_back(static_cast<Position>(position));
            }
        }
    }
    std::sort(candidates_.begin(), candidates_.end(), [&](Position a, Position b) {
        const std::int32_t of_a = capacities.by_position[a];
        const std::int32_t of_b = capacities.by_position[b];
        return of_a != of_b ? of_a < of_b : a < b;
    });
    take_in_order(left, capacities);
}

}  // namespace core
