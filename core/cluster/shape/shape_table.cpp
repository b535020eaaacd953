#include "core/cluster/shape/shape_table.hpp"

namespace core {

ShapeTable::Interned ShapeTable::intern(
    ResourcesId amounts, const Constraints& constraints, const NodeTable& nodes) {
    const auto constraint_class = classes_.intern(constraints);
    if (constraint_class.is_new) {
        for (std::size_t i = 0; i < nodes.count(); ++i) {
            classes_.filter(constraint_class.id, i, nodes.node(nodes.by_name()[i]));
        }
    }
    const auto shape = shapes_.intern({amounts, constraint_class.id});
    if (!shape.is_new) classes_.release(constraint_class.id);  // the shape holds it already
    return {shape.id, shape.is_new};
}

ShapeId ShapeTable::restrict(
    ShapeId id, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores) {
    const Shape shape = shapes_[id];
    const ClassId restricted = classes_.restrict(
        shape.constraint_class, std::move(nodes), std::move(reasons), std::move(scores));
    return shapes_.intern({shape.amounts, restricted}).id;
}

std::optional<ResourcesId> ShapeTable::release(ShapeId id) {
    const Shape shape = shapes_[id];
    if (!shapes_.release(id)) return std::nullopt;
    classes_.release(shape.constraint_class);
    return shape.amounts;
}

std::optional<ShapeId> ShapeTable::find_unrestricted(ShapeId id) const {
    const Shape shape = shapes_[id];
    if (!ConstraintClasses::is_restricted(shape.constraint_class)) return std::nullopt;
    return shapes_.find({shape.amounts, classes_.unrestricted(shape.constraint_class)});
}

void ShapeTable::node_came(std::size_t position, const Node& node) {
    classes_.node_came(position);
    classes_.filter_all(position, node);
}

}  // namespace core
