#pragma once
// A PodGroup's JSON, of any of the API groups that have one, becomes what scheduling asks of it.

#include "core/base/result.hpp"
#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k8s {

/// Where an API server may have the object: "/apis/GROUP/VERSION", the newest first.
/// scheduling.k8s.io: Kubernetes 1.37 (a cluster may serve either of two) and 1.36. Volcano's come
/// before kube-batch's, whose annotation it has kept.
std::vector<std::string_view> api_roots(core::GroupDialect dialect);

struct PodGroupObject {
    core::PodGroup group;
    std::string uid;
    std::string priority_class;   ///< not empty: its priority is that of this PriorityClass
    core::PodGroupStatus status;
};

/// `json` is the object, read in `api_version`. A minimum that is no sense is the group's problem,
/// not an error: an error says that this is no such object. What counts of it:
///   scheduling.k8s.io: policy (gang or basic), topology, priority, preemptionPolicy, disruptionMode;
///   the others: minMember, Volcano's minTaskMember, and minResources, queue and priority of those
///   that have them.
core::Result<PodGroupObject> decode_pod_group(
    core::GroupDialect dialect, std::string_view api_version, std::string json);

/// The value of a PriorityClass.
core::Result<std::int32_t> decode_priority_class(std::string json);

}  // namespace k8s
