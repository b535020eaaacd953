#pragma once
// PersistentVolumes that are there, for claims that wait for their first consumer; and the claim
// that is written to one.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "k8s/codec/watch_line.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace k8s {

struct VolumeObject {
    std::string name;
    std::string resource_version;
    std::string storage_class;
    std::int64_t bytes = 0;
    std::vector<std::string> modes;  ///< of access
    bool is_block = false;
    std::string attributes_class;
    core::StringMap labels;
    bool is_deleting = false;
    bool is_available = false;  ///< phase Available
    bool is_used = false;       ///< it has, or had, its claim
    std::string claim_namespace;
    std::string claim_name;  ///< spec.claimRef; empty: nobody's
    std::string claim_uid;   ///< empty: of any claim of that name
    std::vector<core::NodeSelectorTerm> terms;  ///< of its nodes, any of them; none: all nodes
    friend bool operator==(const VolumeObject&, const VolumeObject&) = default;
};

using Volumes = std::map<std::string, VolumeObject>;  ///< by name

core::Result<VolumeObject> decode_volume(std::string json);

struct VolumePage {
    /// Without those that have, or had, their claim.
    std::vector<VolumeObject> volumes;
    std::string version;
    std::string continue_token;
};
core::Result<VolumePage> decode_volumes(std::string json);

struct VolumeLine {
    using Type = WatchLineType;
    Type type = Type::changed;
    VolumeObject volume;  ///< of one that is gone: its name at least
};
/// A line of a watch. A volume that makes no sense is one that is gone.
core::Result<VolumeLine> decode_volume_line(std::string line);

/// A merge patch of the volume, if it is still the state that was read: it is the claim's, as
/// kube-scheduler's VolumeBinding writes it. The control plane does the rest.
std::string encode_claim_ref(
    const std::string& namespace_name,
    const std::string& name,
    const std::string& uid,
    const std::string& resource_version);

}  // namespace k8s
