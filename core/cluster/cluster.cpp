#include "core/cluster/cluster.hpp"

#include <utility>

namespace core {

bool Cluster::upsert_node(const Node& node) {
    const NodeRoom::Put put = allocations_.room().put_node(node);
    if (put.images_changed) shapes_.forget_derived();
    if (put.came_at) {
        shapes_.node_came(*put.came_at, nodes().node(put.node));
    } else if (put.filters_changed) {
        shapes_.node_changed(position_of(put.node), nodes().node(put.node));
    }
    return put.room_changed || put.filters_changed || put.images_changed;
}

bool Cluster::remove_node(std::string_view name) {
    const std::optional<NodeIndex> node = nodes().find(name);
    if (!node) return false;
    shapes_.node_went(allocations_.room().remove_node(*node));
    return true;
}

ShapeId Cluster::intern_shape(const Resources& resources, const Constraints& constraints) {
    NodeRoom& room = allocations_.room();
    const ResourcesId amounts = room.intern(resources);
    const ShapeTable::Interned shape = shapes_.intern(amounts, constraints, nodes());
    if (!shape.is_new) room.release(amounts);  // the shape holds them already
    return shape.id;
}

ShapeId Cluster::restrict_shape(
    ShapeId shape, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores) {
    allocations_.room().retain(shapes_.amounts_of(shape));
    return shapes_.restrict(shape, std::move(nodes), std::move(reasons), std::move(scores));
}

bool Cluster::release_shape(ShapeId shape) {
    const std::optional<ResourcesId> amounts = shapes_.release(shape);
    if (!amounts) return false;
    capacity_cache_.forget(shape);
    allocations_.room().release(*amounts);
    return true;
}

void Cluster::upsert_pod(
    std::string_view uid,
    std::string_view node,
    const Resources& resources,
    UsedBy used_by,
    const CardUse& cards) {
    const std::optional<AllocationId> known = pods_.find(uid);
    if (known && nodes().name(allocations_.of(*known).node) == node) {
        allocations_.reallocate(*known, resources, used_by, cards);
        return;
    }
    if (known) remove_pod(uid);
    pods_.insert(uid, allocations_.allocate(node_or_placeholder(node), resources, used_by, cards));
}

bool Cluster::remove_pod(std::string_view uid) {
    const std::optional<AllocationId> known = pods_.take(uid);
    if (!known) return false;
    allocations_.release(*known);
    return true;
}

std::int64_t Cluster::capacity(NodeIndex node, ShapeId shape, View view) const {
    if (!is_eligible(*this, node, shape)) return 0;
    return capacity_of({columns(), view, room().headroom()}, node, demand(shape));
}

bool is_eligible(const Cluster& cluster, NodeIndex node, ShapeId shape) {
    const Position position = cluster.position_of(node);
    return position != no_position && cluster.shapes().eligible(shape).test(position);
}

std::int64_t capacity_in_all(const Cluster& cluster, NodeIndex node, ShapeId shape, View view) {
    if (!is_eligible(cluster, node, shape)) return 0;
    return capacity_of({cluster.columns(), view}, node, cluster.demand(shape));
}

}  // namespace core
