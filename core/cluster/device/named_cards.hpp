#pragma once
// Cards that pods are on, by name (card_name()), as part of the amounts that are taken.

#include "core/cluster/node_columns.hpp"
#include "core/value/device/cards.hpp"
#include "core/value/resources.hpp"

#include <vector>

namespace core {

/// What of which cards a pod of the demand gets, if nobody has said it. Where no card has enough
/// left, that with the most is overdrawn, so that this is seen. Where none is known, and of other
/// schedulers' pods, the units count on each that will be.
std::vector<ExtendedResource> cards_for(
    const NodeColumns& columns,
    NodeIndex node,
    const Demand& demand,
    UsedBy used_by,
    CardChoice choice);

/// What is said of cards, with the amounts that only the cards tell.
std::vector<ExtendedResource> told_by_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const Demand& demand,
    std::vector<ExtendedResource> said);

/// Some card of the node is known of what is asked for.
bool has_cards(const NodeColumns& columns, NodeIndex node, const Demand& demand);

/// Those among the amounts; and of these the ones of which it is known which they are.
std::vector<ExtendedResource> cards_among(const Resources& amounts);
std::vector<ExtendedResource> known_cards(const Resources& amounts);

}  // namespace core
