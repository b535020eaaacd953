#pragma once
// What is known of the comparisons with fresh lists: the daemon keeps it, the reports show it.

#include "gang/drift.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang::app {

struct ConsistencyStatus {
    std::uint64_t runs = 0;      ///< that have come to a verdict
    std::uint64_t failures = 0;  ///< that have not: the API server did not list
    std::uint64_t drift_total = 0;
    bool is_running = false;
    std::int64_t last_ms = 0;  ///< Unix time of the last verdict, 0: none yet
    std::string problem;       ///< of the last attempt, if it came to no verdict
    std::vector<Drift> drift;  ///< what the last verdict found
};

}  // namespace gang::app
