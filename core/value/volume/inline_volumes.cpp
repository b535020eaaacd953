#include "core/value/volume/inline_volumes.hpp"

#include "core/value/volume/disk_name.hpp"

#include <fmt/format.h>

namespace core {

namespace {

constexpr std::string_view not_specified = "UNSPECIFIED";

}  // namespace

std::vector<DriverVolume> inline_volumes(const Resources& requests) {
    std::vector<DriverVolume> volumes;
    for (const ExtendedResource& entry : requests.extended) {
        if (!entry.name.starts_with(disk_prefix)) continue;
        const std::string_view disk = std::string_view(entry.name).substr(disk_prefix.size());
        const auto space = disk.find(' ');
        if (space == std::string_view::npos) continue;
        const std::string plugin = "kubernetes.io/" + std::string(disk.substr(0, space));
        const std::string_view driver = migrated_driver(plugin);
        if (driver.empty()) continue;
        volumes.push_back({std::string(driver), migrated_handle(plugin, disk.substr(space + 1))});
    }
    return volumes;
}

/// As Kubernetes' csi-translation-lib: a disk is one volume, in whichever words it is named, but for
/// GCE's, whose project nobody says.
std::string migrated_handle(
    std::string_view in_tree_plugin, std::string_view disk, std::string_view zones) {
    if (in_tree_plugin == "kubernetes.io/aws-ebs" && disk.starts_with("aws://")) {
        return std::string(disk.substr(disk.rfind('/') + 1));
    }
    if (in_tree_plugin != "kubernetes.io/gce-pd") return std::string(disk);
    const auto others = zones.find("__");
    if (others == std::string_view::npos) {
        return fmt::format(
            "projects/{}/zones/{}/disks/{}",
            not_specified,
            zones.empty() ? not_specified : zones,
            disk);
    }
    const std::string_view first = zones.substr(0, others);
    return fmt::format(
        "projects/{}/regions/{}/disks/{}", not_specified, first.substr(0, first.rfind('-')), disk);
}

Resources without_all_volumes(Resources resources) {
    std::erase_if(resources.extended, [](const ExtendedResource& entry) {
        return is_volume_limit(entry.name) || is_volume(entry.name);
    });
    return resources;
}

}  // namespace core
