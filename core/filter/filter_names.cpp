#include "core/filter/filter_names.hpp"

#include <algorithm>

namespace core {

namespace {

constexpr FilterSet of(FilterId filter) {
    return FilterSet{}.with(filter);
}

constexpr FilterSet general_predicates = of(FilterId::node_resources_fit)
                                             .with(FilterId::node_name)
                                             .with(FilterId::node_ports)
                                             .with(FilterId::node_affinity);

/// The first ones in the order of FilterId. Conditions of nodes are taints since Kubernetes 1.12:
/// their predicates are TaintToleration's by now.
constexpr std::array names = {
    FilterName{"NodeResourcesFit", of(FilterId::node_resources_fit)},
    FilterName{"NodeName", of(FilterId::node_name)},
    FilterName{"NodePorts", of(FilterId::node_ports)},
    FilterName{"NodeAffinity", of(FilterId::node_affinity)},
    FilterName{"NodeUnschedulable", of(FilterId::node_unschedulable)},
    FilterName{"TaintToleration", of(FilterId::taint_toleration)},
    FilterName{"PodTopologySpread", of(FilterId::pod_topology_spread)},
    FilterName{"InterPodAffinity", of(FilterId::inter_pod_affinity)},
    FilterName{"VolumeRestrictions", of(FilterId::volume_restrictions)},
    FilterName{"VolumeBinding", of(FilterId::volume_binding)},
    FilterName{"VolumeZone", of(FilterId::volume_zone)},
    FilterName{"NodeVolumeLimits", of(FilterId::node_volume_limits)},
    FilterName{"DynamicResources", of(FilterId::dynamic_resources)},
    FilterName{"PodFitsResources", of(FilterId::node_resources_fit), true},
    FilterName{"HostName", of(FilterId::node_name), true},
    FilterName{"PodFitsHostPorts", of(FilterId::node_ports), true},
    FilterName{"PodFitsPorts", of(FilterId::node_ports), true},
    FilterName{"MatchNodeSelector", of(FilterId::node_affinity), true},
    FilterName{"GeneralPredicates", general_predicates, true},
    FilterName{"CheckNodeUnschedulable", of(FilterId::node_unschedulable), true},
    FilterName{"PodToleratesNodeTaints", of(FilterId::taint_toleration), true},
    FilterName{"CheckNodeCondition", of(FilterId::taint_toleration), true},
    FilterName{"CheckNodeMemoryPressure", of(FilterId::taint_toleration), true},
    FilterName{"CheckNodeDiskPressure", of(FilterId::taint_toleration), true},
    FilterName{"CheckNodePIDPressure", of(FilterId::taint_toleration), true},
    FilterName{"EvenPodsSpread", of(FilterId::pod_topology_spread), true},
    FilterName{"MatchInterPodAffinity", of(FilterId::inter_pod_affinity), true},
    FilterName{"NoDiskConflict", of(FilterId::volume_restrictions), true},
    FilterName{"NoVolumeZoneConflict", of(FilterId::volume_zone), true},
    FilterName{"CheckVolumeBinding", of(FilterId::volume_binding), true},
    FilterName{"MaxCSIVolumeCountPred", of(FilterId::node_volume_limits), true},
    FilterName{"MaxEBSVolumeCount", of(FilterId::node_volume_limits), true},
    FilterName{"MaxGCEPDVolumeCount", of(FilterId::node_volume_limits), true},
    FilterName{"MaxAzureDiskVolumeCount", of(FilterId::node_volume_limits), true},
    FilterName{"MaxCinderVolumeCount", of(FilterId::node_volume_limits), true}};
static_assert(names[filter_count - 1].filters == of(FilterId::dynamic_resources));

}  // namespace

std::span<const FilterName> filter_names() {
    return names;
}

const FilterName* find_filter_name(std::string_view name) {
    const auto found = std::find_if(
        names.begin(), names.end(), [name](const FilterName& one) { return one.name == name; });
    return found == names.end() ? nullptr : found;
}

std::string_view to_string(FilterId filter) {
    return names[static_cast<std::size_t>(filter)].name;
}

}  // namespace core
