#pragma once
// Persistent volume claims as far as scheduling sees them: what a pod mounts, and what the API
// server says of a claim, its volume and its storage class. Names and rules are kube-scheduler's
// (VolumeBinding, VolumeZone, VolumeRestrictions, 1.37).

#include "core/value/constraints.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// A claim of the pod's own namespace that one of its volumes mounts.
struct ClaimUse {
    std::string name;
    /// An ephemeral volume's: the control plane makes it for the pod, which owns it.
    bool is_ephemeral = false;
    friend auto operator<=>(const ClaimUse&, const ClaimUse&) = default;
};

enum class ClaimState : std::uint8_t {
    bound,      ///< it has a volume
    immediate,  ///< it waits for a volume, whoever uses it
    consumer,   ///< its volume is made when a node was chosen (WaitForFirstConsumer)
    lost        ///< its volume is gone
};

/// A volume that is there and belongs to nobody, which the claim may have.
struct AvailableVolume {
    std::string name;
    std::vector<NodeSelectorTerm> terms;  ///< of its nodes, any of them; none: all nodes
    friend auto operator<=>(const AvailableVolume&, const AvailableVolume&) = default;
};

/// One claim with all that was found behind it.
struct Claim {
    std::string uid;
    ClaimState state = ClaimState::immediate;
    std::string volume;         ///< name of the persistent volume; empty: none
    std::string storage_class;  ///< empty: none
    bool is_deleting = false;
    bool one_pod = false;       ///< access mode ReadWriteOncePod
    std::string selected_node;  ///< annotation volume.kubernetes.io/selected-node; empty: none
    std::string owner_uid;      ///< its controller's; empty: none
    /// Who attaches its volume to a node, or would (volume/volume_limits.hpp); empty: no driver.
    std::string driver;
    std::string handle;  ///< the driver's name of the volume; empty: there is none yet
    std::int64_t bytes = 0;  ///< that it asks for
    /// Without a volume: those that will do, the smallest first. Else one is made, if that is done
    /// for claims of its class.
    std::vector<AvailableVolume> available;
    bool is_never_made = false;
    /// Who makes it says how much storage is left (CSIDriver, spec.storageCapacity).
    bool is_storage_counted = false;
    /// What its volume, or a volume of its class, asks of a node.
    std::vector<VolumeNodes> nodes;
    /// Not empty: why no volume can be made for it, as a sentence.
    std::string problem;
    friend bool operator==(const Claim&, const Claim&) = default;
};

}  // namespace core
