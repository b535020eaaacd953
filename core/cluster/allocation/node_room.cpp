#include "core/cluster/allocation/node_room.hpp"

#include "core/value/device/cards.hpp"

#include <string>
#include <vector>

namespace core {

namespace {

/// What filters look at.
bool filters_alike(const Node& a, const Node& b) {
    return a.ready == b.ready && a.is_quarantined == b.is_quarantined &&
           a.refuses_host_ports == b.refuses_host_ports && a.unschedulable == b.unschedulable &&
           a.labels == b.labels && a.taints == b.taints;
}

bool alike_in_capacity(const Node& a, const Node& b) {
    return a.pods == b.pods && a.allocatable == b.allocatable;
}

}  // namespace

NodeIndex NodeRoom::node_or_placeholder(std::string_view name) {
    const NodeIndex index = nodes_.find_or_add(name);
    if (index.value == columns_.size()) columns_.add_node();
    return index;
}

NodeRoom::Put NodeRoom::put_node(const Node& node) {
    Put done;
    done.node = node_or_placeholder(node.name);
    const bool came = !nodes_.is_present(done.node);
    const Node& before = nodes_.node(done.node);
    done.room_changed = came || !columns_.cards().has(done.node, node.cards) ||
                        !alike_in_capacity(before, node);
    done.filters_changed = came || !filters_alike(before, node);
    if (done.room_changed) set_offered(done.node, node);
    const NodeTable::Put put = nodes_.put(done.node, node);
    done.came_at = put.came_at;
    done.images_changed = put.images_changed;
    if (came) {
        index_.node_came(done.node, *done.came_at);
    } else if (done.filters_changed) {
        index_.node_changed(done.node);
    }
    if (done.room_changed || done.filters_changed) gains_.note(done.node);
    return done;
}

std::size_t NodeRoom::remove_node(NodeIndex node) {
    const std::size_t position = nodes_.remove(node);
    index_.node_went(node, position);
    set_offered(node, {});
    nodes_.note_if_idle(node);
    return position;
}

Node NodeRoom::node_as_told(NodeIndex node) const {
    Node told = nodes_.node(node);
    told.cards = columns_.cards().find(node);
    return told;
}

/// The names of a node's extended resources are held as long as it offers them. Nodes that are
/// alike share their amounts.
void NodeRoom::set_offered(NodeIndex node, const Node& offered) {
    const ResourcesId id = intern(offered.allocatable);
    const ResourcesId before = nodes_.allocatable(node);
    set_cards(node, offered.cards);
    columns_.set_allocatable(node, amounts_.demand(id), offered.pods);
    index_.node_changed(node);
    if (!before.is_none()) release(before);
    nodes_.set_allocatable(node, id);
}

/// So are the names by which its cards are counted.
void NodeRoom::set_cards(NodeIndex node, const Boxed<NodeCards>& said) {
    const std::vector<ExtendedId> before = columns_.cards().resources(node);
    std::vector<ExtendedId> resources;
    if (said) {
        for (const std::string_view name : counted_resources(*said)) {
            resources.push_back(names().hold(std::string(name)));
        }
    }
    columns_.set_cards(node, said ? &*said : nullptr, resources);
    for (const ExtendedId name : before) names().release(name);
}

void NodeRoom::apply(const Allocation& allocation, bool taken) {
    const Demand& demand = amounts_.demand(allocation.resources);
    columns_.apply(demand, {allocation.node, allocation.count, allocation.used_by, taken});
    if (demand.wants_volumes) {
        index_.node_changed(allocation.node);  // a volume that is there is so to every view
        return;
    }
    // Our gangs' room shows in the free room alone, nobody's in what the node has.
    index_.node_changed(
        allocation.node, allocation.used_by == UsedBy::gang ? View::free : View::without_gangs);
}

/// What every node offers is short where somebody holds some, and nowhere else: no column.
void NodeRoom::know_devices(const Demand& demand, View view) const {
    for (const ExtendedDemand& wanted : demand.extended) {
        if (columns_.names().is_offered_by_all(wanted.id)) continue;
        index_.know_device(wanted.id, view, {columns_, nodes_.by_name()});
    }
}

}  // namespace core
