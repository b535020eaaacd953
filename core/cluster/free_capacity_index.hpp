#pragma once
// The room of all nodes in the order of their names, in blocks with the largest room of each
// resource: what a scan for room reads. Everything here is derived from the columns and brought up
// to date when it is asked for: a change makes the node's row stale, and only stale rows are read
// again. A roll back makes them stale like any other change. What is derived from this in turn can
// tell by the versions which blocks were read again since it looked.
//
//   rows:    one per node            64 rows are a block
//   blocks:  the maxima of 64 rows   64 blocks are a region
//   regions: the maxima of 64 blocks
//
// A block whose maxima take no pod of a shape has no node that does. The maxima may come from
// different nodes, so the reverse does not hold: they are bounds.

#include "core/base/ids.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/device/device_columns.hpp"
#include "core/cluster/scan.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace core {

/// A present node's place in the order of names.
using Position = std::uint32_t;
inline constexpr Position no_position = std::numeric_limits<Position>::max();

/// One view of all nodes, above the headroom, never negative.
struct FreeCapacity {
    static constexpr std::size_t level_count = 3;  ///< rows, blocks, regions
    /// By level and resource; padded with rows that take nothing to whole blocks.
    std::array<std::array<std::vector<double>, plain_resources>, level_count> levels;
    std::vector<std::uint64_t>
        is_wide;  ///< by block, a bit for each node with room past scanned_max
    std::vector<std::uint64_t> has_extended;  ///< by block, a bit for each node that lists any
    DeviceColumns devices;                    ///< of those that were asked for

    std::size_t block_count() const { return is_wide.size(); }
    /// When something was last read again: anywhere, in a block, in a region. Room, extended
    /// resources, and which classes a node passes are all as they were if it has not grown since.
    std::uint64_t version() const { return version_; }
    std::uint64_t block_version(std::size_t block) const { return block_versions_[block]; }
    std::uint64_t region_version(std::size_t region) const { return region_versions_[region]; }
    /// The group-th 64 of a level.
    FreeRows rows(std::size_t level, std::size_t group) const {
        FreeRows rows = {};
        for (std::size_t i = 0; i < plain_resources; ++i) {
            rows[i] = levels[level][i].data() + group * block_size;
        }
        return rows;
    }

private:
    friend class FreeCapacityIndex;
    std::vector<std::uint64_t> stale_;       ///< a bit for each block
    std::vector<std::uint64_t> stale_rows_;  ///< by block, a bit for each row
    bool any_stale_ = false;
    std::uint64_t version_ = 0;
    std::vector<std::uint64_t> block_versions_;
    std::vector<std::uint64_t> region_versions_;
};

class FreeCapacityIndex {
public:
    struct Source {
        const NodeColumns& columns;
        std::span<const NodeIndex> order;  ///< present nodes by name
    };

    /// Of every node, kept free.
    void set_headroom(const Headroom& headroom) {
        headroom_ = headroom;
        all_changed();
    }
    const Headroom& headroom() const { return headroom_; }

    // --- what has changed ---
    void node_came(NodeIndex node, std::size_t position);
    void node_went(NodeIndex node, std::size_t position);
    /// Its room, or the classes that it passes. What is taken there is seen by the views up to
    /// `last` only.
    void node_changed(NodeIndex node, View last = View::allocatable) {
        // Of a node at or behind settled_ all is read again anyway.
        if (node.value < positions_.size() && positions_[node.value] < settled_) {
            const Position position = positions_[node.value];
            mark_stale(position / block_size, std::uint64_t{1} << (position % block_size), last);
        }
    }
    void all_changed() {
        settled_ = 0;
        order_changed_ = true;
    }

    // --- what is asked ---
    /// no_position of a node that is not present.
    Position position_of(NodeIndex node, std::span<const NodeIndex> order) {
        settle(order);
        return node.value < positions_.size() ? positions_[node.value] : no_position;
    }
    const FreeCapacity& free_capacity(View view, const Source& source);
    /// The view has a column of this resource from now on.
    void know_device(ExtendedId id, View view, const Source& source);

    /// All else is derived: no part of what a cluster is.
    friend bool operator==(const FreeCapacityIndex& a, const FreeCapacityIndex& b) {
        return a.headroom_ == b.headroom_;
    }

private:
    void mark_stale(std::size_t block, std::uint64_t rows, View last) {
        for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
            FreeCapacity& view = views_[i];
            if (block >= view.stale_rows_.size()) continue;
            view.stale_rows_[block] |= rows;
            view.stale_[block / 64] |= std::uint64_t{1} << (block % 64);
            view.any_stale_ = true;
        }
    }
    void settle(std::span<const NodeIndex> order) {
        if (order_changed_) number_anew(order);
    }
    void number_anew(std::span<const NodeIndex> order);
    void read_block(
        FreeCapacity& free_capacity, View view, const Source& source, std::size_t block) const;
    static void read_row(
        FreeCapacity& free_capacity, const FreeColumns& columns, NodeIndex node, std::size_t row);
    static void read_maxima(FreeCapacity& free_capacity, std::size_t level, std::size_t group);

    Headroom headroom_;
    std::vector<Position> positions_;  ///< by NodeIndex; right for those below settled_
    std::size_t settled_ = 0;          ///< so many nodes have their positions
    bool order_changed_ = false;
    std::array<FreeCapacity, view_count> views_;
};

}  // namespace core
