#pragma once
// A persistent volume claim's JSON, and that of the volume or the storage class behind it, become
// what scheduling sees of them (core/value/claim.hpp). What is read, and how, is what
// kube-scheduler's VolumeBinding and VolumeZone read (1.37).

#include "core/base/result.hpp"
#include "core/value/claim.hpp"
#include "core/value/label_selector.hpp"
#include "k8s/codec/volume/codec_volume.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace k8s {

/// The annotation that says for which node a volume is to be made.
inline constexpr const char* selected_node_annotation = "volume.kubernetes.io/selected-node";

/// What a claim asks of a volume that is there.
struct VolumeWish {
    std::string namespace_name;
    std::string name;
    std::vector<std::string> modes;  ///< of access, all of which the volume must have
    bool is_block = false;           ///< volumeMode Block
    std::string attributes_class;    ///< volumeAttributesClassName; empty: none
    core::LabelSelector selector;    ///< not set: any labels
};

struct ClaimObject {
    core::Claim claim;
    std::string resource_version;
    VolumeWish wish;
};

/// Without a volume it waits for one, until add_storage_class() says otherwise.
core::Result<ClaimObject> decode_claim(std::string json);

/// Of a bound claim: where the PersistentVolume can be used.
core::Result<core::Done> add_volume(core::Claim& claim, std::string json);

/// Of a claim without a volume: whether one is made when its pod has a node, and for which nodes.
/// Returned: the CSI driver that makes it then; empty: none.
core::Result<std::string> add_storage_class(core::Claim& claim, std::string json);

/// Of a claim that waits for its first consumer: the volumes that it may have, as FindMatchingVolume
/// of kube-scheduler compares them; its pod may go to their nodes as well.
void add_available(core::Claim& claim, const VolumeWish& wish, const Volumes& volumes);

/// A merge patch of the claim for this node, if it is still the state that was read.
std::string encode_selected_node(const std::string& node, const std::string& resource_version);

}  // namespace k8s
