#pragma once
// The status of a PodGroup object that is to be written, and what came of it: plain values.

#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"

#include <cstdint>
#include <string>

namespace k8s {

struct GroupStatusWrite {
    core::GroupDialect dialect = core::GroupDialect::coscheduling;
    std::string api_version;  ///< "scheduling.x-k8s.io/v1alpha1"
    std::string namespace_name;
    std::string name;
    std::string uid;  ///< precondition
    core::PodGroupStatus status;
};

enum class GroupStatusOutcome : std::uint8_t {
    written,
    others,     ///< 409: another field manager has other values there
    gone,       ///< 404, or another uid
    forbidden,  ///< 401/403
    refused,    ///< any other 4xx
    failed      ///< no answer, 429, 5xx: it may have been written
};

struct GroupStatusResult {
    GroupStatusOutcome outcome = GroupStatusOutcome::failed;
    std::string message;  ///< why not
};

}  // namespace k8s
