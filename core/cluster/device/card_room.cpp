#include "core/cluster/device/card_room.hpp"

#include <algorithm>
#include <limits>

namespace core {

namespace {

std::int64_t planned_on(std::span<const ExtendedDemand> planned, ExtendedId card) {
    std::int64_t sum = 0;
    for (const ExtendedDemand& entry : planned) sum += entry.id == card ? entry.amount : 0;
    return sum;
}

}  // namespace

std::int64_t times_on_cards(
    const NodeColumns& columns,
    NodeIndex node,
    const ExtendedDemand& wanted,
    View view,
    std::span<const ExtendedDemand> planned) {
    bool has_cards = false;
    std::int64_t times = 0;
    columns.for_each_card(node, wanted.id, view, [&](const NodeColumns::CardRoom& card) {
        has_cards = true;
        const std::int64_t left = card.free - planned_on(planned, card.id);
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
    std::span<const ExtendedDemand> planned) {
    std::optional<NodeColumns::CardRoom> best;
    columns.for_each_card(node, wanted.id, view, [&](NodeColumns::CardRoom card) {
        card.free -= planned_on(planned, card.id);
        if (card.free < wanted.amount) return;
        const bool is_first = best && card.free == best->free && card.order < best->order;
        const bool is_better = best && (choice == CardChoice::least_left ? card.free < best->free
                                                                         : card.free > best->free);
        if (!best || is_better || is_first) best = card;
    });
    return best;
}

std::optional<NodeColumns::CardRoom> emptiest_card(
    const NodeColumns& columns,
    NodeIndex node,
    ExtendedId resource,
    View view,
    std::span<const ExtendedDemand> planned) {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
    return choose_card(columns, node, {resource, any}, view, CardChoice::most_left, planned);
}

}  // namespace core
