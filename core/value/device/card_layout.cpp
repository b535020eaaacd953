#include "core/value/device/card_layout.hpp"

#include "core/base/result.hpp"

namespace core {

namespace {

constexpr std::size_t uuid_size = 36;

}  // namespace

CardId cut_card_id(std::string_view id) {
    if (id.size() >= uuid_size) {
        const std::string_view front = id.substr(0, id.size() - uuid_size);
        if (const auto uuid = parse_uuid(id.substr(front.size()))) {
            return {std::string(front), uuid};
        }
    }
    return {std::string(id), std::nullopt};
}

std::string text_of(const CardId& id) {
    return id.uuid ? id.front + text_of(*id.uuid) : id.front;
}

CutCards cut_cards(const NodeCards& cards) {
    CutCards cut{{cards.resource, {}, cards.problem}, {}};
    cut.layout.places.reserve(cards.cards.size());
    for (const Card& card : cards.cards) {
        CardId id = cut_card_id(card.id);
        if (id.uuid) {
            cut.uuids.reserve(cards.cards.size());  // mostly all of them have one
            cut.uuids.push_back(*id.uuid);
        }
        cut.layout.places.push_back(
            {{std::move(id.front), card.units, card.cores, card.slots}, id.uuid.has_value()});
    }
    return cut;
}

NodeCards join_cards(const CardLayout& layout, std::span<const Uuid> uuids) {
    NodeCards cards{layout.resource, {}, layout.problem};
    cards.cards.reserve(layout.places.size());
    std::size_t next = 0;
    for (const CardLayout::Place& place : layout.places) {
        Card& card = cards.cards.emplace_back(place.card);
        if (place.has_uuid) card.id += text_of(uuids[next++]);
    }
    return cards;
}

CardId card_id_at(const CardLayout& layout, std::span<const Uuid> uuids, std::size_t place) {
    ENSURE(place < layout.places.size());
    std::size_t before = 0;
    for (std::size_t i = 0; i < place; ++i) before += layout.places[i].has_uuid ? 1 : 0;
    const CardLayout::Place& found = layout.places[place];
    return {found.card.id, found.has_uuid ? std::optional(uuids[before]) : std::nullopt};
}

std::optional<std::size_t> find_place(
    const CardLayout& layout, std::span<const Uuid> uuids, const CardId& id) {
    std::size_t next = 0;
    for (std::size_t place = 0; place < layout.places.size(); ++place) {
        const CardLayout::Place& here = layout.places[place];
        const Uuid* const uuid = here.has_uuid ? &uuids[next++] : nullptr;
        const bool ends_alike = uuid == nullptr ? !id.uuid : id.uuid == *uuid;
        if (ends_alike && here.card.id == id.front) return place;
    }
    return std::nullopt;
}

}  // namespace core
