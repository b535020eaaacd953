#pragma once
// What a pod asks of cards in the words of Volcano: so many cards of one node, and of each of them
// so much memory, or so many hundredths of it, and of its compute. Where a pod asks for units of
// one card alone (Alnair), the request itself says it all, and nothing of this is needed.
//
// An ask is counted as an extended resource whose name is the whole ask,
// "volcano.sh/vgpu=2,units=3000,cores=50", and of which a pod asks for one. The API server admits
// no resource with a '=' in its name, so neither a node's status nor a pod's requests can name one.
// What the pod takes of a card is kept under card_name()s of "volcano.sh/vgpu+memory" and the like:
// each card has several of them, and no request is counted there by itself.

#include "core/value/device/cards.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct PodRequests;

inline constexpr std::int64_t asked_cards_max = 64;
/// MiB; a card with more memory says something else than its memory.
inline constexpr std::int64_t gpu_units_max = 1'000'000'000;

/// The requests of one device plugin that say together what is asked.
struct CardFamily {
    std::string_view name;           ///< "volcano.sh/vgpu"
    std::string_view number;         ///< how many cards
    std::string_view units;          ///< memory of each
    std::string_view percent;        ///< of the card's memory; empty: it has no such word
    std::string_view cores;          ///< hundredths of a card's compute; empty: likewise
    std::string_view counted_units;  ///< by this a card's units are counted
    std::string_view counted_cores;  ///< empty: nobody counts them
    std::string_view counted_slots;  ///< of pods that share a card; empty: likewise
};
/// That whose cards have such units; nullptr: there is none.
const CardFamily* family_of_cards(std::string_view units);
/// By which the node's cards are counted; none: it has no cards.
std::vector<std::string_view> counted_resources(const NodeCards& cards);
/// What the card offers of each of them, in their order, under the names by which it is counted.
std::vector<ExtendedResource> counts_of(const NodeCards& cards, const Card& card);

struct CardAsk {
    const CardFamily* family = nullptr;
    std::int64_t cards = 1;    ///< different ones, of one node
    std::int64_t units = 0;    ///< of each; 0: `percent` counts
    std::int64_t percent = 0;  ///< of the units that the card has
    std::int64_t cores = 0;    ///< 100: the pod has its cards to itself
    friend bool operator==(const CardAsk&, const CardAsk&) = default;
};

/// Units that the ask takes of a card that has so many.
std::int64_t units_of(const CardAsk& ask, std::int64_t card_units);

std::string name_of(const CardAsk& ask);
bool is_card_ask(std::string_view extended_name);
/// Nothing: it is no name_of() an ask.
std::optional<CardAsk> card_ask_of(std::string_view extended_name);
/// Nothing: there is none among them.
std::optional<CardAsk> find_card_ask(const Resources& requests);
/// "2 GPUs with 3000 free volcano.sh/vgpu-memory and 50 free volcano.sh/vgpu-cores each", behind
/// "no" or "no single".
std::string describe(const CardAsk& ask);

/// Adds what the requests of one container ask of cards. The answer says why that cannot be done;
/// empty: it is added, or nothing is asked.
std::string add_card_ask(Resources& requests);
/// Whether they ask for cards in words that add_card_ask() reads, or refuses.
bool asks_for_cards(const Resources& requests);
/// The device plugins tell the containers of a pod apart by their number alone: so one of them may
/// ask, and no init container. Empty: it is so.
std::string check_asking_containers(const PodRequests& requests);

}  // namespace core
