#pragma once
// The shapes that pods ask for: each distinct pair of amounts and constraints once, counted.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/cluster/shape/classes.hpp"
#include "core/cluster/node/node_table.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace core {

class ShapeTable {
public:
    struct Interned {
        ShapeId id;
        bool is_new;  ///< the shape has taken over the caller's reference to the amounts
    };
    /// One reference to the number of this shape.
    Interned intern(ResourcesId amounts, const Constraints& constraints, const NodeTable& nodes);
    /// The same pods, for which there are these nodes alone; `reasons` say why not the others, and
    /// `scores` which of them are better. To be given back like any shape, before a node comes,
    /// changes or goes. It has taken over a reference to the shape's amounts.
    ShapeId restrict(
        ShapeId shape, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores);
    /// The amounts whose reference the caller has got; nothing: somebody still holds the shape.
    std::optional<ResourcesId> release(ShapeId shape);

    /// The shape that was restricted; nothing: it is none, or is not held any more.
    std::optional<ShapeId> find_unrestricted(ShapeId shape) const;
    ResourcesId amounts_of(ShapeId shape) const { return shapes_[shape].amounts; }
    ClassId class_of(ShapeId shape) const { return shapes_[shape].constraint_class; }
    const Constraints& constraints(ShapeId shape) const {
        return classes_.constraints(class_of(shape));
    }
    /// By position: labels, taints, cordon, readiness; room is not looked at.
    const NodeBitmap& eligible(ShapeId shape) const { return classes_.eligible(class_of(shape)); }
    const ConstraintClasses& classes() const { return classes_; }

    /// A node came there, or what filters look at has changed.
    void node_came(std::size_t position, const Node& node);
    void node_changed(std::size_t position, const Node& node) {
        classes_.filter_all(position, node);
    }
    void node_went(std::size_t position) { classes_.node_went(position); }
    /// What is derived of nodes is to be made anew.
    void forget_derived() { classes_.forget_derived(); }

    std::size_t size() const { return shapes_.size(); }
    /// Of shapes, whose owners are outside.
    std::uint64_t references() const { return shapes_.references(); }
    friend bool operator==(const ShapeTable&, const ShapeTable&) = default;

private:
    struct Shape {
        ResourcesId amounts;
        ClassId constraint_class;
        friend auto operator<=>(const Shape&, const Shape&) = default;
    };

    Interner<Shape, ShapeId> shapes_;
    ConstraintClasses classes_;
};

}  // namespace core
