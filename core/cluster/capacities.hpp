#pragma once
// How many pods of one shape each node takes in one view, nothing being planned. Kept from question
// to question: of what was read again since the last time (FreeCapacity::version()) the capacities
// are computed anew, and of nothing else, so that a gang of a known shape costs what has changed.
//
// Blocks, and regions of blocks, know the least and the largest capacity in them: whoever looks for
// the smallest, or the largest, passes over the others. A block knows as well which of its nodes
// have these two, once somebody has asked.
//
// A question may set capacities for itself, of nodes that it excludes or has planned pods on, and
// undoes that in reverse order.

#include "core/base/ids.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/shape/classes.hpp"
#include "core/cluster/free_capacity_index.hpp"
#include "core/cluster/scan.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// What a scan of a shape reads.
struct ScanSource {
    const FreeCapacity& free_capacity;
    FreeColumns columns;
    std::span<const NodeIndex> order;  ///< present nodes by name
    const Demand& demand;
    const NodeBitmap& eligible;
};

/// How many pods each node of a block takes, of nodes that are not in `takers` none. Exact: what
/// the loop does not know of (devices without a column, amounts that it does not hold) is looked at
/// node by node.
void scan_block(
    const ScanSource& source,
    const ScanDemand& demand,
    std::size_t block,
    std::uint64_t takers,
    std::int32_t* capacities);

/// At least the largest capacity in each of 64 blocks, or regions.
void scan_bounds(
    const ScanSource& source,
    const ScanDemand& demand,
    std::size_t level,
    std::size_t group,
    std::int32_t* bounds);

/// visit(block) in order for the blocks of a region that are set in `blocks`; false ends it.
template <typename Visit>
bool visit_blocks(std::size_t region, std::uint64_t blocks, Visit& visit) {
    for (; blocks != 0; blocks &= blocks - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(blocks));
        if (!visit(region * block_size + at)) return false;
    }
    return true;
}

class Capacities {
public:
    explicit Capacities(const Demand& demand) : demand_(demand) {}
    /// For another shape, or another view; only the memory is kept.
    void begin_anew(const Demand& demand) {
        demand_ = ScanDemand(demand);
        version_ = 0;
    }

    /// Takes in what has changed; nothing may be set. Answers how many groups were scanned.
    std::uint64_t refresh(const ScanSource& source);
    bool is_built() const { return version_ > 0; }

    std::int64_t total() const { return total_; }
    std::int64_t at(Position position) const {
        return takes_any(position / block_size) ? by_position_[position] : 0;
    }
    std::size_t block_count() const { return totals_.size(); }
    /// Some node of the block takes a pod.
    bool takes_any(std::size_t block) const { return blocks_.most[block] > 0; }
    /// 64 capacities, of a block that takes any.
    const std::int32_t* of_block(std::size_t block) const {
        return by_position_.data() + block * block_size;
    }
    /// The least capacity of a block that is not 0, and the largest.
    std::int32_t least_of_block(std::size_t block) const { return blocks_.least[block]; }
    std::int32_t most_of_block(std::size_t block) const { return blocks_.most[block]; }
    /// Of all nodes; 0: no node takes any.
    std::int32_t least() const;
    std::int32_t most() const;
    /// The next capacity of any node above this one, which is above 0, and below; 0: there is none.
    std::int32_t next_above(std::int32_t capacity) const;
    std::int32_t next_below(std::int32_t capacity) const;
    /// The nodes of a block with this capacity, which is above 0, as bits.
    std::uint64_t nodes_at(std::size_t block, std::int32_t capacity) const {
        std::uint64_t unknown = 0;
        ExtremeNodes& known = extreme_nodes_[block];
        std::uint64_t& nodes = capacity == blocks_.most[block]    ? known.of_most
                               : capacity == blocks_.least[block] ? known.of_least
                                                                  : unknown;
        if (nodes == 0) nodes = bits_equal(of_block(block), capacity);
        return nodes;
    }

    /// visit(block) in order for blocks with a capacity c, 0 < c <= limit; false ends it.
    template <typename Visit>
    void for_each_block_up_to(std::int32_t limit, Visit visit) const {
        for (std::size_t region = 0; region * block_size < block_count(); ++region) {
            if (regions_.least[region] == 0 || regions_.least[region] > limit) continue;
            std::uint64_t blocks = bits_up_to(blocks_.least.data() + region * block_size, limit);
            if (!visit_blocks(region, blocks, visit)) return;
        }
    }
    /// The same for blocks with a capacity of at least `limit`, which is above 0.
    template <typename Visit>
    void for_each_block_from(std::int32_t limit, Visit visit) const {
        for (std::size_t region = 0; region * block_size < block_count(); ++region) {
            if (regions_.most[region] < limit) continue;
            std::uint64_t blocks = bits_from(blocks_.most.data() + region * block_size, limit);
            if (!visit_blocks(region, blocks, visit)) return;
        }
    }

    /// Those of the same shape, of these nodes alone, as they are set now.
    void copy_some(const Capacities& whole, const NodeBitmap& nodes);

    /// So many were set and are not undone.
    std::size_t set_count() const { return log_.size(); }
    /// To what it is, or to less.
    void set(Position position, std::int64_t capacity);
    /// Until so many are left.
    void undo(std::size_t set_count);

private:
    struct Two {
        std::int32_t least = 0;
        std::int32_t most = 0;
    };
    struct Extremes {
        std::vector<std::int32_t> least;  ///< of what is not 0; 0: nothing is; padded to 64
        std::vector<std::int32_t> most;
        void resize(std::size_t used);
        /// Of the 64 of them below that are the group's.
        void note_group(const Extremes& below, std::size_t group);
        Two at(std::size_t i) const { return {least[i], most[i]}; }
        void set(std::size_t i, const Two& two) {
            least[i] = two.least;
            most[i] = two.most;
        }
    };
    /// Which nodes of a block have its least capacity, and which its largest; 0: nobody has asked.
    struct ExtremeNodes {
        std::uint64_t of_least = 0;
        std::uint64_t of_most = 0;
    };
    /// What one set() has changed.
    struct Before {
        Position position = 0;
        std::int32_t capacity = 0;
        Two of_block;
        Two of_region;
        ExtremeNodes extreme_nodes;
    };

    void resize(std::size_t blocks);
    std::uint64_t refresh_region(const ScanSource& source, std::size_t region, bool may_take);
    void note(std::size_t block, const Summary& summary);
    void put(Position position, std::int32_t capacity);

    ScanDemand demand_;
    std::uint64_t version_ = 0;              ///< of the room that this is from
    std::vector<std::int32_t> by_position_;  ///< of blocks that take any
    std::vector<std::int64_t> totals_;       ///< by block
    Extremes blocks_;
    Extremes regions_;
    mutable std::vector<ExtremeNodes>
        extreme_nodes_;  ///< by block, of those that take any; as they are asked
    std::int64_t total_ = 0;
    std::vector<Before> log_;
};

}  // namespace core
