// Mostly the first level by the policy is enough, or one of the next: these are taken one by one.
// Else small capacities are counted to find the level; the few nodes with large ones are ranked one
// by one.

#include "core/placement/packing/level_filling.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <bit>

namespace core {

namespace {

/// So many levels are looked for one by one before the capacities are counted.
constexpr int single_levels = 3;
constexpr std::size_t few_nodes = 4;

/// visit(position, capacity) for each set bit of a block.
template <typename Visit>
void for_each_node(
    const Capacities& capacities, std::size_t block, std::uint64_t nodes, Visit visit) {
    const std::int32_t* const of_block = capacities.of_block(block);
    for (; nodes != 0; nodes &= nodes - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
        visit(static_cast<Position>(block * block_size + i), of_block[i]);
    }
}

}  // namespace

const std::vector<PositionCount>& LevelFilling::fill(
    std::int64_t wanted, const Capacities& capacities, ShapeId shape, PackingPolicy policy) {
    filled_.clear();
    if (take_by_level(wanted, capacities, policy)) return filled_;
    filled_.clear();
    ranking_.begin(shape, policy);  // for nodes with large capacities
    if (policy == PackingPolicy::fewest_nodes) {
        const bool has_large = capacities.most() >= small_capacities;
        const std::int64_t left =
            has_large ? by_rank_.take(small_capacities, wanted, capacities, filled_) : wanted;
        if (left > 0) take_from(find_level_down(left, capacities), left, capacities);
    } else {
        const std::int64_t left = take_up_to(find_level_up(wanted, capacities), wanted, capacities);
        if (left > 0) by_rank_.take(small_capacities, left, capacities, filled_);
    }
    sort_by_position(filled_);
    return filled_;
}

/// The first few levels by the policy, each in order of position; false: they do not suffice. A
/// level is worth the next one if it gave half of what was wanted, or was little work (mostly the
/// node beside the driver, alone at its level).
bool LevelFilling::take_by_level(
    std::int64_t wanted, const Capacities& capacities, PackingPolicy policy) {
    const bool largest = policy == PackingPolicy::fewest_nodes;
    std::int32_t level = largest ? capacities.most() : capacities.least();
    for (int tried = 0; tried < single_levels && level > 0; ++tried) {
        const std::size_t before = filled_.size();
        const std::int64_t left = take_at(level, wanted, capacities, policy);
        merge_filled(before);
        if (left == 0) return true;
        if (left > wanted / 2 && filled_.size() - before > few_nodes) return false;
        wanted = left;
        level = largest ? capacities.next_below(level) : capacities.next_above(level);
    }
    return false;
}

/// Nodes with this capacity, by name; answers how many pods are left over.
std::int64_t LevelFilling::take_at(
    std::int32_t level, std::int64_t wanted, const Capacities& capacities, PackingPolicy policy) {
    const auto take = [&](std::size_t block) {
        std::uint64_t nodes = capacities.nodes_at(block, level);
        for (; nodes != 0 && wanted > 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            const std::int64_t count = std::min<std::int64_t>(wanted, level);
            filled_.push_back({static_cast<Position>(block * block_size + i), count});
            wanted -= count;
        }
        return wanted > 0;
    };
    if (policy == PackingPolicy::fewest_nodes) {
        capacities.for_each_block_from(level, take);
    } else {
        capacities.for_each_block_up_to(level, take);
    }
    return wanted;
}

/// The first `sorted` and the others are each in order of position.
void LevelFilling::merge_filled(std::size_t sorted) {
    if (sorted == 0) return;
    const auto middle = filled_.begin() + static_cast<std::ptrdiff_t>(sorted);
    merged_.resize(filled_.size());
    std::merge(
        filled_.begin(),
        middle,
        middle,
        filled_.end(),
        merged_.begin(),
        is_before);
    filled_.swap(merged_);
}

/// All that the node takes; of those at the level only as many as are wanted there.
std::int64_t LevelFilling::take_node(Position position, std::int64_t capacity, Level& level) {
    std::int64_t count = capacity;
    if (capacity == level.capacity) {
        count = std::min(count, level.wanted);
        level.wanted -= count;
        if (count == 0) return 0;
    }
    filled_.push_back({position, count});
    return count;
}

/// The least level up to which nodes suffice; small_capacities: the small ones do not. Nodes at the
/// level found so far are not counted any more: those before them suffice, and come first by name;
/// nor are larger ones.
LevelFilling::Level LevelFilling::find_level_up(std::int64_t wanted, const Capacities& capacities) {
    buckets_.fill(0);
    const std::int32_t least = capacities.least();
    std::int32_t level = small_capacities;
    std::int64_t there = 0;  // found at the level
    std::int64_t found = 0;  // and below
    capacities.for_each_block_up_to(level - 1, [&](std::size_t block) {
        if (capacities.least_of_block(block) >= level) return true;
        const std::uint64_t nodes = bits_up_to(capacities.of_block(block), level - 1);
        for_each_node(capacities, block, nodes, [&](Position, std::int32_t capacity) {
            ++buckets_[static_cast<std::size_t>(capacity)];
            found += capacity;
        });
        while (found - there >= wanted) {
            found -= there;
            --level;
            there = std::int64_t{level} * buckets_[static_cast<std::size_t>(level)];
        }
        return level > least;  // else nothing smaller is left to be found
    });
    return {level, wanted - (found - there)};
}

/// Answers how many pods are left over, for nodes with large capacities.
std::int64_t LevelFilling::take_up_to(Level level, std::int64_t wanted, const Capacities& capacities) {
    const std::int32_t last = std::min(level.capacity, small_capacities - 1);
    capacities.for_each_block_up_to(last, [&](std::size_t block) {
        const std::int32_t limit = level.wanted > 0 ? last : level.capacity - 1;
        const std::uint64_t nodes = bits_up_to(capacities.of_block(block), limit);
        for_each_node(capacities, block, nodes, [&](Position position, std::int32_t capacity) {
            wanted -= take_node(position, capacity, level);
        });
        return wanted > 0;
    });
    return wanted;
}

/// The largest level from which nodes suffice, of those with small capacities. Nodes at the level
/// found so far are not counted any more, nor are smaller ones.
LevelFilling::Level LevelFilling::find_level_down(std::int64_t wanted, const Capacities& capacities) {
    buckets_.fill(0);
    const std::int32_t most = capacities.most();
    std::int32_t level = 0;
    std::int64_t there = 0;  // found at the level
    std::int64_t found = 0;  // and above
    capacities.for_each_block_from(1, [&](std::size_t block) {
        if (capacities.most_of_block(block) <= level) return true;
        const std::uint64_t nodes = bits_from(capacities.of_block(block), level + 1);
        for_each_node(capacities, block, nodes, [&](Position, std::int32_t capacity) {
            if (capacity >= small_capacities) return;
            ++buckets_[static_cast<std::size_t>(capacity)];
            found += capacity;
        });
        while (found - there >= wanted) {
            found -= there;
            ++level;
            there = std::int64_t{level} * buckets_[static_cast<std::size_t>(level)];
        }
        return level < most;
    });
    ENSURE(level > 0);  // nodes suffice
    return {level, wanted - (found - there)};
}

void LevelFilling::take_from(Level level, std::int64_t wanted, const Capacities& capacities) {
    capacities.for_each_block_from(level.capacity, [&](std::size_t block) {
        const std::int32_t limit = level.wanted > 0 ? level.capacity : level.capacity + 1;
        const std::uint64_t nodes = bits_from(capacities.of_block(block), limit);
        for_each_node(capacities, block, nodes, [&](Position position, std::int32_t capacity) {
            if (capacity < small_capacities) wanted -= take_node(position, capacity, level);
        });
        return wanted > 0;
    });
}

}  // namespace core
