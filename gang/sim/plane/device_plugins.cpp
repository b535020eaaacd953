#include "gang/sim/plane/device_plugins.hpp"

#include "core/value/device/card_dialect.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace gang::sim {
namespace {

constexpr int own_mind_percent = 25;  ///< of the pods: whatever was written, the plugin takes any
const std::string word_key = "ai.centaurus.io/alnair-gpu-id";

/// Parts of the text itself; nullptr: there is none.
std::vector<std::string_view> words(const std::string* text) {
    std::vector<std::string_view> made;
    std::string_view left = text == nullptr ? std::string_view() : std::string_view(*text);
    while (!left.empty()) {
        const std::size_t comma = left.find(',');
        made.push_back(left.substr(0, comma));
        left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
    }
    return made;
}

std::string chunks(const CardUnits& cards) {
    std::string text;
    for (const auto& [card, units] : cards) {
        for (std::int64_t i = 0; i < units; ++i) {
            text += (text.empty() ? "" : ",") + card + "_" + std::to_string(i);
        }
    }
    return text;
}

}  // namespace

void give_cards(core::Node& node, Random& random) {
    if (random.percent(30)) {
        return;
    }
    core::NodeCards cards{std::string(card_resource), {}, {}};
    std::int64_t sum = 0;
    for (std::int64_t i = random.between(1, 4); i > 0; --i) {
        const std::int64_t units = random.between(4, 16);
        cards.cards.push_back({node.name + "-U" + std::to_string(i), units});
        sum += units;
    }
    ask_for_units(node.allocatable, sum);
    if (random.percent(90)) {
        node.cards = std::move(cards);
    }
}

void ask_for_units(core::Resources& requests, std::int64_t units) {
    if (units > 0) {
        requests.extended.push_back({std::string(card_resource), units});
        std::sort(requests.extended.begin(), requests.extended.end());
    }
}

std::int64_t draw_card_units(const std::vector<core::Node>& nodes, Random& random) {
    std::int64_t largest = 0;
    for (const core::Node& node : nodes) {
        for (std::int64_t units = largest + 1; times_on_cards(node, units) > 0; ++units) {
            largest = units;
        }
    }
    const std::int64_t units = random.between(1, 8);
    return std::min(units, largest);
}

std::int64_t times_on_cards(const core::Node& node, std::int64_t units) {
    const std::int64_t by_sum = node.allocatable.extended_amount(card_resource) / units;
    if (!node.cards) {
        return by_sum;
    }
    std::int64_t times = 0;
    for (const core::Card& card : node.cards->cards) {
        times += card.units / units;
    }
    return std::min(times, by_sum);
}

CardUnits word_of_plugin(const core::Pod& pod) {
    CardUnits made;
    const std::string* const text = core::find_value(pod.annotations, word_key);
    for (const std::string_view chunk : words(text)) {
        ++made[std::string(chunk.substr(0, chunk.rfind('_')))];
    }
    return made;
}

CardUnits word_of_scheduler(const core::Pod& pod) {
    CardUnits made;
    const std::string* const text =
        core::find_value(pod.annotations, std::string(core::cards_annotation));
    for (const std::string_view one : words(text)) {
        const std::size_t colon = one.rfind(':');
        std::int64_t units = 0;
        std::from_chars(one.data() + colon + 1, one.data() + one.size(), units);
        made[std::string(one.substr(0, colon))] += units;
    }
    return made;
}

CardUnits DevicePlugins::choose(
    const core::Pod& pod, const core::Node& node, const CardUnits& free, std::int64_t units) {
    const CardUnits written = word_of_scheduler(pod);
    const bool has_own_mind = world_.random.percent(own_mind_percent);
    std::vector<std::string> enough;
    for (const core::Card& card : node.cards->cards) {
        if (free.at(card.id) >= units) {
            enough.push_back(card.id);
        }
    }
    if (!enough.empty()) {
        const auto as_written = std::find_if(enough.begin(), enough.end(), [&](const auto& id) {
            return written.size() == 1 && written.begin()->first == id;
        });
        if (as_written != enough.end() && !has_own_mind) {
            return {{*as_written, units}};
        }
        return {{enough[world_.random.below(enough.size())], units}};
    }
    CardUnits mixture;
    for (const auto& [card, left] : free) {
        const std::int64_t taken = std::min(std::max<std::int64_t>(left, 0), units);
        if (taken > 0) {
            mixture[card] = taken;
        }
        units -= taken;
    }
    return units == 0 ? mixture : CardUnits{};
}

core::StringMap DevicePlugins::allocate(PodId id, const core::Pod& pod, const core::Node& node) {
    const std::int64_t units = pod.requests.extended_amount(card_resource);
    if (units == 0 || !node.cards) {
        return {};
    }
    CardUnits free;
    for (const core::Card& card : node.cards->cards) {
        free[card.id] = card.units;
    }
    for (const auto& [other, held] : held_) {
        for (const auto& [card, taken] : held.cards) {
            if (held.node == node.name) {
                free[card] -= taken;
            }
        }
    }
    CardUnits chosen = choose(pod, node, free, units);
    if (chosen.empty()) {
        return {};
    }
    const CardUnits written = word_of_scheduler(pod);
    world_.record.counts.words_that_differ += !written.empty() && written != chosen ? 1 : 0;
    core::StringMap said = {{word_key, chunks(chosen)}};
    held_[id] = {node.name, std::move(chosen)};
    return said;
}

void DevicePlugins::release(PodId id) {
    held_.erase(id);
}

}  // namespace gang::sim
