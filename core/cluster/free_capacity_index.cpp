#include "core/cluster/free_capacity_index.hpp"

#include <algorithm>
#include <bit>

namespace core {

namespace {

constexpr std::uint64_t all_rows = ~std::uint64_t{0};

/// More than the loop holds exactly is no bound at all.
double scanned(std::int64_t free_capacity) {
    return free_capacity > scanned_max
               ? std::numeric_limits<double>::infinity()
               : static_cast<double>(std::max<std::int64_t>(free_capacity, 0));
}

}  // namespace

void FreeCapacityIndex::node_came(NodeIndex node, std::size_t position) {
    if (node.value >= positions_.size()) positions_.resize(node.value + 1, no_position);
    positions_[node.value] = no_position;
    settled_ = std::min(settled_, position);
    order_changed_ = true;
}

void FreeCapacityIndex::node_went(NodeIndex node, std::size_t position) {
    positions_[node.value] = no_position;
    settled_ = std::min(settled_, position);
    order_changed_ = true;
}

/// Nodes before the first change are where they were.
void FreeCapacityIndex::number_anew(std::span<const NodeIndex> order) {
    for (std::size_t i = settled_; i < order.size(); ++i) {
        positions_[order[i].value] = static_cast<Position>(i);
    }
    const std::size_t blocks = (order.size() + block_size - 1) / block_size;
    const std::size_t first = settled_ / block_size;
    for (FreeCapacity& view : views_) {
        std::size_t rows = blocks * block_size;
        for (auto& level : view.levels) {
            for (std::vector<double>& column : level) column.resize(rows);
            rows = padded_to_blocks(rows / block_size);
        }
        // A maximum of blocks that are gone must not stay behind.
        for (std::size_t level = 1; level < FreeCapacity::level_count; ++level) {
            for (std::vector<double>& column : view.levels[level]) {
                const std::size_t used = level == 1 ? blocks : (blocks + 63) / 64;
                std::fill(column.begin() + static_cast<std::ptrdiff_t>(used), column.end(), 0.0);
            }
        }
        for (DeviceColumn& device : view.devices.all()) device.resize(blocks);
        view.is_wide.resize(blocks);
        view.has_extended.resize(blocks);
        view.stale_.resize((blocks + 63) / 64);
        view.stale_rows_.resize(blocks);
        view.block_versions_.resize(blocks);
        view.region_versions_.resize((blocks + 63) / 64);
        view.any_stale_ = true;  // that blocks are gone is news, too
    }
    settled_ = order.size();
    order_changed_ = false;
    const std::size_t last = blocks == 0 ? 0 : blocks - 1;  // its region may have lost others
    for (std::size_t block = std::min(first, last); block < blocks; ++block) {
        mark_stale(block, all_rows, View::allocatable);
    }
}

void FreeCapacityIndex::read_row(
    FreeCapacity& free_capacity, const FreeColumns& columns, NodeIndex node, std::size_t row) {
    const std::int64_t cpu = beyond(columns.cpu[node.value], columns.headroom.cpu_milli);
    const std::int64_t memory = beyond(columns.memory[node.value], columns.headroom.memory_bytes);
    const std::int64_t ephemeral = beyond(columns.ephemeral[node.value], 0);
    auto& level = free_capacity.levels[0];
    level[0][row] = scanned(cpu);
    level[1][row] = scanned(memory);
    level[2][row] = scanned(ephemeral);
    level[3][row] = static_cast<double>(pod_slots(columns.pods[node.value]));
    const std::uint64_t bit = std::uint64_t{1} << (row % block_size);
    std::uint64_t& is_wide = free_capacity.is_wide[row / block_size];
    is_wide = std::max({cpu, memory, ephemeral}) > scanned_max ? is_wide | bit : is_wide & ~bit;
    std::uint64_t& extended = free_capacity.has_extended[row / block_size];
    extended = columns.columns->lists_extended(node) ? extended | bit : extended & ~bit;
    for (DeviceColumn& device : free_capacity.devices.all()) {
        device.read_row(*columns.columns, columns.view, node, row);
    }
}

void FreeCapacityIndex::read_block(
    FreeCapacity& free_capacity, View view, const Source& source, std::size_t block) const {
    const FreeColumns columns(source.columns, view, headroom_);
    const std::size_t first = block * block_size;
    const std::size_t present = std::min(block_size, source.order.size() - first);
    for (std::uint64_t stale = free_capacity.stale_rows_[block]; stale != 0; stale &= stale - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(stale));
        if (i < present) {
            read_row(free_capacity, columns, source.order[first + i], first + i);
            continue;
        }
        for (std::vector<double>& column : free_capacity.levels[0]) column[first + i] = 0;
        for (DeviceColumn& device : free_capacity.devices.all()) device.clear_row(first + i);
        free_capacity.is_wide[block] &= ~(std::uint64_t{1} << i);
        free_capacity.has_extended[block] &= ~(std::uint64_t{1} << i);
    }
    free_capacity.stale_rows_[block] = 0;
}

/// Of 64 entries of a level, into one of the level above.
void FreeCapacityIndex::read_maxima(
    FreeCapacity& free_capacity, std::size_t level, std::size_t group) {
    for (std::size_t i = 0; i < plain_resources; ++i) {
        free_capacity.levels[level + 1][i][group] =
            largest_free(free_capacity.levels[level][i].data() + group * block_size);
    }
    for (DeviceColumn& device : free_capacity.devices.all()) device.read_maxima(level, group);
}

void FreeCapacityIndex::know_device(ExtendedId id, View view, const Source& source) {
    const std::size_t blocks = free_capacity(view, source).block_count();
    FreeCapacity& free_capacity = views_[static_cast<std::size_t>(view)];
    DeviceColumn* const made = free_capacity.devices.make(id, source.columns, blocks);
    if (made == nullptr) return;
    for (std::size_t row = 0; row < source.order.size(); ++row) {
        made->read_row(source.columns, view, source.order[row], row);
    }
    for (std::size_t block = 0; block < blocks; ++block) made->read_maxima(0, block);
    for (std::size_t region = 0; region * block_size < blocks; ++region) {
        made->read_maxima(1, region);
    }
}

const FreeCapacity& FreeCapacityIndex::free_capacity(View view, const Source& source) {
    settle(source.order);
    FreeCapacity& free_capacity = views_[static_cast<std::size_t>(view)];
    free_capacity.devices.forget_old_meanings(source.columns);
    if (!free_capacity.any_stale_) return free_capacity;
    ++free_capacity.version_;
    for (std::size_t region = 0; region < free_capacity.stale_.size(); ++region) {
        std::uint64_t stale = free_capacity.stale_[region];
        if (stale == 0) continue;
        for (; stale != 0; stale &= stale - 1) {
            const std::size_t block =
                region * 64 + static_cast<std::size_t>(std::countr_zero(stale));
            if (block >= free_capacity.block_count()) break;
            read_block(free_capacity, view, source, block);
            read_maxima(free_capacity, 0, block);
            free_capacity.block_versions_[block] = free_capacity.version_;
        }
        read_maxima(free_capacity, 1, region);
        free_capacity.region_versions_[region] = free_capacity.version_;
        free_capacity.stale_[region] = 0;
    }
    free_capacity.any_stale_ = false;
    return free_capacity;
}

}  // namespace core
