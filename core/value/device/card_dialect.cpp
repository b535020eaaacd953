#include "core/value/device/card_dialect.hpp"

#include "core/value/device/card_ask.hpp"

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

// Of Volcano's vGPUs (HAMi's device plugin for Volcano).
constexpr std::string_view vgpu_units = "volcano.sh/vgpu-memory";
constexpr std::string_view vgpu_register = "volcano.sh/node-vgpu-register";
constexpr std::string_view vgpu_ids = "volcano.sh/vgpu-ids-new";
constexpr std::string_view vgpu_to_allocate = "volcano.sh/devices-to-allocate";
constexpr std::string_view vgpu_time = "volcano.sh/vgpu-time";
constexpr std::string_view vgpu_node = "volcano.sh/vgpu-node";
constexpr std::string_view vgpu_phase = "volcano.sh/bind-phase";
constexpr std::string_view vgpu_type = "NVIDIA";
// Of its older shared GPUs (Volcano's own device plugin).
constexpr std::string_view share_units = "volcano.sh/gpu-memory";
constexpr std::string_view share_number = "volcano.sh/gpu-number";
constexpr std::string_view share_unhealthy = "volcano.sh/gpu-unhealthy-ids";
constexpr std::string_view share_index = "volcano.sh/gpu-index";
constexpr std::string_view share_time = "volcano.sh/predicate-time";

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
std::vector<std::string_view> split(std::string_view text, char separator = ',') {
    std::vector<std::string_view> parts;
    text = trimmed(text);
    if (text.ends_with(separator)) text.remove_suffix(1);
    while (!text.empty()) {
        const std::size_t comma = text.find(separator);
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

/// "GPU-7,10,32768,NVIDIA-Tesla V100,true,hami-core": id, pods that may share it, MiB, model,
/// health, mode. A card that is not well is left out.
std::string add_registered(std::string_view text, NodeCards& into) {
    const auto parts = split(text);
    const auto wrong = [text](std::string_view what) {
        return fmt::format("annotation {} has {}: {}", vgpu_register, quoted(text), what);
    };
    if (parts.size() < 5) return wrong("id,pods,memory,model,health are wanted");
    const auto slots = read_number(parts[1]);
    const auto units = read_number(parts[2]);
    if (!is_id(parts[0])) return wrong("that is no id of a card");
    if (!slots || *slots > card_units_max) return wrong("its second word is no number of pods");
    if (!units || *units > gpu_units_max) return wrong("its third word is no amount of memory");
    const bool is_known = std::any_of(into.cards.begin(), into.cards.end(), [&](const Card& card) {
        return card.id == parts[0];
    });
    if (is_known) return wrong("this card comes twice");
    if (parts.size() > 5 && parts[5] == "mig") return wrong("mode mig is not supported");
    if (parts[4] != "true" && parts[4] != "false")
        return wrong("its health is neither true nor false");
    if (parts[4] == "true" && *units > 0 && *slots > 0) {
        into.cards.push_back({std::string(parts[0]), *units, 100, *slots});
    }
    return {};
}

NodeCards read_register(std::string_view text) {
    NodeCards cards;
    cards.resource = vgpu_units;
    const auto listed = split(text, ':');
    if (listed.empty() || listed.size() > cards_max) {
        cards.problem = fmt::format(
            "annotation {} is {}: 1 to {} cards are wanted",
            vgpu_register,
            quoted(text),
            cards_max);
    }
    for (const std::string_view one : listed) {
        if (cards.problem.empty()) cards.problem = add_registered(one, cards);
    }
    return cards;
}

/// Its cards are all alike, and have numbers; those that are not well are none of the amounts.
NodeCards read_shared(const StringMap& annotations, std::int64_t number, std::int64_t units) {
    NodeCards cards;
    cards.resource = share_units;
    std::set<std::int64_t> unhealthy;
    if (const std::string* const text = find_value(annotations, share_unhealthy)) {
        for (const std::string_view one : split(*text)) {
            const auto id = read_number(one);
            if (!id || *id >= number) {
                cards.problem = fmt::format(
                    "annotation {} is {}: {} is no number of a card",
                    share_unhealthy,
                    quoted(*text),
                    quoted(one));
                return cards;
            }
            unhealthy.insert(*id);
        }
    }
    const std::int64_t healthy = number - static_cast<std::int64_t>(unhealthy.size());
    if (number > static_cast<std::int64_t>(cards_max)) {
        cards.problem =
            fmt::format("{} is {}: more than {} cards", share_number, number, cards_max);
        return cards;
    }
    for (std::int64_t id = 0; id < number; ++id) {
        if (unhealthy.contains(id) || units / healthy == 0) continue;
        cards.cards.push_back({fmt::format("{}", id), units / healthy});
    }
    return cards;
}

void add_share(
    std::map<std::string, std::int64_t, std::less<>>& into,
    const CardAsk& ask,
    std::string_view id,
    std::int64_t units) {
    into[card_name(ask.family->counted_units, id)] = units;
    if (!ask.family->counted_cores.empty() && ask.cores > 0)
        into[card_name(ask.family->counted_cores, id)] = ask.cores;
    if (!ask.family->counted_slots.empty())
        into[card_name(ask.family->counted_slots, id)] = ask.cores == 100 ? by_the_card : 1;
}

std::vector<ExtendedResource> listed(const std::map<std::string, std::int64_t, std::less<>>& all) {
    std::vector<ExtendedResource> cards;
    for (const auto& [name, amount] : all) cards.push_back({name, amount});
    return cards;
}

/// "GPU-7,NVIDIA,3000,50:" for each card of a container, and a ';' between containers.
std::vector<ExtendedResource> read_vgpu_ids(std::string_view text, const CardAsk& ask) {
    std::map<std::string, std::int64_t, std::less<>> shares;
    std::set<std::string_view> ids;
    for (const std::string_view container : split(text, ';')) {
        for (const std::string_view one : split(container, ':')) {
            if (one.empty()) continue;
            const auto parts = split(one);
            if (parts.size() != 4 || !is_id(parts[0]) || !ids.insert(parts[0]).second) return {};
            const auto units = read_number(parts[2]);
            const auto cores = read_number(parts[3]);
            if (!units || *units == 0 || *units > gpu_units_max || cores != ask.cores ||
                (ask.units > 0 && *units != ask.units)) {
                return {};
            }
            add_share(shares, ask, parts[0], *units);
        }
    }
    return static_cast<std::int64_t>(ids.size()) == ask.cards ? listed(shares)
                                                              : std::vector<ExtendedResource>{};
}

/// "0,2"
std::vector<ExtendedResource> read_gpu_index(std::string_view text, const CardAsk& ask) {
    std::map<std::string, std::int64_t, std::less<>> shares;
    const auto parts = split(text);
    for (const std::string_view one : parts) {
        const auto id = read_number(one);
        if (!id) return {};
        add_share(shares, ask, fmt::format("{}", *id), ask.units > 0 ? ask.units : by_the_card);
    }
    return static_cast<std::int64_t>(parts.size()) == ask.cards &&
                   static_cast<std::int64_t>(shares.size()) == ask.cards
               ? listed(shares)
               : std::vector<ExtendedResource>{};
}

/// "U1:4,U2:4", of what an ask got.
std::vector<ExtendedResource> read_own_share(std::string_view text, const CardAsk& ask) {
    std::map<std::string, std::int64_t, std::less<>> shares;
    std::set<std::string_view> ids;
    for (const std::string_view one : split(text)) {
        const std::size_t colon = one.rfind(':');
        if (colon == std::string_view::npos || !is_id(one.substr(0, colon))) return {};
        const auto units = read_number(one.substr(colon + 1));
        if (!units || *units == 0 || *units > gpu_units_max ||
            (ask.units > 0 && *units != ask.units) || !ids.insert(one.substr(0, colon)).second) {
            return {};
        }
        add_share(shares, ask, one.substr(0, colon), *units);
    }
    return static_cast<std::int64_t>(ids.size()) == ask.cards ? listed(shares)
                                                              : std::vector<ExtendedResource>{};
}

/// What is asked for by annotations, or says more of an ask than is understood.
struct RefusedWord {
    std::string_view key;
    bool is_ask = false;  ///< else it counts only beside requests for cards
    std::string_view why;
    std::string_view harmless = {};  ///< the value that asks for what is done anyway
};

constexpr std::string_view no_reservation =
    "KAI's GPU sharing needs its reservation pods and its binder, which gang-scheduler does not "
    "make";
constexpr std::string_view no_choice =
    "gang-scheduler chooses cards by their free amounts alone; choose nodes by their labels";

constexpr std::array refused_words = {
    RefusedWord{"gpu-fraction", true, no_reservation},
    RefusedWord{"gpu-fraction-num-devices", true, no_reservation},
    RefusedWord{"gpu-memory", true, no_reservation},
    RefusedWord{"nvidia.com/nouse-gputype", false, no_choice},
    RefusedWord{"nvidia.com/use-gputype", false, no_choice},
    RefusedWord{"volcano.sh/vgpu-mode", false, no_choice, "hami-core"},
    RefusedWord{"volcano.sh/vgpu-nouse-gpuuuid", false, no_choice},
    RefusedWord{"volcano.sh/vgpu-podgroup-policy", false, no_choice},
    RefusedWord{"volcano.sh/vgpu-use-gpuuuid", false, no_choice}};

bool is_refused_word(std::string_view key) {
    return std::any_of(refused_words.begin(), refused_words.end(), [key](const RefusedWord& word) {
        return word.key == key;
    });
}

}  // namespace

bool is_bind_time(std::string_view key) {
    return key == scheduler_timestamp || key == vgpu_time || key == share_time;
}

bool is_card_resource(std::string_view extended_name) {
    return std::any_of(dialects.begin(), dialects.end(), [&](const Dialect& dialect) {
        return dialect.resource == extended_name;
    });
}

bool is_card_annotation(std::string_view key) {
    return std::any_of(
               dialects.begin(),
               dialects.end(),
               [&](const Dialect& dialect) {
                   return key == dialect.units[0] || key == dialect.units[1] ||
                          key == dialect.ids || key == dialect.count;
               }) ||
           key == vgpu_register || key == share_unhealthy;
}

bool names_cards(std::string_view key) {
    return key == cards_annotation || key == vgpu_ids || key == share_index ||
           is_refused_word(key) ||
           std::any_of(dialects.begin(), dialects.end(), [&](const Dialect& dialect) {
               return key == dialect.chunks;
           });
}

std::optional<NodeCards> read_node_cards(
    const StringMap& annotations, const Resources& allocatable) {
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
    if (const std::string* const text = find_value(annotations, vgpu_register)) {
        NodeCards cards = read_register(*text);
        if (!cards.problem.empty()) cards.cards.clear();
        return cards;
    }
    if (allocatable.extended.empty()) return std::nullopt;
    const std::int64_t number = allocatable.extended_amount(share_number);
    const std::int64_t units = allocatable.extended_amount(share_units);
    if (number > 0 && units > 0) return read_shared(annotations, number, units);
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
    const auto ask = find_card_ask(requests);
    if (!ask) return {};
    const bool is_vgpu = !ask->family->counted_slots.empty();
    if (const std::string* text = find_value(annotations, is_vgpu ? vgpu_ids : share_index)) {
        auto cards = is_vgpu ? read_vgpu_ids(*text, *ask) : read_gpu_index(*text, *ask);
        if (!cards.empty()) return cards;
    }
    const std::string* const own = find_value(annotations, cards_annotation);
    if (own != nullptr && trusts_own) return read_own_share(*own, *ask);
    return {};
}

namespace {

/// Of a card that an ask is counted on, its units alone.
bool counts_units(std::string_view name) {
    const std::string_view resource = resource_of_card(name);
    return resource.find('+') == std::string_view::npos || resource.ends_with("+memory");
}

}  // namespace

std::string describe_cards(const std::vector<ExtendedResource>& cards) {
    std::string text;
    for (const ExtendedResource& card : cards) {
        if (!counts_units(card.name)) continue;
        if (!text.empty()) text += ',';
        text += fmt::format("{}:{}", id_of_card(card.name), card.amount);
    }
    return text;
}

StringMap bind_words(
    const Resources& requests,
    const std::vector<ExtendedResource>& cards,
    const std::string& node) {
    const auto ask = find_card_ask(requests);
    if (!ask) return {{std::string(scheduler_timestamp), ""}};
    if (cards.empty()) return {};
    std::string ids;
    const bool is_vgpu = !ask->family->counted_slots.empty();
    for (const ExtendedResource& card : cards) {
        if (!counts_units(card.name)) continue;
        const std::string_view id = id_of_card(card.name);
        if (is_vgpu) {
            ids += fmt::format("{},{},{},{}:", id, vgpu_type, card.amount, ask->cores);
        } else {
            ids += fmt::format("{}{}", ids.empty() ? "" : ",", id);
        }
    }
    if (!is_vgpu) return {{std::string(share_index), ids}, {std::string(share_time), ""}};
    return {
        {std::string(vgpu_phase), "allocating"},
        {std::string(vgpu_to_allocate), ids},
        {std::string(vgpu_ids), ids},
        {std::string(vgpu_node), node},
        {std::string(vgpu_time), ""}};
}

std::string refused_card_words(const StringMap& annotations, const Resources& requests) {
    const bool asks = asks_for_cards(requests) || find_card_ask(requests).has_value();
    for (const auto& [key, value] : annotations) {
        for (const RefusedWord& word : refused_words) {
            if (word.key != key || (!word.is_ask && !asks)) continue;
            if (!word.harmless.empty() && value == word.harmless) continue;
            return fmt::format("annotation {} is not supported: {}", key, word.why);
        }
    }
    return {};
}

}  // namespace core
