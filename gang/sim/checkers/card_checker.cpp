#include "gang/sim/checkers/card_checker.hpp"

#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace gang::sim {
namespace {

std::string describe(const CardUnits& cards) {
    std::string text;
    for (const auto& [card, units] : cards) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", card, units);
    }
    return text.empty() ? "none" : text;
}

using Tried = std::set<std::pair<std::size_t, std::vector<std::int64_t>>>;

/// The largest first; cards with equal rests are one choice.
bool can_pack_from(
    std::vector<std::int64_t> free,
    const std::vector<std::int64_t>& sizes,
    std::size_t next,
    Tried& tried) {
    if (next == sizes.size()) {
        return true;
    }
    std::sort(free.begin(), free.end());
    if (!tried.insert({next, free}).second) {
        return false;
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
        if (free[i] < sizes[next] || (i > 0 && free[i] == free[i - 1])) {
            continue;
        }
        std::vector<std::int64_t> left = free;
        left[i] -= sizes[next];
        if (can_pack_from(std::move(left), sizes, next + 1, tried)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool can_be_packed(std::vector<std::int64_t> free, std::vector<std::int64_t> sizes) {
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    Tried tried;
    return can_pack_from(std::move(free), sizes, 0, tried);
}

bool CardChecker::is_excused(NodeId node, const Author& author) const {
    const auto harmed = harmed_.find(node);
    return world_.checkers.is_excused(node, author) ||
           (harmed != harmed_.end() && harmed->second > author.pods_seen);
}

/// Of which nobody has said the card counts on each.
CardUnits CardChecker::free_on(const core::Node& node, NodeId id) const {
    CardUnits free;
    for (const core::Card& card : node.cards->cards) {
        free[card.id] = card.units;
    }
    for (const auto& [pod, held] : held_) {
        if (held.node != id) {
            continue;
        }
        for (auto& [card, left] : free) {
            const auto taken = held.cards.find(card);
            left -= held.cards.empty() ? held.units : taken == held.cards.end() ? 0 : taken->second;
        }
    }
    return free;
}

void CardChecker::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    const core::Pod& pod = entry.object;
    const std::int64_t units = pod.requests.extended_amount(card_resource);
    const bool is_ours = author.actor == Actor::scheduler;
    const Seen& seen = world_.checkers.capacity_model().pods()[entry.id];
    const bool is_bind = seen.bound_revision == entry.revision;
    if (units > 0) {
        const auto known = held_.find(entry.id);
        Held now{seen.node, units, word_of_plugin(pod)};
        if (now.cards.empty() && is_ours && is_bind) {
            now.cards = word_of_scheduler(pod);
        } else if (now.cards.empty() && known != held_.end()) {
            now.cards = known->second.cards;
        }
        if (seen.node == nobody) {
            held_.erase(entry.id);
        } else {
            const bool is_news = known == held_.end() || known->second != now;
            if (is_news && !is_ours) {
                harmed_[seen.node] = entry.revision;
            }
            held_[entry.id] = std::move(now);
        }
    }
    if (is_ours && is_bind) {
        if (units > 0) {
            check_bind(entry, author);
        }
        check_slots(entry, author);
    }
}

void CardChecker::check_bind(const Entry<core::Pod>& entry, const Author& author) {
    const NodeId id = number_of(entry.object.node_name);
    const core::Node* const node = world_.store.find_node(id);
    if (node == nullptr || !node->cards) {
        return;
    }
    const Held& held = held_.at(entry.id);
    const std::string what = fmt::format(
        "{} of {} units is bound to n{} on {}",
        full_name(entry.object),
        held.units,
        id,
        describe(held.cards));
    const CardUnits free = free_on(*node, id);
    const bool is_one = held.cards.size() == 1 && held.cards.begin()->second == held.units;
    const bool is_there = is_one && free.contains(held.cards.begin()->first);
    if (!is_there) {
        // A pod that was bound before and is bound again may have an older word: not here.
        if (is_excused(id, author)) {
            ++world_.record.counts.cards_excused;
        } else {
            world_.checkers.violated("one-card", what + ", which is no card of the node");
        }
        return;
    }
    ++world_.record.counts.binds_on_cards;
    if (free.at(held.cards.begin()->first) >= 0) {
        return;
    }
    const Seen& seen = world_.checkers.capacity_model().pods()[entry.id];
    const bool was_promised =
        seen.gang != nobody && harmed_.contains(id) &&
        harmed_.at(id) > world_.checkers.capacity_model().pods()[seen.gang].bound_revision;
    if (was_promised || is_excused(id, author)) {
        ++world_.record.counts.cards_excused;
        return;
    }
    world_.checkers.violated(
        "one-card", fmt::format("{}, which leaves {} there", what, describe(free)));
}

/// Of all gangs, or of all but one.
std::vector<std::int64_t> CardChecker::open_slots(NodeId node, PodId but_of) const {
    std::vector<std::int64_t> sizes;
    for (const auto& [driver, slots] : world_.checkers.capacity_model().nodes().slots_on(node)) {
        for (const SizedSlots& sized : slots.sizes) {
            for (std::int64_t i = sized.open(); i > 0 && driver != but_of && sized.unit.units > 0;
                 --i) {
                sizes.push_back(sized.unit.units);
            }
        }
    }
    return sizes;
}

void CardChecker::check_slots(const Entry<core::Pod>& entry, const Author& author) {
    const GangRecord* const gang = world_.checkers.capacity_model().gangs().find(entry.id);
    if (gang == nullptr) {
        return;
    }
    for (const NodeId id : std::set<NodeId>(gang->nodes.begin(), gang->nodes.end())) {
        const core::Node* const node = world_.store.find_node(id);
        const NodeSlots& own = world_.checkers.capacity_model().nodes().slots_on(id).at(entry.id);
        const bool has_units =
            std::any_of(own.sizes.begin(), own.sizes.end(), [](const SizedSlots& sized) {
                return sized.unit.units > 0;
            });
        if (node == nullptr || !node->cards || !has_units) {
            continue;
        }
        ++world_.record.counts.slots_on_cards;
        std::vector<std::int64_t> free;
        for (const auto& [card, left] : free_on(*node, id)) {
            free.push_back(left);
        }
        if (can_be_packed(free, open_slots(id, nobody))) {
            continue;
        }
        if (is_excused(id, author) || !can_be_packed(free, open_slots(id, entry.id))) {
            ++world_.record.counts.cards_excused;
            continue;
        }
        world_.checkers.violated(
            "one-card",
            fmt::format(
                "{} is admitted with {} slots of {} units in all on n{}, where cards have {} left",
                full_name(entry.object),
                own.open(),
                own.room().units,
                id,
                describe(free_on(*node, id))));
    }
}

}  // namespace gang::sim
