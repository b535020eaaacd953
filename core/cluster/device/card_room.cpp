#include "core/cluster/device/card_room.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <limits>

namespace core {

namespace {

std::int64_t planned_on(std::span<const CardDemand> planned, const NodeColumns::CardRoom& card) {
    std::int64_t sum = 0;
    for (const CardDemand& entry : planned) {
        const bool is_same = entry.resource == card.resource && entry.order == card.order;
        sum += is_same ? entry.amount : 0;
    }
    return sum;
}

/// A card as an ask sees it, with the resources by which it is counted.
struct AskedCard {
    ExtendedId units_id;
    ExtendedId cores_id;
    ExtendedId slots_id;
    std::uint16_t order = 0;
    std::int64_t units = 0;  ///< that the card has
    std::int64_t units_free = 0;
    std::int64_t cores_free = 0;
    std::int64_t slots = 0;
    std::int64_t slots_free = 0;
};

/// What one pod takes of the card.
struct Share {
    std::int64_t units = 0;
    std::int64_t cores = 0;
    std::int64_t slots = 0;
};

Share share_of(const CardAsk& ask, const AskedCard& card) {
    const bool is_alone = ask.cores == 100;
    return {
        units_of(ask, card.units),
        card.cores_id.is_none() ? 0 : ask.cores,
        card.slots_id.is_none() ? 0
        : is_alone              ? card.slots
                                : 1};
}

/// A card whose compute is all given away takes nobody more, not even who asks for none of it.
std::int64_t times_on(const CardAsk& ask, const AskedCard& card) {
    const Share share = share_of(ask, card);
    if (!card.cores_id.is_none() && card.cores_free <= 0) return 0;
    std::int64_t times = card.units_free < share.units ? 0 : card.units_free / share.units;
    if (share.cores > 0)
        times = std::min(times, std::max<std::int64_t>(card.cores_free, 0) / share.cores);
    if (share.slots > 0)
        times = std::min(times, std::max<std::int64_t>(card.slots_free, 0) / share.slots);
    return times;
}

/// Most nodes have no more: no memory is asked for while nodes are scanned.
constexpr std::size_t usual_cards = 8;
using AskedCards = boost::container::small_vector<AskedCard, usual_cards>;

/// The node's cards, in its order.
AskedCards cards_for(
    const NodeColumns& columns,
    NodeIndex node,
    const CountedCardAsk& asked,
    View view,
    std::span<const CardDemand> planned) {
    AskedCards cards;
    columns.for_each_card(node, asked.units, view, [&](const NodeColumns::CardRoom& room) {
        AskedCard& card = cards.emplace_back();
        card.units_id = room.resource;
        card.order = room.order;
        card.units = room.units;
        card.units_free = room.free - planned_on(planned, room);
    });
    std::sort(cards.begin(), cards.end(), [](const AskedCard& a, const AskedCard& b) {
        return a.order < b.order;
    });
    const auto find = [&cards](std::uint16_t order) {
        const auto found = std::lower_bound(
            cards.begin(), cards.end(), order, [](const AskedCard& card, std::uint16_t wanted) {
                return card.order < wanted;
            });
        return found == cards.end() || found->order != order ? nullptr : &*found;
    };
    if (!asked.cores.is_none()) {
        columns.for_each_card(node, asked.cores, view, [&](const NodeColumns::CardRoom& room) {
            if (AskedCard* const card = find(room.order)) {
                card->cores_id = room.resource;
                card->cores_free = room.free - planned_on(planned, room);
            }
        });
    }
    if (!asked.slots.is_none()) {
        columns.for_each_card(node, asked.slots, view, [&](const NodeColumns::CardRoom& room) {
            if (AskedCard* const card = find(room.order)) {
                card->slots_id = room.resource;
                card->slots = room.units;
                card->slots_free = room.free - planned_on(planned, room);
            }
        });
    }
    return cards;
}

void take_share(const CardAsk& ask, const AskedCard& card, std::vector<CardDemand>& into) {
    const Share share = share_of(ask, card);
    into.push_back({card.units_id, card.order, share.units});
    if (share.cores > 0) into.push_back({card.cores_id, card.order, share.cores});
    if (share.slots > 0) into.push_back({card.slots_id, card.order, share.slots});
}

NodeColumns::CardRoom room_of(const AskedCard& card, std::int64_t free) {
    return {card.units_id, card.order, card.units, free};
}

/// Those that take one more pod, the best first; empty: they are too few. Of several cards for one
/// pod those are the best that take the most pods: the others are left over without a partner, and
/// times_on_several() would promise too much.
AskedCards chosen_for(const CardAsk& ask, AskedCards cards, CardChoice choice) {
    const auto full = std::remove_if(cards.begin(), cards.end(), [&ask](const AskedCard& card) {
        return times_on(ask, card) == 0;
    });
    cards.erase(full, cards.end());
    if (cards.size() < static_cast<std::size_t>(ask.cards)) return {};
    std::stable_sort(cards.begin(), cards.end(), [&](const AskedCard& a, const AskedCard& b) {
        if (ask.cards > 1) return times_on(ask, a) > times_on(ask, b);
        return choice == CardChoice::least_left ? a.units_free < b.units_free
                                                : a.units_free > b.units_free;
    });
    cards.resize(static_cast<std::size_t>(ask.cards));
    return cards;
}

}  // namespace

std::int64_t times_on_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    std::span<const CardDemand> planned) {
    if (const auto* const asked = columns.names().find_card_ask(wanted.id)) {
        boost::container::small_vector<std::int64_t, usual_cards> times;
        for (const AskedCard& card : cards_for(columns, node, *asked, view, planned)) {
            times.push_back(times_on(asked->ask, card));
        }
        return times_on_several(times, 1, static_cast<int>(asked->ask.cards)) / wanted.amount;
    }
    bool has_cards = false;
    std::int64_t times = 0;
    columns.for_each_card(node, wanted.id, view, [&](const NodeColumns::CardRoom& card) {
        has_cards = true;
        const std::int64_t left = card.free - planned_on(planned, card);
        times += left < wanted.amount ? 0 : left / wanted.amount;
    });
    return has_cards ? times : std::numeric_limits<std::int64_t>::max();
}

/// Each pod takes `cards` different ones, so no card serves more than n of n pods; and as long as
/// the sum suffices, the cards with the most left can be taken again and again.
std::int64_t times_on_several(std::span<const std::int64_t> free, std::int64_t units, int cards) {
    const auto enough = [&](std::int64_t count) {
        Wide sum = 0;
        for (const std::int64_t one : free) {
            sum += std::min(count, one < units ? 0 : one / units);
        }
        return sum >= static_cast<Wide>(count) * cards;
    };
    std::int64_t low = 0;
    std::int64_t high = 1;  // more than all of them together
    for (const std::int64_t one : free) high += std::max<std::int64_t>(one / units, 0);
    while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        (enough(middle) ? low : high) = middle;
    }
    return low;
}

std::optional<NodeColumns::CardRoom> choose_card(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    CardChoice choice,
    std::span<const CardDemand> planned) {
    if (const auto* const asked = columns.names().find_card_ask(wanted.id)) {
        const auto cards =
            chosen_for(asked->ask, cards_for(columns, node, *asked, view, planned), choice);
        if (cards.empty()) return std::nullopt;
        return room_of(cards.front(), cards.front().units_free);
    }
    std::optional<NodeColumns::CardRoom> best;
    columns.for_each_card(node, wanted.id, view, [&](NodeColumns::CardRoom card) {
        card.free -= planned_on(planned, card);
        if (card.free < wanted.amount) return;
        const bool is_first = best && card.free == best->free && card.order < best->order;
        const bool is_better = best && (choice == CardChoice::least_left ? card.free < best->free
                                                                         : card.free > best->free);
        if (!best || is_better || is_first) best = card;
    });
    return best;
}

std::vector<CardDemand> choose_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    CardChoice choice,
    std::span<const CardDemand> planned) {
    std::vector<CardDemand> taken;
    if (const auto* const asked = columns.names().find_card_ask(wanted.id)) {
        for (const AskedCard& card :
             chosen_for(asked->ask, cards_for(columns, node, *asked, view, planned), choice)) {
            take_share(asked->ask, card, taken);
        }
    } else if (const auto card = choose_card(columns, node, wanted, view, choice, planned)) {
        taken.push_back({card->resource, card->order, wanted.amount});
    }
    return taken;
}

std::vector<CardDemand> overdraw_cards(
    const NodeColumns& columns, NodeIndex node, const ExtendedDemand& wanted, View view) {
    std::vector<CardDemand> taken;
    if (const auto* const asked = columns.names().find_card_ask(wanted.id)) {
        auto cards = cards_for(columns, node, *asked, view, {});
        std::stable_sort(cards.begin(), cards.end(), [](const AskedCard& a, const AskedCard& b) {
            return a.units_free > b.units_free;
        });
        if (cards.size() > static_cast<std::size_t>(asked->ask.cards)) {
            cards.resize(static_cast<std::size_t>(asked->ask.cards));
        }
        for (const AskedCard& card : cards) take_share(asked->ask, card, taken);
    } else if (const auto card = emptiest_card(columns, node, wanted.id, view)) {
        taken.push_back({card->resource, card->order, wanted.amount});
    }
    return taken;
}

std::optional<NodeColumns::CardRoom> emptiest_card(
    const NodeColumns& columns,
    NodeIndex node,
    ExtendedId resource,
    View view,
    std::span<const CardDemand> planned) {
    if (const auto* const asked = columns.names().find_card_ask(resource)) {
        std::optional<NodeColumns::CardRoom> best;
        for (const AskedCard& card : cards_for(columns, node, *asked, view, planned)) {
            const bool has_room = times_on(asked->ask, card) > 0 ||
                                  card.units_free < share_of(asked->ask, card).units;
            const std::int64_t free = has_room ? card.units_free : 0;
            if (!best || free > best->free) best = room_of(card, free);
        }
        return best;
    }
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
    return choose_card(columns, node, {resource, any}, view, CardChoice::most_left, planned);
}

}  // namespace core
