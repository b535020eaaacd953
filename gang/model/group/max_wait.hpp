#pragma once
// For how long a member of a pod group, or a pod of no group, is to wait at most.

#include "core/value/pod.hpp"
#include "gang/model/group/pod_groups.hpp"

#include <cstdint>
#include <optional>

namespace gang {

/// What the object of its group says has the first word, then the pod. Nothing: neither says it so that
/// it can be read. `group` may be nullptr.
std::optional<std::int64_t> max_wait_ms_of(const PodGroup* group, const core::Pod& pod);

}  // namespace gang
