#pragma once
// The nodes, what they offer, and how much of it is taken:
//
//   free           = allocatable - all allocations (may be negative)
//   without_gangs  = allocatable - allocations of other schedulers
//   allocatable    = the empty node

#include "core/cluster/allocation/allocation.hpp"
#include "core/cluster/allocation/amount_table.hpp"
#include "core/cluster/free_capacity_index.hpp"
#include "core/cluster/node/free_capacity_gains.hpp"
#include "core/cluster/node/node_table.hpp"
#include "core/cluster/node_columns.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace core {

class NodeRoom {
public:
    const NodeTable& nodes() const { return nodes_; }
    NodeTable& nodes() { return nodes_; }
    const NodeColumns& columns() const { return columns_; }
    const AmountTable& amounts() const { return amounts_; }
    const FreeCapacityGains& gains() const { return gains_; }
    FreeCapacityGains& gains() { return gains_; }

    /// Any node, known or not: an unknown name gets a placeholder.
    NodeIndex node_or_placeholder(std::string_view name);
    struct Put {
        NodeIndex node;
        std::optional<std::size_t> came_at;  ///< its position; nothing: it was there
        bool room_changed = false;
        bool filters_changed = false;  ///< what filters look at
        bool images_changed = false;
    };
    /// The node is so from now on.
    Put put_node(const Node& node);
    /// Its allocations stay. Answers the position that it had.
    std::size_t remove_node(NodeIndex node);
    /// With its cards, so that it can be changed and put again.
    Node node_as_told(NodeIndex node) const;

    /// Of every node, kept free of what is newly placed; what is there already may use it.
    void set_headroom(const Headroom& headroom) { index_.set_headroom(headroom); }
    const Headroom& headroom() const { return index_.headroom(); }

    /// A reference to the number of these amounts.
    ResourcesId intern(const Resources& resources) {
        return amounts_.intern(resources, columns_.names());
    }
    void retain(ResourcesId id) { amounts_.retain(id); }
    void release(ResourcesId id) { amounts_.release(id, columns_.names()); }
    /// See AmountTable::add_cards().
    ResourcesId add_cards(ResourcesId id, const std::vector<ExtendedResource>& cards) {
        return amounts_.add_cards(id, cards, columns_.names());
    }
    /// See ExtendedNames::note_gpu_wishes().
    ExtendedNames& names() { return columns_.names(); }

    /// Takes, or gives back, what the allocation is about, whether or not there is any.
    void apply(const Allocation& allocation, bool taken);

    /// Its place in the order of names; no_position of a node that is not present.
    Position position_of(NodeIndex node) const {
        return index_.position_of(node, nodes_.by_name());
    }
    /// The room above the headroom, by position, with its blocks up to date.
    const FreeCapacity& free_capacity(View view) const {
        return index_.free_capacity(view, {columns_, nodes_.by_name()});
    }
    /// That room has columns of the devices that are asked for.
    void know_devices(const Demand& demand, View view) const;

    friend bool operator==(const NodeRoom&, const NodeRoom&) = default;

private:
    void set_offered(NodeIndex node, const Node& offered);
    void set_cards(NodeIndex node, const Boxed<NodeCards>& said);

    NodeTable nodes_;
    NodeColumns columns_;
    mutable FreeCapacityIndex index_;  ///< derived, and brought up to date by questions
    AmountTable amounts_;
    FreeCapacityGains gains_;
};

}  // namespace core
