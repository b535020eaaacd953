#pragma once
// What is left of a node's cards, and which of them a pod's units are taken from.

#include "core/cluster/node_columns.hpp"
#include "core/value/device/cards.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace core {

/// How often a pod finds its units on one card: the sum over cards of floor(free / units). No limit
/// where no cards are known. `planned` is taken already.
std::int64_t times_on_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    std::span<const ExtendedDemand> planned = {});

/// The same for pods that take their units of each of `cards` cards: the largest n with the sum
/// over cards of min(n, floor(free / units)) >= cards * n.
std::int64_t times_on_several(std::span<const std::int64_t> free, std::int64_t units, int cards);

/// Nothing: no cards are known, or none has so much left.
std::optional<NodeColumns::CardRoom> choose_card(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    CardChoice choice,
    std::span<const ExtendedDemand> planned = {});

/// The card with the most left; nothing: no cards are known.
std::optional<NodeColumns::CardRoom> emptiest_card(
    const NodeColumns& columns,
    NodeIndex node,
    ExtendedId resource,
    View view,
    std::span<const ExtendedDemand> planned = {});

}  // namespace core
