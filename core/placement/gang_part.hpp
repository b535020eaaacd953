#pragma once
// One executor shape of a gang while nodes are looked for.

#include "core/base/ids.hpp"
#include "core/cluster/capacities.hpp"
#include "core/placement/packing/position_count.hpp"

#include <cstdint>
#include <vector>

namespace core {

struct GangPart {
    std::size_t in_request = 0;  ///< its place among the request's executors
    ShapeId shape;
    std::int64_t wanted = 0;
    Capacities* capacities = nullptr;  ///< before anything is planned
    std::vector<PositionCount> placed;
    std::int64_t placed_count = 0;
};

}  // namespace core
