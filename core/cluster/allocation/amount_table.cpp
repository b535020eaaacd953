#include "core/cluster/allocation/amount_table.hpp"

#include "core/cluster/capacity.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace core {

namespace {

/// How many pods on one node can ask for so much of what every node offers.
std::int32_t times_exclusive(std::int64_t amount) {
    return static_cast<std::int32_t>(std::min(times_it_fits(exclusive_all, amount), pod_slots_max));
}

/// Whoever asks for volumes is asked about their limits, which it may take nothing of by itself.
void add_limits(const Resources& resources, ExtendedNames& names, Demand& demand) {
    std::set<std::string> limits;
    for (const ExtendedResource& entry : resources.extended) {
        if (is_volume(entry.name)) limits.insert(limit_of_volume(entry.name));
    }
    for (const std::string& limit : limits) {
        if (resources.extended_amount(limit) > 0) continue;
        demand.extended.push_back({names.hold(limit), 0});
    }
}

Demand demand_of(const Resources& resources, ExtendedNames& names) {
    Demand demand;
    demand.cpu_milli = resources.cpu_milli;
    demand.memory_bytes = resources.memory_bytes;
    demand.ephemeral_bytes = resources.ephemeral_bytes;
    for (const ExtendedResource& entry : resources.extended) {
        const ExtendedId name = names.hold(entry.name);
        demand.extended.push_back({name, entry.amount});
        const bool is_of_all = is_exclusive(entry.name);
        demand.wants_cards = demand.wants_cards || is_card_resource(entry.name) ||
                             names.find_card_ask(name) != nullptr;
        demand.wants_listed = demand.wants_listed || !is_of_all;
        demand.wants_exclusive = demand.wants_exclusive || is_of_all;
        demand.wants_gpus = demand.wants_gpus || is_gpu_wish(entry.name);
        demand.wants_volumes = demand.wants_volumes || is_volume(entry.name);
        if (is_of_all) demand.at_most = std::min(demand.at_most, times_exclusive(entry.amount));
    }
    if (demand.wants_volumes) add_limits(resources, names, demand);
    std::sort(
        demand.extended.begin(), demand.extended.end(), [](const auto& a, const auto& b) {
            return a.id < b.id;
        });
    return demand;
}

}  // namespace

ResourcesId AmountTable::intern(const Resources& resources, ExtendedNames& names) {
    const auto interned = amounts_.intern(resources);
    if (!interned.is_new) return interned.id;
    Demand demand = demand_of(resources, names);
    if (interned.id.value >= demands_.size()) demands_.resize(interned.id.value + 1);
    demands_[interned.id.value] = std::move(demand);
    return interned.id;
}

void AmountTable::release(ResourcesId id, ExtendedNames& names) {
    if (!amounts_.release(id)) return;
    for (const ExtendedDemand& entry : demands_[id.value].extended) names.release(entry.id);
    demands_[id.value] = {};
    if (without_cards_.empty()) return;
    if (const auto found = without_cards_.find(id); found != without_cards_.end()) {
        const ResourcesId plain = found->second;
        without_cards_.erase(found);
        release(plain, names);
    }
}

ResourcesId AmountTable::without_cards(ResourcesId id) const {
    if (without_cards_.empty()) return id;
    const auto found = without_cards_.find(id);
    return found == without_cards_.end() ? id : found->second;
}

ResourcesId AmountTable::add_cards(
    ResourcesId id, const std::vector<ExtendedResource>& cards, ExtendedNames& names) {
    if (cards.empty()) return id;
    Resources with = amounts_[id];
    with.extended.insert(with.extended.end(), cards.begin(), cards.end());
    std::sort(with.extended.begin(), with.extended.end());
    const ResourcesId made = intern(with, names);
    if (!without_cards_.emplace(made, id).second) release(id, names);
    return made;
}

std::uint64_t AmountTable::names_held() const {
    std::uint64_t held = 0;
    for (const Demand& demand : demands_) held += demand.extended.size();
    return held;
}

}  // namespace core
