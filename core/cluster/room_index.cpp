#include "core/cluster/room_index.hpp"

#include <algorithm>
#include <bit>

namespace core {

namespace {

constexpr std::uint64_t all_rows = ~std::uint64_t{0};

/// More than the loop holds exactly is no bound at all.
double scanned(std::int64_t room) {
    return room > scanned_max ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(std::max<std::int64_t>(room, 0));
}

}  // namespace

void RoomIndex::node_came(NodeIndex node, std::size_t position) {
    if (node.value >= positions_.size()) positions_.resize(node.value + 1, no_position);
    positions_[node.value] = no_position;
    settled_ = std::min(settled_, position);
    order_changed_ = true;
}

void RoomIndex::node_went(NodeIndex node, std::size_t position) {
    positions_[node.value] = no_position;
    settled_ = std::min(settled_, position);
    order_changed_ = true;
}

/// Nodes before the first change are where they were.
void RoomIndex::number_anew(std::span<const NodeIndex> order) {
    for (std::size_t i = settled_; i < order.size(); ++i) {
        positions_[order[i].value] = static_cast<Position>(i);
    }
    const std::size_t blocks = (order.size() + block_size - 1) / block_size;
    const std::size_t first = settled_ / block_size;
    for (RoomOfView& view : views_) {
        std::size_t rows = blocks * block_size;
        for (auto& level : view.levels) {
            for (std::vector<double>& column : level) column.resize(rows);
            rows = (rows / block_size + block_size - 1) / block_size * block_size;
        }
        // A maximum of blocks that are gone must not stay behind.
        for (std::size_t level = 1; level < RoomOfView::level_count; ++level) {
            for (std::vector<double>& column : view.levels[level]) {
                const std::size_t used = level == 1 ? blocks : (blocks + 63) / 64;
                std::fill(column.begin() + static_cast<std::ptrdiff_t>(used), column.end(), 0.0);
            }
        }
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
        mark(block, all_rows, View::allocatable);
    }
}

void RoomIndex::read_row(
    RoomOfView& room, const RoomView& columns, NodeIndex node, std::size_t row) {
    const std::int64_t cpu = beyond(columns.cpu[node.value], columns.headroom.cpu_milli);
    const std::int64_t memory = beyond(columns.memory[node.value], columns.headroom.memory_bytes);
    const std::int64_t ephemeral = beyond(columns.ephemeral[node.value], 0);
    auto& level = room.levels[0];
    level[0][row] = scanned(cpu);
    level[1][row] = scanned(memory);
    level[2][row] = scanned(ephemeral);
    level[3][row] = static_cast<double>(pod_slots(columns.pods[node.value]));
    const std::uint64_t bit = std::uint64_t{1} << (row % block_size);
    std::uint64_t& is_wide = room.is_wide[row / block_size];
    is_wide = std::max({cpu, memory, ephemeral}) > scanned_max ? is_wide | bit : is_wide & ~bit;
    std::uint64_t& extended = room.has_extended[row / block_size];
    extended = columns.columns->lists_extended(node) ? extended | bit : extended & ~bit;
}

void RoomIndex::read_block(RoomOfView& room, View view, const Source& source, std::size_t block) {
    const RoomView columns(source.columns, view, source.headroom);
    const std::size_t first = block * block_size;
    const std::size_t present = std::min(block_size, source.order.size() - first);
    for (std::uint64_t stale = room.stale_rows_[block]; stale != 0; stale &= stale - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(stale));
        if (i < present) {
            read_row(room, columns, source.order[first + i], first + i);
            continue;
        }
        for (std::vector<double>& column : room.levels[0]) column[first + i] = 0;
        room.is_wide[block] &= ~(std::uint64_t{1} << i);
        room.has_extended[block] &= ~(std::uint64_t{1} << i);
    }
    room.stale_rows_[block] = 0;
}

/// Of 64 entries of a level, into one of the level above.
void RoomIndex::read_maxima(RoomOfView& room, std::size_t level, std::size_t group) {
    for (std::size_t i = 0; i < plain_resources; ++i) {
        room.levels[level + 1][i][group] =
            largest_room(room.levels[level][i].data() + group * block_size);
    }
}

const RoomOfView& RoomIndex::room(View view, const Source& source) {
    settle(source.order);
    RoomOfView& room = views_[static_cast<std::size_t>(view)];
    if (!room.any_stale_) return room;
    ++room.version_;
    for (std::size_t region = 0; region < room.stale_.size(); ++region) {
        std::uint64_t stale = room.stale_[region];
        if (stale == 0) continue;
        for (; stale != 0; stale &= stale - 1) {
            const std::size_t block =
                region * 64 + static_cast<std::size_t>(std::countr_zero(stale));
            if (block >= room.block_count()) break;
            read_block(room, view, source, block);
            read_maxima(room, 0, block);
            room.block_versions_[block] = room.version_;
        }
        read_maxima(room, 1, region);
        room.region_versions_[region] = room.version_;
        room.stale_[region] = 0;
    }
    room.any_stale_ = false;
    return room;
}

}  // namespace core
