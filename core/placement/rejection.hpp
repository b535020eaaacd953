#pragma once
// From a placement that did not work out to the numbers and words that say why.

#include "core/placement/packing/packing.hpp"
#include "core/placement/placement.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// What a gang asked for and what of it could be planned.
struct Shortfall {
    struct Part {
        ShapeId shape;
        std::int64_t wanted = 0;
        std::int64_t placed = 0;
    };
    std::optional<ShapeId> driver;
    bool driver_fits = false;
    std::vector<Part> executors;

    bool is_none() const {
        return (!driver || driver_fits) &&
               std::all_of(executors.begin(), executors.end(), [](const Part& part) {
                   return part.placed == part.wanted;
               });
    }
};

/// `packing` still holds everything that could be planned; or all but the pods of the first part,
/// of which each node takes as many as `filled` says.
Rejection make_rejection(
    const Packing& packing, const Shortfall& shortfall, const Capacities* filled = nullptr);

/// The order in which shapes are packed: by the largest share of what the cluster has of a
/// resource.
bool is_larger(const Cluster& cluster, ShapeId a, ShapeId b);

}  // namespace core
