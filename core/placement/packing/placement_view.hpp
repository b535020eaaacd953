#pragma once
// The cluster as one placement sees it: one view of the free capacity, without the nodes that are
// excluded. Nodes are named by position in the order of their names.

#include "core/cluster/capacities.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/cluster.hpp"
#include "core/cluster/scan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

class PlacementView {
public:
    /// The cluster must not change as long as the view is asked.
    void begin(
        const Cluster& cluster,
        View view,
        const std::vector<NodeIndex>& excluded,
        CardChoice card_choice);

    const Cluster& cluster() const { return *cluster_; }
    const FreeCapacity& free_capacity() const { return *free_capacity_; }
    const FreeColumns& columns() const { return *columns_; }
    View view() const { return columns_->view; }
    /// Which card of a node a pod's units are taken from.
    CardChoice card_choice() const { return card_choice_; }

    std::size_t size() const { return order_.size(); }
    NodeIndex node_at(Position position) const { return order_[position]; }
    bool is_excluded(Position position) const {
        return !excluded_positions_.empty() && excluded_.test(position);
    }
    std::span<const Position> excluded() const { return excluded_positions_; }

    const Demand& demand(ShapeId shape) const { return cluster_->demand(shape); }
    /// Nodes that the shape may go to, room aside; excluded ones are among them.
    const NodeBitmap& eligible(ShapeId shape) const { return cluster_->shapes().eligible(shape); }
    /// Of these the nodes of a block that are not excluded, as bits.
    std::uint64_t usable(const NodeBitmap& eligible, std::size_t block) const {
        return eligible.word(block) & ~(excluded_positions_.empty() ? 0 : excluded_.word(block));
    }
    ScanSource source(ShapeId shape) const {
        return {*free_capacity_, *columns_, order_, demand(shape), eligible(shape)};
    }

private:
    const Cluster* cluster_ = nullptr;
    std::span<const NodeIndex> order_;
    const FreeCapacity* free_capacity_ = nullptr;
    std::optional<FreeColumns> columns_;
    CardChoice card_choice_ = CardChoice::least_left;
    NodeBitmap excluded_;
    std::vector<Position> excluded_positions_;
};

// Resources of a demand are numbered: those of plain_resources, then its extended ones in their
// order.

inline std::size_t resource_count(const Demand& demand) {
    return plain_resources + demand.extended.size();
}
std::int64_t request_of(const Demand& demand, std::size_t resource);
/// None: it is no extended resource.
inline ExtendedId extended_id(const Demand& demand, std::size_t resource) {
    return resource < plain_resources ? ExtendedId{}
                                      : demand.extended[resource - plain_resources].id;
}
/// Kubernetes' name.
std::string_view resource_name(const PlacementView& view, ShapeId shape, std::size_t resource);

// What is left for pods of a shape beside one of another, while nothing is planned.

/// `other` must fit at the position, and the shape be eligible there.
std::int64_t capacity_beside(
    const PlacementView& view, Position position, ShapeId shape, ShapeId other);

/// For each node of a block how many pods of the shape one pod of `other` displaces; says something
/// only where `other` fits. The shape's capacities are given.
std::array<std::int32_t, block_size> losses_beside(
    const PlacementView& view,
    std::size_t block,
    ShapeId shape,
    const Capacities& capacities,
    ShapeId other);

}  // namespace core
