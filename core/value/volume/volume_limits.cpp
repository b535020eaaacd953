#include "core/value/volume/volume_limits.hpp"

#include "core/value/exclusive.hpp"
#include "core/value/volume/inline_volumes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace core {

namespace {

constexpr std::string_view volumes_of = "volumes of ";
constexpr std::string_view volume_word = "volume ";
constexpr std::string_view of_word = " of ";

struct Migrated {
    std::string_view plugin;
    std::string_view driver;
};
/// Those that kube-scheduler takes for migrated on every node (isCSIMigrationOn).
constexpr std::array migrated_plugins = {
    Migrated{"kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
    Migrated{"kubernetes.io/azure-disk", "disk.csi.azure.com"},
    Migrated{"kubernetes.io/cinder", "cinder.csi.openstack.org"},
    Migrated{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
    Migrated{"kubernetes.io/portworx-volume", "pxd.portworx.com"}};

/// FNV-1a: the same in every build and on every machine.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : text) {
        hash ^= static_cast<unsigned char>(letter);
        hash *= 0x100000001b3;
    }
    return hash;
}

bool is_of_volumes(std::string_view name) {
    return is_volume_limit(name) || is_volume(name);
}

void sort_by_name(Resources& resources) {
    std::sort(resources.extended.begin(), resources.extended.end());
}

}  // namespace

std::string volume_limit_name(std::string_view driver) {
    return std::string(volumes_of).append(driver);
}

bool is_volume_limit(std::string_view extended_name) {
    return extended_name.starts_with(volumes_of);
}

std::string volume_name(const DriverVolume& volume) {
    return fmt::format(
        "{}{:016x}{}{}", volume_word, hash_of(volume.handle), of_word, volume.driver);
}

bool is_volume(std::string_view extended_name) {
    return extended_name.starts_with(volume_word);
}

std::string limit_of_volume(std::string_view volume_name) {
    const auto at = volume_name.find(of_word);
    return volume_limit_name(
        at == std::string_view::npos ? std::string_view() : volume_name.substr(at + of_word.size()));
}

void add_volumes(Resources& into, const std::vector<DriverVolume>& volumes) {
    for (const DriverVolume& volume : volumes) {
        const bool is_own = volume.handle.empty();
        std::string name = is_own ? volume_limit_name(volume.driver) : volume_name(volume);
        const auto same = std::find_if(
            into.extended.begin(), into.extended.end(), [&name](const ExtendedResource& entry) {
                return entry.name == name;
            });
        if (same == into.extended.end()) {
            into.extended.push_back({std::move(name), 1});
        } else if (is_own) {
            ++same->amount;
        }
    }
    sort_by_name(into);
}

/// Those of its own disks stay, as the disks do.
Resources without_volumes(Resources resources) {
    resources = without_all_volumes(std::move(resources));
    add_volumes(resources, inline_volumes(resources));
    return resources;
}

bool has_volumes(const Resources& resources) {
    return std::any_of(
        resources.extended.begin(), resources.extended.end(), [](const ExtendedResource& entry) {
            return is_of_volumes(entry.name);
        });
}

/// Every node offers `exclusive_all`: what it lists beside that is less than nothing.
void set_volume_limits(Resources& allocatable, const std::vector<VolumeLimit>& limits) {
    allocatable = without_volumes(std::move(allocatable));
    for (const VolumeLimit& limit : limits) {
        allocatable.extended.push_back(
            {volume_limit_name(limit.driver), limit.count - exclusive_all});
    }
    sort_by_name(allocatable);
}

std::string_view migrated_driver(std::string_view in_tree_plugin) {
    const auto found = std::find_if(
        migrated_plugins.begin(), migrated_plugins.end(), [&](const Migrated& one) {
            return one.plugin == in_tree_plugin;
        });
    return found == migrated_plugins.end() ? std::string_view() : found->driver;
}

}  // namespace core
