// How Packing finds the largest capacities without looking at all nodes: best first. A group of 64
// regions, blocks or nodes stands in a heap by the largest number in it: a bound, or of nodes the
// capacity itself. What is on top and is a bound is opened; what is on top and is a capacity is
// exact, and nothing larger is left anywhere, nor as large before it.

#include "core/placement/packing.hpp"

#include <algorithm>

namespace core {

namespace {

/// Blocks that are opened at most before a scan of all is taken to be cheaper.
std::size_t opened_max(std::size_t blocks) {
    return 4 + blocks / 8;
}

}  // namespace

void Packing::find_best(Group& group) const {
    group.best = largest_of(group.capacities.data());
    if (group.best == 0) return;
    const auto at = std::find(group.capacities.begin(), group.capacities.end(), group.best);
    group.best_child = static_cast<std::uint32_t>(at - group.capacities.begin());
}

/// Whether a is opened after b: the larger first, then the first by name.
bool Packing::is_behind(std::uint32_t a, std::uint32_t b) const {
    const Group& first = groups_[a];
    const Group& second = groups_[b];
    if (first.best != second.best) return first.best < second.best;
    const auto position = [](const Group& group) {
        std::uint64_t at = std::uint64_t{group.number} * block_size + group.best_child;
        for (int level = group.level; level > 0; --level) at *= block_size;
        return at;
    };
    return position(first) > position(second);
}

void Packing::push_group(std::uint32_t index) {
    if (groups_[index].best == 0) return;
    heap_.push_back(index);
    std::push_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return is_behind(a, b);
    });
}

std::uint32_t Packing::pop_group() {
    std::pop_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return is_behind(a, b);
    });
    const std::uint32_t index = heap_.back();
    heap_.pop_back();
    return index;
}

void Packing::open_group(const Wanted& wanted, std::size_t level, std::size_t number) {
    if (groups_used_ == groups_.size()) groups_.emplace_back();
    const auto index = static_cast<std::uint32_t>(groups_used_++);
    Group& group = groups_[index];
    group.level = static_cast<std::uint8_t>(level);
    group.number = static_cast<std::uint32_t>(number);
    if (level == 0) {
        scan_block(wanted, number, group.capacities.data());
    } else {
        scan_bounds(wanted, level, number, group.capacities.data());
    }
    find_best(group);
    push_group(index);
}

std::optional<std::span<const PositionCount>> Packing::choose_largest(
    ShapeId shape, std::int64_t wanted) {
    const Wanted looked_for{shape, source(shape), ScanDemand(cluster_->demand(shape))};
    const std::size_t blocks = free_capacity_->block_count();
    filled_.clear();
    heap_.clear();
    groups_used_ = 0;
    constexpr std::size_t top_nodes = block_size * block_size * block_size;
    for (std::size_t top = 0; top * top_nodes < order_.size(); ++top) {
        open_group(looked_for, 2, top);
    }
    std::size_t opened = 0;
    while (wanted > 0 && !heap_.empty()) {
        const std::uint32_t index = pop_group();
        const std::size_t child =
            std::size_t{groups_[index].number} * block_size + groups_[index].best_child;
        const std::size_t level = groups_[index].level;
        if (level > 0) {
            groups_[index].capacities[groups_[index].best_child] = 0;
            find_best(groups_[index]);
            push_group(index);
            if (level == 1 && usable(looked_for.source.eligible, child) == 0) continue;
            if (level == 1 && ++opened > opened_max(blocks)) return std::nullopt;
            open_group(looked_for, level - 1, child);
            continue;
        }
        // Equal ones behind it in its block come next: other blocks are all before or all behind.
        Group& group = groups_[index];
        for (std::size_t i = group.best_child; i < block_size && wanted > 0; ++i) {
            if (group.capacities[i] != group.best) continue;
            const std::int64_t count = std::min<std::int64_t>(wanted, group.best);
            filled_.push_back(
                {static_cast<Position>(std::size_t{group.number} * block_size + i), count});
            wanted -= count;
            group.capacities[i] = 0;
        }
        find_best(group);
        push_group(index);
    }
    sort_filled();
    return filled_;
}

}  // namespace core
