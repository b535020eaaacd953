#pragma once
// One allocation: room taken on a node.

#include "core/base/ids.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/node_columns.hpp"

#include <cstdint>

namespace core {

/// Room taken on one node by `count` pods that are alike. Twelve bytes: there is one of each pod.
struct Allocation {
    static constexpr std::uint32_t count_max = pod_slots_max;

    Allocation() = default;
    Allocation(NodeIndex on, ResourcesId of, std::uint32_t pods, UsedBy by)
        : node(on), resources(of), count(pods & count_max), used_by(by) {}

    NodeIndex node;
    ResourcesId resources;
    std::uint32_t count : 31 = 1;
    UsedBy used_by : 1 = UsedBy::other_scheduler;
    friend bool operator==(const Allocation&, const Allocation&) = default;
};

}  // namespace core
