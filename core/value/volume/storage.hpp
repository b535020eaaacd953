#pragma once
// How much storage a CSI driver has left, and which nodes reach it (CSIStorageCapacity): where a
// volume of some size can be made. Each claim is judged by itself, as kube-scheduler's
// VolumeBinding does (1.37).

#include "core/value/claim.hpp"
#include "core/value/constraints.hpp"
#include "core/value/label_selector.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Storage for volumes of one class, on the nodes with some labels.
struct StorageSegment {
    std::string name;  ///< of its object, with the namespace; one of a kind
    std::string storage_class;
    LabelSelector nodes;      ///< not set: no node reaches it
    std::int64_t bytes = -1;  ///< of the largest volume that can be made; -1: nobody knows
    friend auto operator<=>(const StorageSegment&, const StorageSegment&) = default;
};

/// Where a volume of so many bytes can be made; without terms and labels: nowhere. All segments are
/// of one class.
VolumeNodes nodes_with_storage(const std::vector<const StorageSegment*>& segments, std::int64_t bytes);

/// True: the claim's volume is to be made by one who says how much storage is left. Where none can
/// be made it may get one that is there.
bool needs_storage(const Claim& claim);

/// Adds where a claim that needs storage gets a volume: on nodes with storage for it, and on those of
/// volumes that are there.
void add_storage_nodes(const Claim& claim, VolumeNodes with_storage, std::vector<VolumeNodes>& to);

}  // namespace core
