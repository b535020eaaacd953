#include "core/score/device_fit.hpp"

#include <algorithm>

namespace core {

std::int64_t gpu_bestfit(const NodeLoad& load) {
    // No overflow: neither is negative.
    return score_max + std::min<std::int64_t>(load.devices.after() - load.devices.allocatable, 0);
}

std::int64_t most_requested(const NodeLoad& load) {
    return load.devices.requested;
}

std::int64_t gpu_metrics(const NodeLoad& load) {
    return load.gpu_score;
}

}  // namespace core
