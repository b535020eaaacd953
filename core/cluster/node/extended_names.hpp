#pragma once
// The names of extended resources that somebody offers or asks for, as counted numbers, and what
// each means: a card, an ask of cards, a volume, or something that every node offers.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_layout.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// What a pod asks of cards, with the numbers of the resources that its cards are counted by.
struct CountedCardAsk {
    CardAsk ask;
    ExtendedId units;
    ExtendedId cores;  ///< none: nobody counts them
    ExtendedId slots;  ///< likewise
    friend bool operator==(const CountedCardAsk&, const CountedCardAsk&) = default;
};

class ExtendedNames {
public:
    /// One reference to the number of this name; the first one says what it means.
    ExtendedId hold(const std::string& name);
    void release(ExtendedId id);

    const std::string& name(ExtendedId id) const { return names_[id]; }
    /// Nothing: nobody holds it.
    std::optional<ExtendedId> find(const std::string& name) const { return names_.find(name); }
    /// Grows when the number comes to mean another resource.
    std::uint32_t meaning(ExtendedId id) const {
        return id.value < meanings_.by_id.size() ? meanings_.by_id[id.value] : 0;
    }

    /// So much of it every node offers beside what it lists; 0 of what this is not said of.
    std::int64_t offered_by_all(ExtendedId id) const {
        return id.value < offered_by_all_.size() ? offered_by_all_[id.value] : 0;
    }
    bool is_offered_by_all(ExtendedId id) const { return offered_by_all(id) > 0; }

    /// Somebody takes from a card.
    bool has_cards() const { return card_count_ > 0; }
    /// Whose card this is; none: it is no card.
    ExtendedId resource_of_card(ExtendedId card) const {
        return card.value < cards_.size() ? cards_[card.value].resource : ExtendedId{};
    }
    bool is_card_of(ExtendedId card, ExtendedId resource) const {
        return card.value < cards_.size() && cards_[card.value].resource == resource;
    }
    /// Of a card: its own id, and whether that says that nobody knows which one it is.
    const CardId& card_id(ExtendedId card) const { return cards_[card.value].id; }
    bool is_unknown_card(ExtendedId card) const { return cards_[card.value].is_unknown; }
    /// nullptr: the name is no ask.
    const CountedCardAsk* find_card_ask(ExtendedId name) const {
        if (card_asks_.empty()) return nullptr;
        const auto found = card_asks_.find(name);
        return found == card_asks_.end() ? nullptr : &found->second;
    }

    /// Whoever is the first to hold the volume on a node takes one of this limit there, which the
    /// last one gives back. None: it is no volume.
    ExtendedId limit_of_volume(ExtendedId id) const {
        return id.value < limits_of_volumes_.size() ? limits_of_volumes_[id.value] : ExtendedId{};
    }
    bool has_volumes() const { return volume_count_ > 0; }

    /// From now on it is noted which names of wishes of GPUs somebody asks for, and nobody did
    /// before.
    void note_gpu_wishes() { notes_gpu_wishes_ = true; }
    bool has_new_gpu_wishes() const { return !new_gpu_wishes_.empty(); }
    std::vector<std::string> take_new_gpu_wishes() { return std::exchange(new_gpu_wishes_, {}); }

    /// Of all names together; so many of these names hold for each other.
    std::uint64_t references() const { return names_.references(); }
    std::uint64_t held_by_names() const;
    friend bool operator==(const ExtendedNames&, const ExtendedNames&) = default;

private:
    struct Card {
        ExtendedId resource;
        CardId id;
        bool is_unknown = false;
        friend bool operator==(const Card&, const Card&) = default;
    };
    /// No part of what is there.
    struct Meanings {
        std::vector<std::uint32_t> by_id;
        friend bool operator==(const Meanings&, const Meanings&) { return true; }
    };

    ExtendedId hold_counted(std::string_view resource, std::int64_t by_all);
    void hold_card_ask(ExtendedId name, const std::string& text);
    void begin_meaning(ExtendedId id, std::int64_t by_all);
    void set_card(ExtendedId card, ExtendedId resource, CardId id);
    void set_volume(ExtendedId volume, ExtendedId limit);

    Interner<std::string, ExtendedId> names_;
    std::vector<std::int64_t> offered_by_all_;  ///< by ExtendedId
    Meanings meanings_;
    std::vector<Card> cards_;  ///< by ExtendedId, as far as cards are taken from
    std::size_t card_count_ = 0;
    std::vector<ExtendedId> limits_of_volumes_;  ///< by ExtendedId, as far as there are volumes
    std::size_t volume_count_ = 0;
    std::map<ExtendedId, CountedCardAsk> card_asks_;
    bool notes_gpu_wishes_ = false;
    std::vector<std::string> new_gpu_wishes_;
};

}  // namespace core
