#pragma once
// One view of a cluster: nodes, what is taken on them and by whom, and the shapes that pods ask
// for. Owned by the scheduler, changed by events only; placement reads it, a Trial changes it for a
// while.

#include "core/base/ids.hpp"
#include "core/base/pod_table.hpp"
#include "core/cluster/allocation/allocations.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/capacity_cache.hpp"
#include "core/cluster/shape/shape_table.hpp"
#include "core/value/node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class Cluster {
public:
    // --- nodes ---------------------------------------------------------------------------------
    /// Idempotent. False: nothing that scheduling sees has changed.
    bool upsert_node(const Node& node);
    /// Its allocations stay until their pods go. False: it was not there.
    bool remove_node(std::string_view name);
    /// Any node, known or not: an unknown name gets a placeholder.
    NodeIndex node_or_placeholder(std::string_view name) {
        return allocations_.room().node_or_placeholder(name);
    }
    const NodeTable& nodes() const { return room().nodes(); }
    /// Its place in the order of names; no_position of a node that is not present.
    Position position_of(NodeIndex node) const { return room().position_of(node); }
    /// See NodeTable::set_scarce().
    void set_scarce(std::vector<std::string> names) {
        allocations_.room().nodes().set_scarce(std::move(names));
    }
    /// See NodeRoom::set_headroom().
    void set_headroom(const Headroom& headroom) { allocations_.room().set_headroom(headroom); }

    // --- shapes --------------------------------------------------------------------------------
    /// The number of this shape. Counted: to be given back by release_shape() once per call.
    ShapeId intern_shape(const Resources& resources, const Constraints& constraints);
    /// See ShapeTable::restrict().
    ShapeId restrict_shape(
        ShapeId shape, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores = {});
    /// True: nobody holds it any more, and its number may come to mean another shape.
    bool release_shape(ShapeId shape);
    const ShapeTable& shapes() const { return shapes_; }
    const Resources& resources(ShapeId shape) const {
        return room().amounts()[shapes_.amounts_of(shape)];
    }
    /// The shape's resources with extended names as numbers, as the columns want them.
    const Demand& demand(ShapeId shape) const {
        return room().amounts().demand(shapes_.amounts_of(shape));
    }

    // --- room ----------------------------------------------------------------------------------
    /// Who has taken room; of resources that are no shape's, room is taken there.
    const Allocations& allocations() const { return allocations_; }
    Allocations& allocations() { return allocations_; }
    /// Takes room for pods of one shape, see Allocations::allocate().
    AllocationId allocate(
        NodeIndex node,
        ShapeId shape,
        UsedBy used_by,
        std::uint32_t count = 1,
        CardChoice choice = CardChoice::least_left) {
        return allocations_.allocate(node, shapes_.amounts_of(shape), used_by, count, choice);
    }
    const NodeRoom& room() const { return allocations_.room(); }
    const NodeColumns& columns() const { return room().columns(); }
    const ExtendedNames& extended_names() const { return columns().names(); }

    /// Counts a bound pod that is not terminal on its node (deleting ones too). Idempotent; a
    /// changed node, amount or user replaces the earlier one. A placeholder is made for an unknown
    /// node.
    void upsert_pod(
        std::string_view uid,
        std::string_view node,
        const Resources& resources,
        UsedBy used_by,
        const CardUse& cards = {});
    /// The pod ended, was deleted, or is allocated by a slot from now on. False: it was not
    /// counted.
    bool remove_pod(std::string_view uid);
    /// The pod is not counted by itself any more; its room is the caller's, who releases it.
    /// Nothing: it was not counted.
    std::optional<AllocationId> take_pod(std::string_view uid) { return pods_.take(uid); }
    /// Pods that are counted by themselves.
    const PodTable& pods() const { return pods_; }

    /// How many pods of this shape the node takes: min over resources of floor(room / request), 0
    /// if not eligible. The headroom stays free.
    std::int64_t capacity(NodeIndex node, ShapeId shape, View view) const;
    /// How many of a shape each node takes, as far as that is kept. Whoever refreshes it, and sets
    /// something, leaves it as found.
    CapacityCache& capacity_cache() const { return capacity_cache_; }

    /// Exact, internal free lists included: for tests of roll back and replay.
    friend bool operator==(const Cluster&, const Cluster&) = default;

private:
    Allocations allocations_;
    ShapeTable shapes_;
    PodTable pods_;
    mutable CapacityCache capacity_cache_;  ///< derived from the room
};

/// Labels, taints, cordon, readiness: room is not looked at.
bool is_eligible(const Cluster& cluster, NodeIndex node, ShapeId shape);
/// As Cluster::capacity(), with the headroom used up: for what had its room before.
std::int64_t capacity_in_all(const Cluster& cluster, NodeIndex node, ShapeId shape, View view);

}  // namespace core
