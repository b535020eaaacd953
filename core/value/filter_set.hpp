#pragma once
// kube-scheduler's filters, and sets of them: what a profile leaves out goes with the constraints
// of its pods. Their names are in core/filter.

#include <compare>
#include <cstddef>
#include <cstdint>

namespace core {

/// What may keep a pod off a node.
enum class FilterId : std::uint8_t {
    node_resources_fit,
    node_name,
    node_ports,
    node_affinity,
    node_unschedulable,
    taint_toleration,
    pod_topology_spread,
    inter_pod_affinity,
    volume_restrictions,
    volume_binding,
    volume_zone,
    node_volume_limits,
    // Not built here:
    dynamic_resources
};
inline constexpr std::size_t filter_count =
    static_cast<std::size_t>(FilterId::dynamic_resources) + 1;

struct FilterSet {
    std::int32_t bits = 0;  ///< 1 << FilterId

    constexpr bool empty() const { return bits == 0; }
    constexpr bool contains(FilterId id) const { return (bits & bit(id)) != 0; }
    constexpr FilterSet with(FilterId id) const { return {bits | bit(id)}; }
    constexpr FilterSet with(FilterSet other) const { return {bits | other.bits}; }
    constexpr FilterSet without(FilterSet other) const { return {bits & ~other.bits}; }
    friend auto operator<=>(const FilterSet&, const FilterSet&) = default;

    static constexpr std::int32_t bit(FilterId id) {
        return std::int32_t{1} << static_cast<int>(id);
    }
};

inline constexpr FilterSet all_filters{(std::int32_t{1} << filter_count) - 1};

constexpr bool is_built(FilterId id) {
    return id < FilterId::dynamic_resources;
}

}  // namespace core
