#include "core/cluster/device/card_table.hpp"

#include "core/base/result.hpp"
#include "core/value/device/card_ask.hpp"

#include <algorithm>

namespace core {

void CardTable::set(NodeIndex node, const NodeCards* cards, std::span<const ExtendedId> resources) {
    Boxed<Entry> entry;
    if (cards != nullptr) {
        CutCards cut = cut_cards(*cards);
        const auto held = layouts_.intern(cut.layout);
        if (held.is_new) {
            if (held.id.value >= offers_.size()) offers_.resize(held.id.value + 1);
            offers_[held.id.value] = offers_by(*cards, resources);
        }
        entry = Entry{held.id, std::move(cut.uuids)};
    }
    if (node.value >= nodes_.size()) {
        if (!entry) return;
        // By an eighth, as all that there is of each node.
        if (node.value >= nodes_.capacity()) nodes_.reserve(node.value + node.value / 8 + 64);
        nodes_.resize(node.value + 1);
    }
    std::swap(nodes_[node.value], entry);
    if (entry && layouts_.release(entry->layout)) offers_[entry->layout.value].clear();
    while (!nodes_.empty() && !nodes_.back()) nodes_.pop_back();
}

Boxed<NodeCards> CardTable::find(NodeIndex node) const {
    const Entry* const entry = find_entry(node);
    if (entry == nullptr) return {};
    return join_cards(layouts_[entry->layout], entry->uuids);
}

bool CardTable::has(NodeIndex node, const Boxed<NodeCards>& cards) const {
    const Entry* const entry = find_entry(node);
    if (entry == nullptr || !cards) return entry == nullptr && !cards;
    const CutCards cut = cut_cards(*cards);
    return cut.uuids == entry->uuids && cut.layout == layouts_[entry->layout];
}

std::vector<ExtendedId> CardTable::resources(NodeIndex node) const {
    std::vector<ExtendedId> all;
    for (const Offers& one : offers_of(node)) all.push_back(one.resource);
    return all;
}

const CardTable::Offer* CardTable::find_offer(
    NodeIndex node, ExtendedId resource, const CardId& card) const {
    const std::span<const Offer> all = offers(node, resource);
    if (all.empty()) return nullptr;
    const Entry& entry = *find_entry(node);
    const auto place = find_place(layouts_[entry.layout], entry.uuids, card);
    if (!place) return nullptr;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Offer& offer) { return offer.order == *place; });
    return found == all.end() ? nullptr : &*found;
}

std::string CardTable::id(NodeIndex node, std::uint16_t order) const {
    const Entry* const entry = find_entry(node);
    ENSURE(entry != nullptr);
    return text_of(card_id_at(layouts_[entry->layout], entry->uuids, order));
}

Account CardTable::account() const {
    const auto nodes = std::count_if(
        nodes_.begin(), nodes_.end(), [](const Boxed<Entry>& entry) { return bool{entry}; });
    return {"layouts of cards", layouts_.references(), static_cast<std::uint64_t>(nodes)};
}

std::vector<CardTable::Offers> CardTable::offers_by(
    const NodeCards& cards, std::span<const ExtendedId> resources) {
    std::vector<Offers> offers;
    for (const ExtendedId resource : resources) offers.push_back({resource, {}});
    std::uint16_t order = 0;
    for (const Card& card : cards.cards) {
        const std::vector<ExtendedResource> counts = counts_of(cards, card);
        ENSURE(counts.size() == offers.size());
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i].amount != 0) offers[i].cards.push_back({order, counts[i].amount});
        }
        ++order;
    }
    return offers;
}

}  // namespace core
