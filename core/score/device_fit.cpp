#include "core/score/device_fit.hpp"

namespace core {

std::int64_t gpu_bestfit(const NodeLoad& load) {
    return load.devices.after() - load.devices.allocatable;  // no overflow: neither is negative
}

std::int64_t most_requested(const NodeLoad& load) {
    return load.devices.requested;
}

}  // namespace core
