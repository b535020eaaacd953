#pragma once
// What is free of the extended resources that somebody asks for, as columns in the order of node
// names, with the maxima of blocks and regions; and of resources whose units are on cards, what is
// free of each card. So a scan for devices reads numbers side by side, as it does for cpu and
// memory, and not the list of each node.
//
// A column is made when all nodes are looked at for a shape that asks for the resource, and from
// then on it is kept up to date with the rows. Few are kept: where one is missing, nodes are asked
// one by one, and the answer is the same.

#include "core/base/ids.hpp"
#include "core/cluster/node_columns.hpp"
#include "core/cluster/scan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// One resource, in one view; nothing below zero.
class DeviceColumn {
public:
    DeviceColumn(ExtendedId id, std::uint32_t meaning) : id_(id), meaning_(meaning) {}

    ExtendedId id() const { return id_; }
    /// ExtendedNames::meaning() when it was made.
    std::uint32_t meaning() const { return meaning_; }
    /// The group-th 64 nodes, blocks or regions; of nodes exact, of the others a bound.
    const double* rows(std::size_t level, std::size_t group) const {
        return levels_[level].data() + group * block_size;
    }
    /// Nodes of a block with more than a scan holds exactly, as bits: their rows are bounds.
    std::uint64_t is_wide(std::size_t block) const { return is_wide_[block]; }
    /// So many cards have the nodes of a block at most; 0: none of them has any.
    std::size_t card_count(std::size_t block) const { return cards_[block].size() / block_size; }
    /// 64 rows of the first card of each node, then of the second, and so on. Infinite: a node of
    /// which no cards are known.
    const double* cards(std::size_t block) const { return cards_[block].data(); }

    void resize(std::size_t blocks);
    void read_row(const NodeColumns& columns, View view, NodeIndex node, std::size_t row);
    /// There is no node any more.
    void clear_row(std::size_t row);
    /// Of 64 entries of a level, into one of the level above.
    void read_maxima(std::size_t level, std::size_t group);

private:
    void read_cards(const NodeColumns& columns, View view, NodeIndex node, std::size_t row);

    ExtendedId id_;
    std::uint32_t meaning_;
    std::array<std::vector<double>, 3> levels_;  ///< rows, blocks, regions; padded to whole groups
    std::vector<std::uint64_t> is_wide_;         ///< by block
    std::vector<std::vector<double>> cards_;     ///< by block
};

/// Those of one view.
class DeviceColumns {
public:
    /// 8 bytes for each node, and 8 more for each of its cards.
    static constexpr std::size_t kept_max = 8;

    /// nullptr: it is not kept.
    const DeviceColumn* find(ExtendedId id) const;
    /// A new column, whose rows are to be read; if there are too many, in the place of the one that
    /// nobody has asked for the longest time. nullptr: it is kept.
    DeviceColumn* make(ExtendedId id, const NodeColumns& columns, std::size_t blocks);
    /// Those whose number is another resource's by now.
    void forget_old_meanings(const NodeColumns& columns);
    std::span<DeviceColumn> all() { return kept_; }

private:
    std::vector<DeviceColumn> kept_;  ///< in the order in which they were asked for
};

}  // namespace core
