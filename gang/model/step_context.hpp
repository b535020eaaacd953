#pragma once
// What belongs to the step that is being taken: its time, the work that is left to it, what it has
// decided and counted.

#include "gang/counters.hpp"
#include "gang/decision.hpp"
#include "gang/model/timers.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace gang {

struct StepContext {
    std::int64_t now_ms = 0;
    std::int64_t work_left = 0;  ///< in units of work.hpp
    std::vector<Decision> decisions;
    Timers timers;
    Counters counters;
    std::int64_t idle_milli_ms = 0;  ///< cpu of open slots times time, while we lead

    /// A tick is wanted at this time (Unix ms), if there is one.
    void wake_at(std::optional<std::int64_t> time_ms) {
        if (time_ms) {
            timers.add(*time_ms);
        }
    }
};

}  // namespace gang
