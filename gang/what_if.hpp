#pragma once
// "Would a gang of this size fit?": a question about a gang that does not exist, and its answer.

#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gang {

struct WhatIf {
    core::Resources driver;
    core::Resources executor;
    std::int64_t executors = 0;
    core::Constraints constraints;  ///< of the driver and of every executor
};

/// The gang beside what is bound and held now, and on the same nodes if they were empty. Room alone
/// is looked at: no queue, no quota, no rule between pods.
struct WhatIfAnswer {
    bool fits_now = false;
    bool fits_empty = false;
    std::int64_t executors_fit_now = 0;    ///< beside the driver, of those asked for
    std::int64_t executors_fit_empty = 0;  ///< alike
    std::string now;    ///< why it does not fit now, in the words of a condition; empty: it does
    std::string empty;  ///< why not even empty nodes are enough; empty: they are
    std::int64_t waiting = 0;  ///< gangs that are in line already
    std::string driver_node;   ///< where the driver would go; empty: it does not fit now
    std::vector<std::pair<std::string, std::int64_t>> executors_per_node;  ///< by node, alike
};

}  // namespace gang
