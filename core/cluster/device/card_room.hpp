#pragma once
// What is left of a node's cards, and which of them a pod's units are taken from.

#include "core/cluster/node_columns.hpp"
#include "core/value/device/cards.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

/// How often a pod finds its units on one card: the sum over cards of floor(free / units). No limit
/// where no cards are known. `planned` is taken already.
/// Of an ask (value/device/card_ask.hpp) how often it is met by different cards each time; not at
/// all where no cards are known, as nobody could say which.
std::int64_t times_on_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    std::span<const CardDemand> planned = {});

/// The same for pods that take their units of each of `cards` cards: the largest n with the sum
/// over cards of min(n, floor(free / units)) >= cards * n.
std::int64_t times_on_several(std::span<const std::int64_t> free, std::int64_t units, int cards);

/// What one more pod takes of which cards. Nothing: no cards are known, or they have too little
/// left.
std::vector<CardDemand> choose_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    CardChoice choice,
    std::span<const CardDemand> planned = {});

/// The card among them that has the least left, or the most. Nothing: as there.
std::optional<NodeColumns::CardRoom> choose_card(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    CardChoice choice,
    std::span<const CardDemand> planned = {});

/// What is taken where there is too little: of those with the most left. Nothing: no cards are
/// known.
std::vector<CardDemand> overdraw_cards(
    const NodeColumns& columns, NodeIndex node, const ExtendedDemand& wanted, View view);

/// The card with the most left; nothing: no cards are known. Of an ask units count, and a card
/// without enough of anything else has none left.
std::optional<NodeColumns::CardRoom> emptiest_card(
    const NodeColumns& columns,
    NodeIndex node,
    ExtendedId resource,
    View view,
    std::span<const CardDemand> planned = {});

}  // namespace core
