#pragma once
// The configuration that operators have written for the schedulers of a world, drawn by its seed.

#include "config/schema.hpp"
#include "gang/sim/base/swarm.hpp"

#include <cstdint>

namespace gang::sim {

/// In a world with queues: how often the schedulers' file is another one during the faults.
inline constexpr std::uint32_t other_files = 3;

/// `file`: 0 is that of the start, and of the calm; the others differ from it in their queues.
config::Schema schema_of_file(const Plan& plan, std::uint32_t file);
inline config::Schema original_schema(const Plan& plan) {
    return schema_of_file(plan, 0);
}

}  // namespace gang::sim
