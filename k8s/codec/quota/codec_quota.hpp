#pragma once
// Lists of ResourceQuotas and LimitRanges become what admission by quota of pods looks at.

#include "core/base/result.hpp"
#include "core/value/quota/namespace_quotas.hpp"

#include <string>
#include <vector>

namespace k8s {

/// Reads a ResourceQuotaList (v1). What is enforced stands in status.hard; what spec.hard has beside
/// it will be. Left out: quotas that are never about Spark executors (scopes Terminating, BestEffort
/// and CrossNamespacePodAffinity). An error: no such list, or an amount that is no quantity.
core::Result<std::vector<core::ResourceQuota>> decode_resource_quotas(std::string json);

/// Reads a LimitRangeList (v1): types Container and Pod. Defaults that an item does not name follow
/// from its others, as the API server's defaulting has them.
core::Result<std::vector<core::LimitBounds>> decode_limit_ranges(std::string json);

}  // namespace k8s
