#pragma once
// Gangs as the API server alone shows them: reservations in annotations, reasons in conditions,
// executors by their owner. This is what `gangs` and `why` know on a laptop without the daemon.
// Positions and the numbers behind a reason are the daemon's; the size of a gang that waits is
// what its condition says.

#include "core/base/result.hpp"
#include "core/value/pod.hpp"
#include "gang/explain.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// A reservation that claims more slots is not one; where it is only shown, no config bounds it.
inline constexpr std::int64_t shown_slots_max = 1'000'000;

struct PodQuestion {
    std::vector<std::string> scheduler_names;  ///< which pods are ours
    std::string namespace_name;                ///< empty: all
};

/// Live gangs, waiting ones first, oldest first; single pods only while they wait. Executors of a
/// waiting Spark gang are executors_unknown (json_text.hpp).
std::vector<GangView> gangs_from_pods(
    const std::vector<core::Pod>& pods, const PodQuestion& question);

/// By pod name, namespace/name, uid or application id. An error says that nothing or more than one
/// thing has this name, or that the pod belongs to another scheduler.
core::Result<Explanation> explain_from_pods(
    const std::vector<core::Pod>& pods, const PodQuestion& question, std::string_view pod_or_app);

}  // namespace gang::app
