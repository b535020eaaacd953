#pragma once
// AmountTable of resources as counted numbers, and each as a demand, with extended names as numbers.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/cluster/node_columns.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace core {

class AmountTable {
public:
    /// One reference to the number of these amounts, which holds the names of their extended
    /// resources.
    ResourcesId intern(const Resources& resources, ExtendedNames& names);
    void retain(ResourcesId id) { amounts_.retain(id); }
    void release(ResourcesId id, ExtendedNames& names);

    const Resources& operator[](ResourcesId id) const { return amounts_[id]; }
    const Demand& demand(ResourcesId id) const { return demands_[id.value]; }

    /// The reference to the amounts becomes one to those with these cards.
    ResourcesId add_cards(
        ResourcesId id, const std::vector<ExtendedResource>& cards, ExtendedNames& names);
    /// Those that cards were added to; the same: none were.
    ResourcesId without_cards(ResourcesId id) const;

    /// Of all amounts together; so many of them amounts with cards hold.
    std::uint64_t references() const { return amounts_.references(); }
    std::uint64_t held_by_amounts() const { return without_cards_.size(); }
    /// References to names.
    std::uint64_t names_held() const;
    friend bool operator==(const AmountTable&, const AmountTable&) = default;

private:
    Interner<Resources, ResourcesId> amounts_;
    std::vector<Demand> demands_;  ///< by ResourcesId
    /// Of amounts with a card those without, which they hold; few amounts have one.
    std::map<ResourcesId, ResourcesId> without_cards_;
};

}  // namespace core
