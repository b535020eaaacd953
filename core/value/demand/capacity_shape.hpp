#pragma once
// Pods that are alike and that nobody has created yet, as an autoscaler is asked to make room for
// them.

#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"

#include <cstdint>

namespace core {

struct CapacityShape {
    Resources requests;  ///< of each pod; wishes that only this scheduler understands are left out
    Constraints constraints;
    std::int64_t count = 0;  ///< of pods, the ones that would fit now included
    friend bool operator==(const CapacityShape&, const CapacityShape&) = default;
};

}  // namespace core
