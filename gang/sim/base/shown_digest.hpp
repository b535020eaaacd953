#pragma once
// A number over all that a scheduler shows: nobody decides by it, so no rule would notice that it is another.

#include "gang/scheduler.hpp"

#include <cstdint>

namespace gang::sim {

/// `turn`: one gang of those that are there is explained, another one each time.
std::uint64_t digest_of_shown(const Scheduler& scheduler, std::int64_t unix_ms, std::uint64_t turn);

}  // namespace gang::sim
