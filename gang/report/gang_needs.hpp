#pragma once
// How large a gang is, in all.

#include "core/cluster/cluster.hpp"
#include "core/value/resources.hpp"
#include "gang/model/application.hpp"

#include <cstdint>

namespace gang {

struct GangNeeds {
    std::int64_t executors = 0;  ///< declared
    core::Resources total;       ///< of the driver and of these, as far as it is known; clamped
};

GangNeeds needs_of(const core::Cluster& cluster, const Application& app);

}  // namespace gang
