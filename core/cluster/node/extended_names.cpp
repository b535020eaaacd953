#include "core/cluster/node/extended_names.hpp"

#include "core/value/device/card_dialect.hpp"
#include "core/value/device/cards.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <string_view>
#include <utility>

namespace core {

ExtendedId ExtendedNames::hold(const std::string& name) {
    const auto held = names_.intern(name);
    if (!held.is_new) return held.id;
    begin_meaning(held.id, is_exclusive(name) ? exclusive_all : 0);
    if (is_card_ask(name)) hold_card_ask(held.id, name);
    if (is_volume(name)) {
        set_volume(held.id, hold_counted(core::limit_of_volume(name), exclusive_all));
    }
    if (notes_gpu_wishes_ && is_gpu_wish(name)) new_gpu_wishes_.push_back(name);
    if (is_card(name)) {
        set_card(held.id, hold_counted(core::resource_of_card(name), 0), cut_card_id(id_of_card(name)));
    }
    return held.id;
}

void ExtendedNames::release(ExtendedId id) {
    const ExtendedId resource = resource_of_card(id);
    const ExtendedId limit = limit_of_volume(id);
    if (!names_.release(id)) return;
    if (!limit.is_none()) {
        set_volume(id, {});
        names_.release(limit);
    }
    if (const CountedCardAsk* const asked = find_card_ask(id)) {
        for (const ExtendedId one : {asked->units, asked->cores, asked->slots}) {
            if (!one.is_none()) names_.release(one);
        }
        card_asks_.erase(id);
    }
    if (resource.is_none()) return;
    set_card(id, {}, {});
    names_.release(resource);
}

/// A reference to the number of what another name is counted by.
ExtendedId ExtendedNames::hold_counted(std::string_view resource, std::int64_t by_all) {
    const auto held = names_.intern(std::string(resource));
    if (held.is_new) begin_meaning(held.id, by_all);
    return held.id;
}

/// Its cards are counted by resources whose names live as long as the ask.
void ExtendedNames::hold_card_ask(ExtendedId name, const std::string& text) {
    const auto ask = card_ask_of(text);
    if (!ask) return;
    const CardFamily& family = *ask->family;
    CountedCardAsk asked{*ask, hold_counted(family.counted_units, 0), {}, {}};
    if (!family.counted_cores.empty()) asked.cores = hold_counted(family.counted_cores, 0);
    if (!family.counted_slots.empty()) asked.slots = hold_counted(family.counted_slots, 0);
    card_asks_[name] = std::move(asked);
    begin_meaning(name, exclusive_all);  // no node runs out of it
}

void ExtendedNames::begin_meaning(ExtendedId id, std::int64_t by_all) {
    if (id.value >= meanings_.by_id.size()) meanings_.by_id.resize(id.value + 1);
    ++meanings_.by_id[id.value];
    if (id.value >= offered_by_all_.size()) {
        if (by_all == 0) return;
        offered_by_all_.resize(id.value + 1);
    }
    offered_by_all_[id.value] = by_all;
}

/// Of none: the number means something else from now on.
void ExtendedNames::set_card(ExtendedId card, ExtendedId resource, CardId id) {
    if (card.value >= cards_.size()) cards_.resize(card.value + 1);
    Card& known = cards_[card.value];
    card_count_ += resource.is_none() ? 0 : 1;
    card_count_ -= known.resource.is_none() ? 0 : 1;
    const bool is_unknown = !id.uuid && id.front == unknown_card;
    known = {resource, std::move(id), is_unknown};
    while (!cards_.empty() && cards_.back().resource.is_none()) cards_.pop_back();
}

/// Of none likewise.
void ExtendedNames::set_volume(ExtendedId volume, ExtendedId limit) {
    if (volume.value >= limits_of_volumes_.size()) limits_of_volumes_.resize(volume.value + 1);
    ExtendedId& known = limits_of_volumes_[volume.value];
    volume_count_ += limit.is_none() ? 0 : 1;
    volume_count_ -= known.is_none() ? 0 : 1;
    known = limit;
    while (!limits_of_volumes_.empty() && limits_of_volumes_.back().is_none()) {
        limits_of_volumes_.pop_back();
    }
}

std::uint64_t ExtendedNames::held_by_names() const {
    std::uint64_t held = card_count_ + volume_count_;
    for (const auto& [name, asked] : card_asks_) {
        for (const ExtendedId one : {asked.units, asked.cores, asked.slots}) {
            held += one.is_none() ? 0 : 1;
        }
    }
    return held;
}

}  // namespace core
