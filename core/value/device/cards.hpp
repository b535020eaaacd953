#pragma once
// The cards (GPUs) of a node, of which pods take units: memory in whole GiB, or whatever the device
// plugin deals in. A pod's units are on one card. What is taken of a card is kept as an extended
// resource of its own, "alnair/vgpu-memory@GPU-7", beside the node's sum; the API server admits no
// resource with an '@' in its name, so neither a node's status nor a pod's requests can name one.

#include "core/value/resources.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct Card {
    std::string id;          ///< the vendor's, such as GPU-8b2a4a5e
    std::int64_t units = 0;  ///< > 0
    std::int64_t cores = 0;  ///< hundredths of its compute; 0: nobody counts them
    std::int64_t slots = 0;  ///< pods that may share it; 0: as many as there is room for
    friend auto operator<=>(const Card&, const Card&) = default;
};

/// What a node says of its cards.
struct NodeCards {
    std::string resource;     ///< whose units they are: "alnair/vgpu-memory"
    std::vector<Card> cards;  ///< in the node's own order, which decides between equal ones
    /// Not empty: it cannot be read, and there are no cards here. The node's sum alone counts.
    std::string problem;
    friend bool operator==(const NodeCards&, const NodeCards&) = default;
};

/// Of cards with room for the pod; of equal ones the first in the node's order.
enum class CardChoice : std::uint8_t {
    least_left,  ///< whole cards stay whole
    most_left    ///< pods keep out of each other's way
};

/// What is known of the card that a pod's units are taken from.
struct CardUse {
    CardChoice choice = CardChoice::least_left;
    /// By card_name(), sorted; not empty: this is so, whatever would be chosen.
    std::vector<ExtendedResource> said = {};
};

/// Of what is said of a card: as much as it takes, which the node's card tells.
inline constexpr std::int64_t by_the_card = -1;

/// Units of other schedulers' pods of which nobody has said the card: they count on every card.
inline constexpr std::string_view unknown_card = "?";

std::string card_name(std::string_view resource, std::string_view card);

inline bool is_card(std::string_view extended_name) {
    return extended_name.find('@') != std::string_view::npos;
}
/// Of a card's name the parts before and behind the '@'.
inline std::string_view resource_of_card(std::string_view name) {
    return name.substr(0, name.find('@'));
}
inline std::string_view id_of_card(std::string_view name) {
    return name.substr(name.find('@') + 1);
}

}  // namespace core
