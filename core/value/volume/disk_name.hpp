#pragma once
// What disks that a pod names itself are called among the resources that it asks for: "disk gce-pd
// d1", of which the second word is the plugin's and the rest the disk's own.

#include <string_view>

namespace core {

inline constexpr std::string_view disk_prefix = "disk ";

}  // namespace core
