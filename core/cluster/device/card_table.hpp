#pragma once
// Which cards each node has, and what they offer. Nodes with the same cards share all of it but the
// uuids, so that eight cards of a node cost the 128 bytes by which they are told apart and little
// more. What is taken of cards is no part of this: NodeColumns has it, of those cards alone of
// which somebody has taken some.

#include "core/base/boxed.hpp"
#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/value/account.hpp"
#include "core/value/device/card_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace core {

class CardTable {
public:
    /// So much of a resource one card offers.
    struct Offer {
        std::uint16_t order = 0;  ///< the card's place among the node's
        std::int64_t amount = 0;
        friend bool operator==(const Offer&, const Offer&) = default;
    };

    /// Puts these cards in the place of those that the node had; nullptr: it says nothing of cards.
    /// `resources` are the numbers of counted_resources(), which the caller holds as long as the
    /// node has these cards.
    void set(NodeIndex node, const NodeCards* cards, std::span<const ExtendedId> resources);

    /// As they were set.
    Boxed<NodeCards> find(NodeIndex node) const;
    /// They are these.
    bool has(NodeIndex node, const Boxed<NodeCards>& cards) const;
    bool has_cards(NodeIndex node) const { return !offers_of(node).empty(); }
    /// By which the node's cards are counted.
    std::vector<ExtendedId> resources(NodeIndex node) const;
    /// What the node's cards offer of the resource, in their order; a card that offers nothing is
    /// left out.
    std::span<const Offer> offers(NodeIndex node, ExtendedId resource) const {
        for (const Offers& one : offers_of(node)) {
            if (one.resource == resource) return one.cards;
        }
        return {};
    }
    /// What the card with this id offers of it; nullptr: the node has none, or it offers nothing.
    const Offer* find_offer(NodeIndex node, ExtendedId resource, const CardId& card) const;
    /// Of a card that the node has.
    std::string id(NodeIndex node, std::uint16_t order) const;

    std::size_t layout_count() const { return layouts_.size(); }
    /// Of layouts, which nodes hold.
    Account account() const;

    friend bool operator==(const CardTable&, const CardTable&) = default;

private:
    using LayoutId = Id<struct CardLayoutTag>;
    struct Entry {
        LayoutId layout;
        std::vector<Uuid> uuids;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    /// Of one resource.
    struct Offers {
        ExtendedId resource;
        std::vector<Offer> cards;
        friend bool operator==(const Offers&, const Offers&) = default;
    };

    static std::vector<Offers> offers_by(
        const NodeCards& cards, std::span<const ExtendedId> resources);
    const Entry* find_entry(NodeIndex node) const {
        return node.value < nodes_.size() && nodes_[node.value] ? &*nodes_[node.value] : nullptr;
    }
    std::span<const Offers> offers_of(NodeIndex node) const {
        const Entry* const entry = find_entry(node);
        if (entry == nullptr) return {};
        return offers_[entry->layout.value];
    }

    Interner<CardLayout, LayoutId> layouts_;
    std::vector<std::vector<Offers>> offers_;  ///< by LayoutId
    std::vector<Boxed<Entry>> nodes_;          ///< by NodeIndex, as far as there are cards
};

}  // namespace core
