#pragma once
// Pure predicates on one node: may a pod with these constraints go there at all? Room is not looked
// at here (capacity is arithmetic, see placement.hpp). The rules and their corner cases are
// kube-scheduler's: NodePorts, NodeUnschedulable, TaintToleration, NodeAffinity, and of volumes
// VolumeBinding and VolumeZone. A pod's profile may leave some of them out.

#include "core/base/boxed.hpp"
#include "core/value/claim.hpp"
#include "core/value/constraints.hpp"
#include "core/value/node.hpp"
#include "core/value/pod_rules.hpp"
#include "core/value/resources.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The first rule that keeps a pod off a node, in the order they are asked.
enum class FilterReason : std::uint8_t {
    none,               ///< the node is eligible
    not_ready,          ///< Ready is not True: takes nothing new
    quarantined,        ///< its kubelet refuses what should fit: takes nothing new for a while
    port_refused,       ///< its kubelet has just refused a host port, and the pod wants one
    cordoned,           ///< spec.unschedulable, not tolerated
    untolerated_taint,  ///< NoSchedule or NoExecute
    node_selector,
    node_affinity,
    volume_affinity,    ///< a volume of the pod cannot be used there
    volume_zone,        ///< by the volume's labels for zone and region
    volume_unreachable, ///< none could be made for it there
    volume_storage      ///< for one that is made is not enough storage left there
};
inline constexpr std::size_t filter_reasons =
    static_cast<std::size_t>(FilterReason::volume_storage) + 1;

struct FilterVerdict {
    FilterReason reason = FilterReason::none;
    const Taint* taint = nullptr;  ///< of untolerated_taint; lives as long as the node
    bool passes() const { return reason == FilterReason::none; }
    friend bool operator==(const FilterVerdict&, const FilterVerdict&) = default;
};

/// All rules that are not left out, first failure wins.
FilterVerdict filter_node(const Node& node, const Constraints& constraints);

/// A pod, or an executor to come, of a profile without these filters. NodePorts, and the disks of
/// VolumeRestrictions, are a matter of resources: without them the pod wants no port and no disk.
void leave_out(FilterSet filters, Resources& requests, Constraints& constraints);
/// The pod's own rules; those that others have about it are passed over by the constraints' set.
void leave_out(FilterSet filters, Boxed<PodRules>& rules);
/// Without any filter about volumes, claims are not even read.
void leave_out(FilterSet filters, Boxed<std::vector<ClaimUse>>& claims);

/// Asked after room, in kube-scheduler's order.
constexpr bool is_about_volumes(FilterReason reason) {
    return reason >= FilterReason::volume_affinity;
}

/// The node is kept from pods by what it is like now, not by what it is for: not ready, cordoned,
/// quarantined, or tainted by the control plane for its condition (node.kubernetes.io/...).
bool is_closed(const Node& node);

/// filter_node() would pass, were the node not closed.
bool passes_when_open(const Node& node, const Constraints& constraints);

bool matches_node_selector(const Node& node, const StringMap& selector);

/// All requirements of the term hold, of which there is one at least.
bool matches_term(const Node& node, const NodeSelectorTerm& term);

/// True without required affinity. With it, one term must match; no terms match nothing.
bool matches_required_affinity(const Node& node, const Constraints& constraints);

bool tolerates(const Toleration& toleration, const Taint& taint);
bool any_tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

/// The first NoSchedule or NoExecute taint without a toleration, or nullptr.
const Taint* find_untolerated_taint(
    const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations);

/// Cordoned nodes take only what tolerates node.kubernetes.io/unschedulable:NoSchedule.
bool tolerates_cordon(const std::vector<Toleration>& tolerations);

/// "untolerated taint dedicated=gpu", "node(s) were not ready": for counting in messages.
std::string describe(const FilterVerdict& verdict);

}  // namespace core
