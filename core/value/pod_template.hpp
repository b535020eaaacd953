#pragma once
// An executor pod template as far as scheduling sees it: made by the codec from what a user wrote,
// laid under Spark's own values by the sizing. `*_json` members are the template's own subtrees as
// compact JSON (empty if absent), carried along unread so that `size` can print them.

#include "core/value/constraints.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/pod.hpp"
#include "core/value/pod_rules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// What a template's container says beyond its requests.
struct TemplateContainer {
    std::optional<std::int64_t> cpu_limit_milli;
    std::optional<std::int64_t> memory_limit_bytes;
    std::vector<HostPort> host_ports;
    std::string image = {};  ///< its full name; empty: none
    friend bool operator==(const TemplateContainer&, const TemplateContainer&) = default;
};

struct PodTemplate {
    PodRequests requests;
    std::vector<TemplateContainer> containers;  ///< one for each of requests.containers
    std::vector<HostPort> sidecar_ports;        ///< of init containers with restartPolicy Always
    std::vector<InTreeDisk> disks;
    Constraints constraints;
    /// A term that means the pod's own namespace names "". Rules that speak of the pod's own labels
    /// (matchLabelKeys) are left out: Spark has yet to add most of them.
    std::optional<PodRules> rules;
    StringMap labels;
    bool host_network = false;
    std::string scheduler_name;
    std::string node_name;  ///< not empty: pods that no scheduler is asked about
    std::string priority_class_name;
    std::string preemption_policy;
    std::string runtime_class_name;
    std::string affinity_json;
    std::string topology_spread_json;
    /// Those that may bind a pod to some of the nodes; what every node has (emptyDir, config maps,
    /// paths of the host, NFS) is left out.
    std::string volumes_json;
    std::string scheduling_gates_json;
    friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

}  // namespace core
