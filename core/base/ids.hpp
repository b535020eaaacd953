#pragma once
// Small numbers in place of names and values: 32 bits, one type per kind, so that a node's number
// cannot be taken for a shape's.

#include <compare>
#include <cstdint>

namespace core {

template <typename Tag>
struct Id {
    std::uint32_t value = UINT32_MAX;  ///< UINT32_MAX: none
    bool is_none() const { return value == UINT32_MAX; }
    friend auto operator<=>(const Id&, const Id&) = default;
};

/// A node's place in the cluster's arrays. Stable while the node is present or anything is
/// allocated on it; afterwards the number may go to a node of another name.
using NodeIndex = Id<struct NodeTag>;
/// A distinct amount of resources.
using ResourcesId = Id<struct ResourcesTag>;
/// A distinct set of constraints, with the bitmap of the nodes that satisfy it.
using ClassId = Id<struct ClassTag>;
/// What one pod asks: resources and constraints.
using ShapeId = Id<struct ShapeTag>;
/// Room taken on a node: a token to be given back exactly once.
using AllocationId = Id<struct AllocationTag>;
/// The name of a container image.
using ImageId = Id<struct ImageTag>;
/// The name of an extended resource.
using ExtendedId = Id<struct ExtendedTag>;
/// A node label whose values make domains.
using TopologyKeyId = Id<struct TopologyKeyTag>;
/// One value of such a label: the nodes that have it.
using DomainId = Id<struct DomainTag>;
/// A distinct selection of pods, by namespace and labels.
using SelectionId = Id<struct SelectionTag>;
/// What pods of one namespace ask of other pods.
using RulesId = Id<struct RulesTag>;

}  // namespace core
