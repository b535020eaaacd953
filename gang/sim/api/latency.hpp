#pragma once
// The latency of the network between replicas and API servers.

#include "gang/sim/base/random.hpp"
#include "gang/sim/base/swarm.hpp"

#include <cstdint>

namespace gang::sim {

/// Of a request or an answer, one way.
inline std::int64_t draw_latency(const Plan& plan, Random& random) {
    return random.between(1, plan.latency_ms_max);
}

}  // namespace gang::sim
