#pragma once
// The status of a PodGroup object that is to be written: a plain value.

#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"

#include <string>

namespace k8s {

struct GroupStatusWrite {
    core::GroupDialect dialect = core::GroupDialect::coscheduling;
    std::string api_version;  ///< "scheduling.x-k8s.io/v1alpha1"
    std::string namespace_name;
    std::string name;
    std::string uid;               ///< precondition
    std::string resource_version;  ///< likewise; empty: whatever it is
    bool is_forced = false;        ///< what another field manager has set is set anew
    core::PodGroupStatus status;
};

}  // namespace k8s
