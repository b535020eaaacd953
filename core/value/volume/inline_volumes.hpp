#pragma once
// Disks that a pod names itself (exclusive.hpp) and that a CSI driver has taken over: they count
// for the driver's limit as volumes of claims do (kube-scheduler's NodeVolumeLimits). What a pod
// asks says which they are, by the names of its disks.

#include "core/value/resources.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Of the disks among them, those that drivers attach by now.
std::vector<DriverVolume> inline_volumes(const Resources& requests);

/// What the driver that has taken over a plugin ("kubernetes.io/gce-pd") calls a disk of it. Of
/// GCE's its zone is a part of that, or its region if there are several ("a__b"); empty: nobody
/// says it.
std::string migrated_handle(
    std::string_view in_tree_plugin, std::string_view disk, std::string_view zones = {});

/// Without any volume, those of the pod's own disks included, which without_volumes() leaves there.
Resources without_all_volumes(Resources resources);

}  // namespace core
