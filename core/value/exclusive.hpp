#pragma once
// What pods have of a node to themselves: its ports, and disks that are there once. Such a thing is an extended resource that
// every node offers in the same amount, `exclusive_all`. Who wants it alone asks for all of it; who
// shares it with others of its kind asks for one unit. So capacity, sums, allocations and
// reservations need no rule of their own.
//
// Its name has a space, which the API server admits in no resource's name: neither a node's status
// nor a pod's requests can name one.

#include "core/value/resources.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A port of the node that a container takes.
struct HostPort {
    std::string ip;  ///< empty: every address
    std::string protocol = "TCP";
    std::int64_t port = 0;
    friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

/// A disk that a volume of the pod itself names: it is attached to a node once, for one pod or for
/// several that only read.
struct InTreeDisk {
    std::string name;        ///< kind and identity: "gce-pd d1"
    bool is_shared = false;  ///< with others that share it
    friend auto operator<=>(const InTreeDisk&, const InTreeDisk&) = default;
};

/// More than any number of pods on one node.
inline constexpr std::int64_t exclusive_all = std::int64_t{1} << 31;

inline bool is_exclusive(std::string_view extended_name) {
    return extended_name.find(' ') != std::string_view::npos;
}

/// Adds "host port 8080/TCP" for each port, as kube-scheduler's NodePorts compares them: equal port
/// and protocol, and equal addresses or one that is 0.0.0.0. Ports of one pod do not conflict.
void add_host_ports(Resources& into, const std::vector<HostPort>& ports);

/// Without what add_host_ports() adds: nothing is known then of the ports that a pod takes.
Resources without_host_ports(Resources resources);

bool is_host_port(std::string_view extended_name);
bool takes_host_ports(const Resources& resources);

/// Adds "disk gce-pd d1" for each, as kube-scheduler's VolumeRestrictions compares them. Disks of
/// one pod do not conflict.
void add_disks(Resources& into, const std::vector<InTreeDisk>& disks);

/// Without what add_disks() adds.
Resources without_disks(Resources resources);

/// Without what is exclusive, and without wishes of GPUs: what the API server's objects say.
Resources without_exclusives(Resources resources);

}  // namespace core
