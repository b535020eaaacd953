// Best first: a group of 64 regions, blocks or nodes stands in a heap by the largest number in it: a
// bound, or of nodes the capacity itself. What is on top and is a bound is opened; what is on top
// and is a capacity is exact, and nothing larger is left anywhere, nor as large before it.

#include "core/placement/packing/largest_first.hpp"

#include <algorithm>

namespace core {

namespace {

/// Blocks that are opened at most before a scan of all is taken to be cheaper.
std::size_t opened_max(std::size_t blocks) {
    return 4 + blocks / 8;
}

}  // namespace

void LargestFirst::Group::find_best() {
    best = largest_of(capacities.data());
    if (best == 0) return;
    const auto at = std::find(capacities.begin(), capacities.end(), best);
    best_child = static_cast<std::uint32_t>(at - capacities.begin());
}

std::uint64_t LargestFirst::Group::best_position() const {
    std::uint64_t at = std::uint64_t{number} * block_size + best_child;
    for (int above = level; above > 0; --above) at *= block_size;
    return at;
}

/// Whether a is opened after b: the larger first, then the first by name.
bool LargestFirst::is_behind(std::uint32_t a, std::uint32_t b) const {
    const Group& first = groups_[a];
    const Group& second = groups_[b];
    if (first.best != second.best) return first.best < second.best;
    return first.best_position() > second.best_position();
}

void LargestFirst::push(std::uint32_t index) {
    if (groups_[index].best == 0) return;
    heap_.push_back(index);
    std::push_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return is_behind(a, b);
    });
}

std::uint32_t LargestFirst::pop() {
    std::pop_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return is_behind(a, b);
    });
    const std::uint32_t index = heap_.back();
    heap_.pop_back();
    return index;
}

/// Capacities of nodes; bounds of all else, for planned pods only ever make capacities smaller.
void LargestFirst::scan(const Wanted& wanted, Group& group) {
    ++groups_scanned_;
    if (group.level == 0) {
        scan_nodes(wanted, group.number, group.capacities.data());
    } else {
        scan_bounds(
            wanted.source, wanted.demand, group.level, group.number, group.capacities.data());
    }
    group.find_best();
}

void LargestFirst::scan_nodes(
    const Wanted& wanted, std::size_t block, std::int32_t* capacities) const {
    const std::uint64_t takers = view_.usable(wanted.source.eligible, block);
    scan_block(wanted.source, wanted.demand, block, takers, capacities);
    if (!planned_.is_block_touched(block)) return;
    for (std::size_t i = 0; i < block_size; ++i) {
        const auto position = static_cast<Position>(block * block_size + i);
        if (capacities[i] == 0 || !planned_.is_touched(position)) continue;
        capacities[i] = static_cast<std::int32_t>(planned_.capacity(position, wanted.shape));
    }
}

void LargestFirst::open(const Wanted& wanted, std::size_t level, std::size_t number) {
    if (groups_used_ == groups_.size()) groups_.emplace_back();
    const auto index = static_cast<std::uint32_t>(groups_used_++);
    Group& group = groups_[index];
    group.level = static_cast<std::uint8_t>(level);
    group.number = static_cast<std::uint32_t>(number);
    scan(wanted, group);
    push(index);
}

/// Nodes of the group with its best capacity, the first by name; answers how many pods are left
/// over. Equal ones of other blocks are all before or all behind.
std::int64_t LargestFirst::take_best(Group& group, std::int64_t wanted) {
    for (std::size_t i = group.best_child; i < block_size && wanted > 0; ++i) {
        if (group.capacities[i] != group.best) continue;
        const std::int64_t count = std::min<std::int64_t>(wanted, group.best);
        chosen_.push_back(
            {static_cast<Position>(std::size_t{group.number} * block_size + i), count});
        wanted -= count;
        group.capacities[i] = 0;
    }
    group.find_best();
    return wanted;
}

std::optional<std::span<const PositionCount>> LargestFirst::choose(
    ShapeId shape, std::int64_t wanted) {
    const Wanted looked_for{shape, view_.source(shape), ScanDemand(view_.demand(shape))};
    const std::size_t blocks = view_.free_capacity().block_count();
    chosen_.clear();
    heap_.clear();
    groups_used_ = 0;
    constexpr std::size_t top_nodes = block_size * block_size * block_size;
    for (std::size_t top = 0; top * top_nodes < view_.size(); ++top) open(looked_for, 2, top);
    std::size_t opened = 0;
    while (wanted > 0 && !heap_.empty()) {
        const std::uint32_t index = pop();
        Group& group = groups_[index];
        const std::size_t child = std::size_t{group.number} * block_size + group.best_child;
        const std::size_t level = group.level;
        if (level == 0) {
            wanted = take_best(group, wanted);
            push(index);
            continue;
        }
        group.capacities[group.best_child] = 0;
        group.find_best();
        push(index);
        if (level == 1 && view_.usable(looked_for.source.eligible, child) == 0) continue;
        if (level == 1 && ++opened > opened_max(blocks)) return std::nullopt;
        open(looked_for, level - 1, child);  // `group` may have moved
    }
    sort_by_position(chosen_);
    return chosen_;
}

}  // namespace core
