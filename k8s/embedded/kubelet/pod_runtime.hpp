#pragma once
// What a kubelet reads from a pod and writes into its status. Pure: JSON in, JSON out.

#include "k8s/embedded/kubelet/referee.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace k8s::embedded {

/// The annotation that says how long a pod runs: seconds, or "forever" (until it is deleted or
/// told).
inline constexpr const char* run_seconds_annotation = "embedded.gang-scheduler/run-seconds";

/// How long a pod runs in milliseconds; nothing: until it is told or deleted. Executors (pods whose
/// controller is a pod) run until their driver ends.
std::optional<std::int64_t> run_time_ms(const Json& pod, std::int64_t default_ms);

/// Config maps without which the pod's containers cannot be made.
std::vector<std::string> needed_config_maps(const Json& pod);

/// uid of the pod that owns this one; empty without one.
std::string owner_pod_uid(const Json& pod);

/// Where and when a pod runs, for its status.
struct Sojourn {
    std::string host_ip;
    std::string pod_ip;
    std::string started;  ///< metav1.Time; of the containers
    std::string now;      ///< metav1.Time
};

/// Patches of the status subresource (strategic merge), guarded by the pod's uid.
Json creating_patch(const Json& pod, const Sojourn& sojourn);
Json running_patch(const Json& pod, const Sojourn& sojourn);
Json ended_patch(const Json& pod, const Sojourn& sojourn, int exit_code);
Json refused_patch(const Json& pod, const Sojourn& sojourn, const Refusal& refusal);

}  // namespace k8s::embedded
