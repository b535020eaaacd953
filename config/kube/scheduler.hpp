#pragma once
// The body of a KubeSchedulerConfiguration: componentconfig/v1alpha1 and
// kubescheduler.config.k8s.io/v1alpha1, which name a policy, and kubescheduler.config.k8s.io/v1,
// which has profiles.

#include "config/kube/notes.hpp"
#include "config/loader.hpp"

#include <optional>

namespace config::kube {

struct SchedulerFile {
    Schema schema;
    const Tree* policy_path = nullptr;  ///< policy.file.path
    std::optional<PolicyMap> policy_map;
};

SchedulerFile read_v1alpha1(const Tree& document, Notes& notes);
SchedulerFile read_v1(const Tree& document, Notes& notes);

}  // namespace config::kube
