#pragma once
// A node's cards as they are kept. Vendors' ids of cards end in a uuid ("GPU-" and 36 characters);
// all else that a node says of its cards many others say, too. So that is a layout, which nodes
// share, and beside it each node has the uuids. An id without a uuid ("U1") is a part of the
// layout.

#include "core/base/uuid.hpp"
#include "core/value/device/cards.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The id of one card, cut in front of the uuid at its end.
struct CardId {
    std::string front;  ///< "GPU-"; all of it, if it does not end in a uuid
    std::optional<Uuid> uuid;
    friend bool operator==(const CardId&, const CardId&) = default;
};
CardId cut_card_id(std::string_view id);
std::string text_of(const CardId& id);

struct CardLayout {
    struct Place {
        Card card;              ///< of its id the front
        bool has_uuid = false;  ///< the next of the node's uuids is the rest of the id
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    std::string resource;
    std::vector<Place> places;
    std::string problem;
    friend auto operator<=>(const CardLayout&, const CardLayout&) = default;
};

/// NodeCards in two parts, and nothing lost.
struct CutCards {
    CardLayout layout;
    std::vector<Uuid> uuids;  ///< in the order of the cards that have one
    friend bool operator==(const CutCards&, const CutCards&) = default;
};
CutCards cut_cards(const NodeCards& cards);
NodeCards join_cards(const CardLayout& layout, std::span<const Uuid> uuids);
/// Of the card at this place.
CardId card_id_at(const CardLayout& layout, std::span<const Uuid> uuids, std::size_t place);
/// The place of the card with this id; nothing: there is none.
std::optional<std::size_t> find_place(
    const CardLayout& layout, std::span<const Uuid> uuids, const CardId& id);

}  // namespace core
