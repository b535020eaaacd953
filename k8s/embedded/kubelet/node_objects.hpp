#pragma once
// The objects by which a simulated kubelet shows its node.

#include "core/value/constraints.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <string>

namespace k8s::embedded {

struct NodeSpec {
    std::string name;
    std::string address;  ///< internal IP
    std::string cpu;      ///< quantity
    std::string memory;   ///< quantity
    int pods = 110;
    core::StringMap resources = {};  ///< others, quantities by name
    core::StringMap annotations = {};
};

/// The Node as a kubelet registers it: labels, capacity, Ready, addresses, nodeInfo. `now` is a
/// metav1.Time.
Json make_node(const NodeSpec& spec, const std::string& now);

/// The node's Lease in kube-node-lease; `now` is a metav1.MicroTime.
Json make_node_lease(const std::string& node, const std::string& now);

}  // namespace k8s::embedded
