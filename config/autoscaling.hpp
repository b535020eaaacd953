#pragma once
// How an autoscaler hears of the executors that a waiting gang will need
// (docs/manage/autoscaling.md).

#include <cstdint>

namespace config {

enum class AutoscalingMode : std::uint8_t {
    none,
    capacity_buffer,      ///< "capacityBuffer": CapacityBuffer, for Karpenter and cluster-autoscaler
    provisioning_request  ///< "provisioningRequest": ProvisioningRequest, for cluster-autoscaler
};

struct Autoscaling {
    AutoscalingMode mode = AutoscalingMode::none;
    friend bool operator==(const Autoscaling&, const Autoscaling&) = default;
};

}  // namespace config
