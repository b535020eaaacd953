#pragma once
// What nodes have and what is taken, as arrays by resource: a scan for room reads a few numbers per
// node and nothing else. Extended resources are few and rare, so each node lists only its own.

#include "core/base/ids.hpp"
#include "core/cluster/device/card_table.hpp"
#include "core/value/device/card_ask.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
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

/// One resource of all nodes.
struct Column {
    std::array<std::vector<std::int64_t>, view_count> free_capacity;  ///< by view, by NodeIndex
    std::vector<Wide> allocated;
    std::vector<Wide> allocated_to_others;
    Wide allocatable = 0;  ///< of all nodes together
    friend bool operator==(const Column&, const Column&) = default;
};

class NodeColumns {
public:
    /// One more node, nothing allocatable.
    void add_node();
    std::size_t size() const { return cpu_.allocated.size(); }

    /// `extended` of a node is replaced: resources that are gone become 0.
    void set_allocatable(NodeIndex node, const Demand& allocatable, std::int64_t pods);

    /// So much of it every node offers beside what it lists; 0 of what this is not said of.
    void set_offered_by_all(ExtendedId id, std::int64_t amount);
    /// Grows when the number comes to mean another resource, which is when the above is said.
    std::uint32_t meaning(ExtendedId id) const {
        return id.value < meanings_.by_id.size() ? meanings_.by_id[id.value] : 0;
    }
    bool is_offered_by_all(ExtendedId id) const { return offered_by_all(id) > 0; }

    /// Which cards the nodes have.
    const CardTable& cards() const { return cards_; }
    /// See CardTable::set(). What is taken of cards counts on them from now on.
    void set_cards(NodeIndex node, const NodeCards* cards, std::span<const ExtendedId> resources);

    /// `card` is the name of the card with this id, of this resource; none: the number means
    /// something else from now on.
    void set_card(ExtendedId card, ExtendedId resource, CardId id);
    /// Whose card this is; none: it is no card.
    ExtendedId resource_of_card(ExtendedId card) const {
        return card.value < card_names_.size() ? card_names_[card.value].resource : ExtendedId{};
    }
    std::size_t card_name_count() const { return card_name_count_; }
    /// What a pod asks of cards, with the numbers of the resources that its cards are counted by.
    struct AskedCards {
        CardAsk ask;
        ExtendedId units;
        ExtendedId cores;  ///< none: nobody counts them
        ExtendedId slots;  ///< likewise
        friend bool operator==(const AskedCards&, const AskedCards&) = default;
    };
    void set_card_ask(ExtendedId name, AskedCards asked) { card_asks_[name] = std::move(asked); }
    /// The number means something else from now on. Answers what it meant.
    std::optional<AskedCards> take_card_ask(ExtendedId name);
    /// nullptr: the name is no ask.
    const AskedCards* find_card_ask(ExtendedId name) const {
        if (card_asks_.empty()) return nullptr;
        const auto found = card_asks_.find(name);
        return found == card_asks_.end() ? nullptr : &found->second;
    }
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
            visit(CardRoom{resource, offer.order, offer.amount, clamped(left)});
        }
    }
    /// More is known to be on one of the node's cards of the resource than it has.
    bool is_card_overdrawn(NodeIndex node, ExtendedId resource) const;

    /// Whoever is the first to hold `volume` on a node takes one of `limit` there, which the last
    /// one gives back; none: the number means something else from now on.
    void set_volume(ExtendedId volume, ExtendedId limit);
    /// None: it is no volume.
    ExtendedId limit_of_volume(ExtendedId id) const {
        return id.value < limits_of_volumes_.size() ? limits_of_volumes_[id.value] : ExtendedId{};
    }
    /// Somebody has the volume on the node: whatever a view counts of those who are there, nobody
    /// brings it any more.
    bool is_attached(NodeIndex node, ExtendedId volume) const;
    std::size_t volume_name_count() const { return volume_name_count_; }

    /// Takes, or gives back, what `count` pods demand.
    struct Change {
        NodeIndex node;
        std::int64_t count = 1;
        UsedBy used_by = UsedBy::other_scheduler;
        bool taken = true;
    };
    void apply(const Demand& demand, const Change& change);

    std::span<const std::int64_t> cpu(View view) const { return of(cpu_, view); }
    std::span<const std::int64_t> memory(View view) const { return of(memory_, view); }
    std::span<const std::int64_t> ephemeral(View view) const { return of(ephemeral_, view); }
    std::span<const std::int64_t> pods(View view) const { return of(pods_, view); }
    std::int64_t extended(NodeIndex node, ExtendedId id, View view) const;
    /// It offers by itself, or somebody holds there, an extended resource.
    bool lists_extended(NodeIndex node) const {
        return !extended_[node.value].empty() || cards_.has_cards(node);
    }

    /// Of all nodes together.
    Wide allocatable_cpu() const { return cpu_.allocatable; }
    Wide allocatable_memory() const { return memory_.allocatable; }
    Wide allocatable_ephemeral() const { return ephemeral_.allocatable; }

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

    static std::span<const std::int64_t> of(const Column& column, View view) {
        return column.free_capacity[static_cast<std::size_t>(view)];
    }
    struct CardName {
        ExtendedId resource;
        CardId id;
        bool is_unknown = false;
        friend bool operator==(const CardName&, const CardName&) = default;
    };
    /// No part of what is there.
    struct Meanings {
        std::vector<std::uint32_t> by_id;
        friend bool operator==(const Meanings&, const Meanings&) { return true; }
    };
    static std::int64_t clamped(Wide value);
    bool is_card_of(ExtendedId card, ExtendedId resource) const {
        return card.value < card_names_.size() && card_names_[card.value].resource == resource;
    }
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
    std::int64_t offered_by_all(ExtendedId id) const {
        return id.value < offered_by_all_.size() ? offered_by_all_[id.value] : 0;
    }
    void apply_volume(ExtendedId limit, const Extended& before, const Extended& after, NodeIndex);
    void drop_unused_extended(NodeIndex node);

    Column cpu_;
    Column memory_;
    Column ephemeral_;
    Column pods_;
    std::vector<std::vector<Extended>> extended_;  ///< by node, sorted by id, only what is in use
    std::vector<std::int64_t> offered_by_all_;     ///< by ExtendedId
    Meanings meanings_;
    CardTable cards_;
    std::vector<CardName> card_names_;  ///< by ExtendedId, as far as cards are taken from
    std::size_t card_name_count_ = 0;
    std::vector<ExtendedId> limits_of_volumes_;  ///< by ExtendedId, as far as there are volumes
    std::size_t volume_name_count_ = 0;
    std::map<ExtendedId, AskedCards> card_asks_;
};

}  // namespace core
