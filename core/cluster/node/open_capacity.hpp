#pragma once
// Where pods could go if every closed node were open (is_closed()).

#include "core/cluster/cluster.hpp"

#include <cstdint>

namespace core {

/// Of pods of one shape.
struct OpenCapacity {
    std::int64_t nodes = 0;   ///< that would take the shape, room aside
    std::int64_t pods = 0;    ///< for which there is room on them
    std::int64_t closed = 0;  ///< of these pods, on nodes that are closed now
    friend bool operator==(const OpenCapacity&, const OpenCapacity&) = default;
};

/// Looks at every node.
OpenCapacity capacity_if_open(const Cluster& cluster, ShapeId shape, View view);

}  // namespace core
