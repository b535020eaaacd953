#pragma once
// kube-scheduler's extender protocol (its v1 types) as text: requests read, answers written.
//
// The types carry no JSON names: keys are written in PascalCase, and read in any case. The objects
// inside are ordinary v1 ones. A request may hold thousands of whole Node objects: of those only
// the names are read, and where they stand, so that an answer can copy them.

#include "core/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// ExtenderArgs: what filter and prioritize are asked. Views are of the request's text.
struct ExtenderArgs {
    std::string_view pod;  ///< a v1 Pod
    std::vector<std::string> nodes;
    /// The v1 Nodes of these names, unless only names came (nodeCacheCapable).
    std::vector<std::string_view> objects = {};
    bool has_names_alone = true;
};
core::Result<ExtenderArgs> read_extender_args(const std::string& body);

/// Which nodes passed, of those asked about, and why the others did not.
struct FilterAnswer {
    std::vector<std::string> passed;
    std::string message;
};
std::string filter_result(const ExtenderArgs& asked, const FilterAnswer& answer);
/// kube-scheduler counts that as a failure, and tries the pod again within seconds.
std::string filter_error(std::string_view why);

/// HostPriorityList: a score from 0 to 10 for each node.
struct HostScore {
    std::string host;
    std::int64_t score = 0;
};
std::string host_priorities(const std::vector<HostScore>& scores);

/// ExtenderBindingArgs.
struct BindingArgs {
    std::string pod_name;
    std::string pod_namespace;
    std::string pod_uid;
    std::string node;
};
core::Result<BindingArgs> read_binding_args(const std::string& body);
/// Without an error: the pod is bound.
std::string binding_result(std::string_view error);

/// Of one node: the pods that would have to go.
struct Victims {
    std::string node;
    std::vector<std::string> uids;
    std::int64_t pdb_violations = 0;
};
/// ExtenderPreemptionArgs; whole pods or uids alone, what is read of victims is the same.
struct PreemptionArgs {
    std::string_view pod;  ///< who would come instead: a v1 Pod, a part of the request's text
    std::vector<Victims> victims;
};
core::Result<PreemptionArgs> read_preemption_args(const std::string& body);
/// Always uids alone.
std::string preemption_result(const std::vector<Victims>& left);

}  // namespace gang::app
