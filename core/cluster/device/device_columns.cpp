#include "core/cluster/device/device_columns.hpp"

#include <algorithm>

namespace core {

// --- one column ---------------------------------------------------------------------------------

void DeviceColumn::resize(std::size_t blocks) {
    std::size_t used = blocks * block_size;
    for (std::vector<double>& level : levels_) {
        level.resize(padded_to_blocks(used));
        // A maximum of blocks that are gone must not stay behind.
        std::fill(level.begin() + static_cast<std::ptrdiff_t>(used), level.end(), 0.0);
        used = (used + block_size - 1) / block_size;
    }
    is_wide_.resize(blocks);
    cards_.resize(blocks);
}

void DeviceColumn::read_row(
    const NodeColumns& columns, View view, NodeIndex node, std::size_t row) {
    clear_row(row);
    const std::uint64_t bit = std::uint64_t{1} << (row % block_size);
    const std::int64_t free = std::max<std::int64_t>(columns.extended(node, id_, view), 0);
    levels_[0][row] = free > scanned_max ? no_limit : static_cast<double>(free);
    if (free > scanned_max) is_wide_[row / block_size] |= bit;
    read_cards(columns, view, node, row);
}

/// Where the node has no cards the first one has no limit, in a block in which others have some.
void DeviceColumn::read_cards(
    const NodeColumns& columns, View view, NodeIndex node, std::size_t row) {
    std::vector<double>& cards = cards_[row / block_size];
    const std::size_t at = row % block_size;
    std::size_t count = 0;
    columns.for_each_card(node, id_, view, [&](const NodeColumns::CardRoom& card) {
        if (cards.empty()) {
            cards.resize(block_size);
            std::fill(cards.begin(), cards.end(), no_limit);
        }
        if (count * block_size == cards.size()) cards.resize(cards.size() + block_size, 0.0);
        const std::int64_t free = std::max<std::int64_t>(card.free, 0);
        cards[count * block_size + at] = free > scanned_max ? no_limit : static_cast<double>(free);
        if (free > scanned_max) is_wide_[row / block_size] |= std::uint64_t{1} << at;
        ++count;
    });
}

void DeviceColumn::clear_row(std::size_t row) {
    levels_[0][row] = 0;
    is_wide_[row / block_size] &= ~(std::uint64_t{1} << (row % block_size));
    std::vector<double>& cards = cards_[row / block_size];
    for (std::size_t at = row % block_size; at < cards.size(); at += block_size) {
        cards[at] = at < block_size ? no_limit : 0;
    }
}

void DeviceColumn::read_maxima(std::size_t level, std::size_t group) {
    levels_[level + 1][group] = largest_free(levels_[level].data() + group * block_size);
}

// --- those of a view ----------------------------------------------------------------------------

const DeviceColumn* DeviceColumns::find(ExtendedId id) const {
    for (const DeviceColumn& column : kept_) {
        if (column.id() == id) return &column;
    }
    return nullptr;
}

DeviceColumn* DeviceColumns::make(
    ExtendedId id, const NodeColumns& columns, std::size_t blocks) {
    const auto known = std::find_if(
        kept_.begin(), kept_.end(), [id](const DeviceColumn& column) { return column.id() == id; });
    if (known != kept_.end()) {
        std::rotate(known, known + 1, kept_.end());
        return nullptr;
    }
    if (kept_.size() >= kept_max) kept_.erase(kept_.begin());
    DeviceColumn& made = kept_.emplace_back(id, columns.names().meaning(id));
    made.resize(blocks);
    return &made;
}

void DeviceColumns::forget_old_meanings(const NodeColumns& columns) {
    std::erase_if(kept_, [&columns](const DeviceColumn& column) {
        return column.meaning() != columns.names().meaning(column.id());
    });
}

}  // namespace core
