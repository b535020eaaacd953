#include "core/cluster/device/named_cards.hpp"

#include "core/cluster/device/card_room.hpp"
#include "core/value/device/card_dialect.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace core {

namespace {

/// Sorted by name, each name once.
void merge_amounts(std::vector<ExtendedResource>& amounts) {
    std::sort(amounts.begin(), amounts.end());
    std::vector<ExtendedResource> merged;
    for (ExtendedResource& one : amounts) {
        if (!merged.empty() && merged.back().name == one.name) {
            merged.back().amount = add_times(merged.back().amount, one.amount, 1);
        } else {
            merged.push_back(std::move(one));
        }
    }
    amounts = std::move(merged);
}

/// Of units whose card nobody has said. A share of a card is one of the largest.
void add_unknown(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    std::vector<ExtendedResource>& cards) {
    const CountedCardAsk* const asked = columns.names().find_card_ask(wanted.id);
    if (asked == nullptr) {
        cards.push_back({card_name(columns.names().name(wanted.id), unknown_card), wanted.amount});
        return;
    }
    std::int64_t largest = 0;
    columns.for_each_card(
        node, asked->units, View::allocatable, [&](const NodeColumns::CardRoom& card) {
            largest = std::max(largest, card.units);
        });
    const CardFamily& family = *asked->ask.family;
    cards.push_back({card_name(family.counted_units, unknown_card), units_of(asked->ask, largest)});
    if (asked->ask.cores > 0)
        cards.push_back({card_name(family.counted_cores, unknown_card), asked->ask.cores});
    if (!family.counted_slots.empty())
        cards.push_back({card_name(family.counted_slots, unknown_card), 1});
}

/// All of it; 0: the node has no such card.
std::int64_t offered_by_card(const NodeColumns& columns, NodeIndex node, const std::string& name) {
    const auto resource = columns.names().find(std::string(resource_of_card(name)));
    if (!resource) return 0;
    const auto* const offer =
        columns.cards().find_offer(node, *resource, cut_card_id(id_of_card(name)));
    return offer == nullptr ? 0 : offer->amount;
}

}  // namespace

std::vector<ExtendedResource> cards_for(
    const NodeColumns& columns,
    NodeIndex node,
    const Demand& demand,
    UsedBy used_by,
    CardChoice choice) {
    std::vector<ExtendedResource> cards;
    std::vector<CardDemand> planned;
    for (const ExtendedDemand& wanted : demand.extended) {
        if (!is_card_resource(columns.names().name(wanted.id)) &&
            columns.names().find_card_ask(wanted.id) == nullptr) {
            continue;
        }
        if (used_by == UsedBy::other_scheduler) {
            add_unknown(columns, node, wanted, cards);
            continue;
        }
        auto taken = choose_cards(columns, node, wanted, View::free, choice, planned);
        if (taken.empty()) taken = overdraw_cards(columns, node, wanted, View::free);
        if (taken.empty()) add_unknown(columns, node, wanted, cards);
        planned.insert(planned.end(), taken.begin(), taken.end());
    }
    for (const CardDemand& one : planned) {
        const std::string card = columns.cards().id(node, one.order);
        cards.push_back({card_name(columns.names().name(one.resource), card), one.amount});
    }
    merge_amounts(cards);
    return cards;
}

std::vector<ExtendedResource> told_by_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const Demand& demand,
    std::vector<ExtendedResource> said) {
    const CountedCardAsk* asked = nullptr;
    for (const ExtendedDemand& wanted : demand.extended) {
        if (asked == nullptr) asked = columns.names().find_card_ask(wanted.id);
    }
    for (ExtendedResource& one : said) {
        if (one.amount != by_the_card) continue;
        const std::int64_t whole = offered_by_card(columns, node, one.name);
        const bool is_units =
            asked != nullptr && resource_of_card(one.name) == asked->ask.family->counted_units;
        one.amount = std::max<std::int64_t>(is_units ? units_of(asked->ask, whole) : whole, 1);
    }
    return said;
}

bool has_cards(const NodeColumns& columns, NodeIndex node, const Demand& demand) {
    return std::any_of(
        demand.extended.begin(), demand.extended.end(), [&](const ExtendedDemand& wanted) {
            return emptiest_card(columns, node, wanted.id, View::allocatable).has_value();
        });
}

std::vector<ExtendedResource> cards_among(const Resources& amounts) {
    std::vector<ExtendedResource> cards;
    for (const ExtendedResource& entry : amounts.extended) {
        if (is_card(entry.name)) cards.push_back(entry);
    }
    return cards;
}

std::vector<ExtendedResource> known_cards(const Resources& amounts) {
    auto cards = cards_among(amounts);
    std::erase_if(
        cards, [](const ExtendedResource& card) { return id_of_card(card.name) == unknown_card; });
    return cards;
}

}  // namespace core
