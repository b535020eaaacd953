#pragma once
// The persistent volume claims that the conf mounts into every executor
// (spark.kubernetes.executor.volumes.*): they may bind an executor to a zone or a node.

#include "core/base/result.hpp"
#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/version.hpp"

#include <vector>

namespace gang::spark {

/// Sorted by volume. An error: what makes the driver fail when it builds an executor (an unknown
/// type of volume, no mount path, no claim name).
core::Result<std::vector<VolumeClaim>> volume_claims(const ConfView& conf, Version version);

}  // namespace gang::spark
