#include "core/value/device/card_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

namespace core {

namespace {

/// The words of one device plugin.
struct Dialect {
    std::string_view resource;
    std::array<std::string_view, 2> units;  ///< annotation of a node: units of each card; spellings
    std::string_view ids;                   ///< annotation of a node: the id of each card
    std::string_view count;                 ///< annotation of a node: how many there are
    std::string_view chunks;                ///< annotation of a pod: one "<id>_<n>" for each unit
};

/// The device plugin writes "vitual"; its scheduler reads "virtual".
constexpr std::array dialects = {Dialect{
    "alnair/vgpu-memory",
    {"ai.centaurus.io/virtual-gpu-count", "ai.centaurus.io/vitual-gpu-count"},
    "ai.centaurus.io/physical-gpu-uuids",
    "ai.centaurus.io/physical-gpu-count",
    "ai.centaurus.io/alnair-gpu-id"}};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// An empty text has no parts; a comma at the end is no part more.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    text = trimmed(text);
    if (text.ends_with(',')) text.remove_suffix(1);
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        parts.push_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return parts;
}

std::optional<std::int64_t> read_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

/// For a message: what a node says may have any length.
std::string quoted(std::string_view text) {
    constexpr std::size_t shown_max = 64;
    const bool is_long = text.size() > shown_max;
    return fmt::format("\"{}{}\"", text.substr(0, shown_max), is_long ? "..." : "");
}

bool is_id(std::string_view text) {
    return !text.empty() && text.size() <= card_id_max && text != unknown_card &&
           std::all_of(text.begin(), text.end(), [](char letter) {
               return letter > ' ' && letter < 0x7f && letter != '@' && letter != ':';
           });
}

/// Its words of the cards, and the name of the annotation for messages.
std::string read_cards(
    const StringMap& annotations,
    const Dialect& dialect,
    std::string_view key,
    std::string_view text,
    NodeCards& into) {
    const std::vector<std::string_view> units = split(text);
    const std::string said = fmt::format("annotation {} is {}", key, quoted(text));
    if (units.empty()) return said + ": units of each card are wanted, such as 16,16";
    if (units.size() > cards_max) {
        return fmt::format("{}: {} cards are more than {}", said, units.size(), cards_max);
    }
    if (const std::string* count = find_value(annotations, dialect.count)) {
        const auto number = read_number(trimmed(*count));
        if (!number || *number != static_cast<std::int64_t>(units.size())) {
            return fmt::format("{}, but annotation {} is {}", said, dialect.count, quoted(*count));
        }
    }
    const std::string* const ids_text = find_value(annotations, dialect.ids);
    const std::vector<std::string_view> ids =
        ids_text == nullptr ? std::vector<std::string_view>() : split(*ids_text);
    if (ids_text != nullptr && ids.size() != units.size()) {
        return fmt::format("{}, but annotation {} is {}", said, dialect.ids, quoted(*ids_text));
    }
    std::set<std::string, std::less<>> known;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const auto number = read_number(units[i]);
        if (!number || *number > card_units_max) {
            return fmt::format("{}: {} is no number of units", said, quoted(units[i]));
        }
        std::string id = ids.empty() ? fmt::format("U{}", i + 1) : std::string(ids[i]);
        if (!is_id(id) || !known.insert(id).second) {
            return fmt::format(
                "annotation {} is {}: {} is no id of one card",
                dialect.ids,
                quoted(*ids_text),
                quoted(id));
        }
        if (*number > 0) into.cards.push_back({std::move(id), *number});
    }
    return {};
}

/// Amounts by card's name, if they add up to what is asked.
std::vector<ExtendedResource> checked(
    const std::map<std::string, std::int64_t, std::less<>>& by_card, std::int64_t asked) {
    std::vector<ExtendedResource> cards;
    std::int64_t sum = 0;
    for (const auto& [name, amount] : by_card) {
        cards.push_back({name, amount});
        sum += amount;
    }
    if (sum != asked) cards.clear();
    return cards;
}

/// "U1_0,U1_1": one chunk for each unit; the id may hold more of them.
std::vector<ExtendedResource> read_chunks(
    std::string_view text, const Dialect& dialect, std::int64_t asked) {
    std::map<std::string, std::int64_t, std::less<>> by_card;
    for (const std::string_view chunk : split(text)) {
        const std::string_view id = chunk.substr(0, chunk.rfind('_'));
        if (!is_id(id)) return {};
        ++by_card[card_name(dialect.resource, id)];
    }
    return checked(by_card, asked);
}

/// "U1:4"
std::vector<ExtendedResource> read_own(
    std::string_view text, const Dialect& dialect, std::int64_t asked) {
    std::map<std::string, std::int64_t, std::less<>> by_card;
    for (const std::string_view one : split(text)) {
        const std::size_t colon = one.rfind(':');
        if (colon == std::string_view::npos || !is_id(one.substr(0, colon))) return {};
        const auto amount = read_number(one.substr(colon + 1));
        if (!amount || *amount > asked || by_card.size() == cards_max) return {};
        std::int64_t& units = by_card[card_name(dialect.resource, one.substr(0, colon))];
        units = *amount;
    }
    return checked(by_card, asked);
}

}  // namespace

bool is_card_resource(std::string_view extended_name) {
    return std::any_of(dialects.begin(), dialects.end(), [&](const Dialect& dialect) {
        return dialect.resource == extended_name;
    });
}

bool is_card_annotation(std::string_view key) {
    return std::any_of(dialects.begin(), dialects.end(), [&](const Dialect& dialect) {
        return key == dialect.units[0] || key == dialect.units[1] || key == dialect.ids ||
               key == dialect.count;
    });
}

bool names_cards(std::string_view key) {
    return key == cards_annotation ||
           std::any_of(dialects.begin(), dialects.end(), [&](const Dialect& dialect) {
               return key == dialect.chunks;
           });
}

std::optional<NodeCards> read_node_cards(const StringMap& annotations) {
    for (const Dialect& dialect : dialects) {
        for (const std::string_view key : dialect.units) {
            const std::string* const text = find_value(annotations, key);
            if (text == nullptr) continue;
            NodeCards cards;
            cards.resource = dialect.resource;
            cards.problem = read_cards(annotations, dialect, key, *text, cards);
            if (!cards.problem.empty()) cards.cards.clear();
            return cards;
        }
    }
    return std::nullopt;
}

std::vector<ExtendedResource> read_pod_cards(
    const StringMap& annotations, const Resources& requests, bool trusts_own) {
    if (requests.extended.empty()) return {};
    for (const Dialect& dialect : dialects) {
        const std::int64_t asked = requests.extended_amount(dialect.resource);
        if (asked == 0) continue;
        if (const std::string* text = find_value(annotations, dialect.chunks)) {
            auto cards = read_chunks(*text, dialect, asked);
            if (!cards.empty()) return cards;
        }
        const std::string* const own = find_value(annotations, cards_annotation);
        if (own != nullptr && trusts_own) return read_own(*own, dialect, asked);
    }
    return {};
}

std::string describe_cards(const std::vector<ExtendedResource>& cards) {
    std::string text;
    for (const ExtendedResource& card : cards) {
        if (!text.empty()) text += ',';
        text += fmt::format("{}:{}", id_of_card(card.name), card.amount);
    }
    return text;
}

}  // namespace core
