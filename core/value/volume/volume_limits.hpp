#pragma once
// How many volumes of a CSI driver a node can attach (kube-scheduler's NodeVolumeLimits, 1.37), as
// extended resources: a driver's limit is one that every node offers without end, but for nodes
// that say how many. A pod asks of it one for each volume that it alone mounts. A volume that
// several pods may mount is a resource of its own: whoever is the first with it on a node takes one
// of the limit there, and the last one gives it back (cluster/node_columns.hpp).
//
// The names have spaces, which the API server admits in no resource's name (exclusive.hpp).

#include "core/value/resources.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// What a node says of one driver.
struct VolumeLimit {
    std::string driver;
    std::int64_t count = 0;  ///< of different volumes
    friend auto operator<=>(const VolumeLimit&, const VolumeLimit&) = default;
};

/// Of one node, those drivers of which it says a number; sorted.
struct NodeVolumeLimits {
    std::string node;
    std::vector<VolumeLimit> limits;
    friend auto operator<=>(const NodeVolumeLimits&, const NodeVolumeLimits&) = default;
};

/// A volume that a pod has a driver attach.
struct DriverVolume {
    std::string driver;
    std::string handle;  ///< the driver's name of it; empty: it is one pod's own
    friend auto operator<=>(const DriverVolume&, const DriverVolume&) = default;
};

/// "volumes of ebs.csi.aws.com"
std::string volume_limit_name(std::string_view driver);
bool is_volume_limit(std::string_view extended_name);
/// The volume of a DriverVolume with a handle, which may be long: its hash is in the name.
std::string volume_name(const DriverVolume& volume);
bool is_volume(std::string_view extended_name);
/// The limit that it counts for.
std::string limit_of_volume(std::string_view volume_name);

/// What a pod with these volumes asks beside `into`.
void add_volumes(Resources& into, const std::vector<DriverVolume>& volumes);
/// Without what add_volumes() adds.
Resources without_volumes(Resources resources);
bool has_volumes(const Resources& resources);

/// A node's allocatable with these limits in the place of those that it had.
void set_volume_limits(Resources& allocatable, const std::vector<VolumeLimit>& limits);

/// The driver that in-tree volumes of this plugin ("kubernetes.io/aws-ebs") are attached by now;
/// empty: none that is counted.
std::string_view migrated_driver(std::string_view in_tree_plugin);

}  // namespace core
