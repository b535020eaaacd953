#include "core/value/exclusive.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/volume/disk_name.hpp"
#include "core/value/volume/inline_volumes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace core {

namespace {

constexpr std::string_view host_port = "host port ";

void add(Resources& into, std::string name, std::int64_t amount) {
    Resources one;
    one.extended.push_back({std::move(name), amount});
    into = larger(into, one);
}

}  // namespace

/// Of one address: the address is its own, and the port is shared with other addresses, so that who
/// wants every address does not fit beside it.
void add_host_ports(Resources& into, const std::vector<HostPort>& ports) {
    for (const HostPort& port : ports) {
        const std::string name = fmt::format("{}{}/{}", host_port, port.port, port.protocol);
        const bool is_everywhere = port.ip.empty() || port.ip == "0.0.0.0";
        if (is_everywhere) {
            add(into, name, exclusive_all);
        } else {
            add(into, name, 1);
            add(into, fmt::format("{} of {}", name, port.ip), exclusive_all);
        }
    }
}

Resources without_host_ports(Resources resources) {
    std::erase_if(
        resources.extended, [](const ExtendedResource& entry) { return is_host_port(entry.name); });
    return resources;
}

bool is_host_port(std::string_view extended_name) {
    return extended_name.starts_with(host_port);
}

bool takes_host_ports(const Resources& resources) {
    return std::any_of(
        resources.extended.begin(), resources.extended.end(), [](const ExtendedResource& entry) {
            return is_host_port(entry.name);
        });
}

void add_disks(Resources& into, const std::vector<InTreeDisk>& disks) {
    for (const InTreeDisk& one : disks) {
        add(into, fmt::format("{}{}", disk_prefix, one.name), one.is_shared ? 1 : exclusive_all);
    }
    add_volumes(into, inline_volumes(into));
}

Resources without_disks(Resources resources) {
    std::vector<std::string> volumes;
    for (const DriverVolume& one : inline_volumes(resources)) volumes.push_back(volume_name(one));
    std::erase_if(resources.extended, [&volumes](const ExtendedResource& entry) {
        return entry.name.starts_with(disk_prefix) ||
               std::find(volumes.begin(), volumes.end(), entry.name) != volumes.end();
    });
    return resources;
}

Resources without_exclusives(Resources resources) {
    std::erase_if(resources.extended, [](const ExtendedResource& entry) {
        return is_exclusive(entry.name) || is_gpu_wish(entry.name) || is_card_ask(entry.name);
    });
    return resources;
}

}  // namespace core
