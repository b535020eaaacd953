#pragma once
// What nodes have and what is taken, as arrays by resource: a scan for room reads a few numbers per
// node and nothing else. Extended resources are few and rare, so each node lists only its own.

#include "core/base/ids.hpp"
#include "core/cluster/device/card_table.hpp"
#include "core/cluster/node/extended_names.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace core {

/// Which room is asked about, see cluster.hpp: each counts less of what is taken than the one
/// before.
enum class View : std::uint8_t { free, without_gangs, allocatable };
inline constexpr std::size_t view_count = 3;

/// On whose account an allocation is: our gangs', or anybody else's.
enum class UsedBy : std::uint8_t { gang, other_scheduler };

struct ExtendedDemand {
    ExtendedId id;
    std::int64_t amount = 0;
    friend bool operator==(const ExtendedDemand&, const ExtendedDemand&) = default;
};

/// So much of a resource, of one card of a node.
struct CardDemand {
    ExtendedId resource;
    std::uint16_t order = 0;  ///< the card's place among the node's
    std::int64_t amount = 0;
    friend bool operator==(const CardDemand&, const CardDemand&) = default;
};

/// What one pod takes of a node, besides one pod slot.
struct Demand {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t ephemeral_bytes = 0;
    std::vector<ExtendedDemand> extended;  ///< sorted by id
    /// Of these, some that only nodes which list it offer.
    bool wants_listed = false;
    /// Of these, some that are parts of cards: its units are on one card.
    bool wants_cards = false;
    /// And some that every node offers, which pods have to themselves (exclusive.hpp).
    bool wants_exclusive = false;
    /// Of these, one that is a wish of GPUs as they are measured (device/gpu_wish.hpp).
    bool wants_gpus = false;
    /// And volumes that others may have on the node already (value/volume/volume_limits.hpp): the
    /// limits of their drivers are among them, too, if need be with an amount of 0.
    bool wants_volumes = false;
    /// No node takes more of them for that.
    std::int32_t at_most = std::numeric_limits<std::int32_t>::max();
    friend bool operator==(const Demand&, const Demand&) = default;
};

/// Sums of allocations can pass 64 bits (a tenant may ask 7Ei, many times): they are kept wider, so
/// that every allocation can be taken back exactly, and room is clamped to 64 bits.
__extension__ typedef __int128 Wide;

inline std::int64_t clamp_to_64_bits(Wide value) {
    constexpr Wide least = std::numeric_limits<std::int64_t>::min();
    constexpr Wide most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp(value, least, most));
}

/// One resource of all nodes.
struct Column {
    std::array<std::vector<std::int64_t>, view_count> free_capacity;  ///< by view, by NodeIndex
    std::vector<Wide> allocated;
    std::vector<Wide> allocated_to_others;
    Wide allocatable = 0;  ///< of all nodes together
    std::span<const std::int64_t> of(View view) const {
        return free_capacity[static_cast<std::size_t>(view)];
    }
    friend bool operator==(const Column&, const Column&) = default;
};

class NodeColumns {
public:
    /// One more node, nothing allocatable.
    void add_node();
    std::size_t size() const { return cpu_.allocated.size(); }

    /// `extended` of a node is replaced: resources that are gone become 0.
    void set_allocatable(NodeIndex node, const Demand& allocatable, std::int64_t pods);

    /// What the numbers of extended resources mean.
    const ExtendedNames& names() const { return names_; }
    ExtendedNames& names() { return names_; }

    /// Which cards the nodes have.
    const CardTable& cards() const { return cards_; }
    /// See CardTable::set(). What is taken of cards counts on them from now on.
    void set_cards(NodeIndex node, const NodeCards* cards, std::span<const ExtendedId> resources);

    /// A card of a node, and what is left of it, less all that may be on it; may be negative.
    struct CardRoom {
        ExtendedId resource;
        std::uint16_t order = 0;  ///< the card's place among the node's
        std::int64_t units = 0;
        std::int64_t free = 0;
    };
    /// visit(CardRoom) for the node's cards of the resource, in its order.
    template <typename Visit>
    void for_each_card(NodeIndex node, ExtendedId resource, View view, Visit visit) const {
        const std::span<const CardTable::Offer> offers = cards_.offers(node, resource);
        if (offers.empty()) return;
        const TakenOfCards taken =
            taken_of_cards(node, resource, view, std::size_t{offers.back().order} + 1);
        for (const CardTable::Offer& offer : offers) {
            const Wide left = Wide{offer.amount} - taken.by_order[offer.order] - taken.unknown;
            visit(CardRoom{resource, offer.order, offer.amount, clamp_to_64_bits(left)});
        }
    }
    /// More is known to be on one of the node's cards of the resource than it has.
    bool is_card_overdrawn(NodeIndex node, ExtendedId resource) const;

    /// Somebody has the volume on the node: whatever a view counts of those who are there, nobody
    /// brings it any more.
    bool is_attached(NodeIndex node, ExtendedId volume) const;

    /// Takes, or gives back, what `count` pods demand.
    struct Change {
        NodeIndex node;
        std::int64_t count = 1;
        UsedBy used_by = UsedBy::other_scheduler;
        bool taken = true;
    };
    void apply(const Demand& demand, const Change& change);

    std::span<const std::int64_t> cpu(View view) const { return cpu_.of(view); }
    std::span<const std::int64_t> memory(View view) const { return memory_.of(view); }
    std::span<const std::int64_t> ephemeral(View view) const { return ephemeral_.of(view); }
    std::span<const std::int64_t> pods(View view) const { return pods_.of(view); }
    std::int64_t extended(NodeIndex node, ExtendedId id, View view) const;
    /// It offers by itself, or somebody holds there, an extended resource.
    bool lists_extended(NodeIndex node) const {
        return !extended_[node.value].empty() || cards_.has_cards(node);
    }

    /// Of all nodes together.
    struct Totals {
        Wide cpu = 0;
        Wide memory = 0;
        Wide ephemeral = 0;
    };
    Totals allocatable() const {
        return {cpu_.allocatable, memory_.allocatable, ephemeral_.allocatable};
    }

    /// More of something is taken there than the node has.
    bool is_overcommitted(NodeIndex node) const;

    friend bool operator==(const NodeColumns&, const NodeColumns&) = default;

private:
    /// Of a card only as long as somebody has taken some of it.
    struct Extended {
        ExtendedId id;
        std::uint16_t card_order = 0;  ///< among the node's cards; 0 of what is none of them
        std::int64_t allocatable = 0;
        Wide allocated = 0;
        Wide allocated_to_others = 0;
        Wide taken(View view) const {
            return view == View::free            ? allocated
                   : view == View::without_gangs ? allocated_to_others
                                                 : Wide{0};
        }
        friend bool operator==(const Extended&, const Extended&) = default;
    };

    /// By the cards' order, as many as are asked for; a node mostly has no more cards than these.
    struct TakenOfCards {
        boost::container::small_vector<Wide, 8> by_order;
        Wide unknown = 0;  ///< it may be on any card
    };
    TakenOfCards taken_of_cards(
        NodeIndex node, ExtendedId resource, View view, std::size_t cards) const;
    const CardTable::Offer* find_card(NodeIndex node, ExtendedId card) const;
    void offer_as_card(NodeIndex node, Extended& entry) const;
    Extended& extended_entry(NodeIndex node, ExtendedId id);
    void apply_volume(ExtendedId limit, const Extended& before, const Extended& after, NodeIndex);
    void drop_unused_extended(NodeIndex node);

    Column cpu_;
    Column memory_;
    Column ephemeral_;
    Column pods_;
    std::vector<std::vector<Extended>> extended_;  ///< by node, sorted by id, only what is in use
    ExtendedNames names_;
    CardTable cards_;
};

}  // namespace core
