#pragma once
// A node as far as scheduling sees it.

#include "core/base/boxed.hpp"
#include "core/value/constraints.hpp"
#include "core/value/device/cards.hpp"
#include "core/value/image/node_images.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

struct Node {
    std::string name;
    std::string uid;
    std::string resource_version;  ///< opaque
    Resources allocatable;
    std::int64_t pods = 0;  ///< allocatable["pods"]
    Boxed<NodeCards> cards;  ///< few nodes say something of theirs
    /// Not set: nobody told of them, and what is known of them stays. A cluster counts them by
    /// itself, and keeps none here.
    Boxed<NodeImages> images;
    StringMap labels;
    std::int64_t cost = 0;   ///< of nodes that will do, the cheapest are filled first
    std::vector<Taint> taints;
    bool is_scarce = false;      ///< offers what few nodes have: filled last with pods that want none
    bool unschedulable = false;  ///< cordoned
    bool ready = false;          ///< condition Ready is True
    /// Never the API server's word: the scheduler's own, while the kubelet refuses what should fit.
    bool is_quarantined = false;
    bool refuses_host_ports = false;  ///< alike, for pods that ask for some
    /// Nor this: how good its GPUs are beside those of other nodes, 0 to 100, by their metrics.
    std::int16_t gpu_score = 0;
    friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace core
