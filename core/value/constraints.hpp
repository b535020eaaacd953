#pragma once
// Which nodes a pod may go to: node selector, required node affinity, tolerations, and whether it
// asks for ports of the node's own; and which of them it would rather go to.

#include "core/base/shared.hpp"
#include "core/value/filter_set.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// Labels, annotations, selectors: sorted by key, keys unique.
using StringMap = std::vector<std::pair<std::string, std::string>>;

/// Value of a key in a sorted StringMap, or nullptr.
const std::string* find_value(const StringMap& map, std::string_view key);

enum class SelectorOperator : std::uint8_t { in, not_in, exists, does_not_exist, greater, less };

struct NodeSelectorRequirement {
    std::string key;
    SelectorOperator op = SelectorOperator::in;
    std::vector<std::string> values;
    friend auto operator<=>(const NodeSelectorRequirement&, const NodeSelectorRequirement&) =
        default;
};

/// All requirements must hold. match_fields knows only metadata.name. A term with no requirement
/// matches no node (Kubernetes' rule).
struct NodeSelectorTerm {
    std::vector<NodeSelectorRequirement> match_expressions;
    std::vector<NodeSelectorRequirement> match_fields;
    friend auto operator<=>(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// A wish: it excludes no node. A term with no requirement wishes nothing.
struct PreferredTerm {
    std::int32_t weight = 0;  ///< 1 to 100
    NodeSelectorTerm term;
    friend auto operator<=>(const PreferredTerm&, const PreferredTerm&) = default;
};

enum class TaintEffect : std::uint8_t { no_schedule, prefer_no_schedule, no_execute };

struct Taint {
    std::string key;
    std::string value;
    TaintEffect effect = TaintEffect::no_schedule;
    friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct Toleration {
    std::string key;      ///< empty with `exists`: tolerates every key
    bool exists = false;  ///< operator Exists, else Equal
    std::string value;
    bool any_effect = true;
    TaintEffect effect = TaintEffect::no_schedule;  ///< meaningful when !any_effect
    std::int64_t seconds = -1;  ///< tolerationSeconds, -1 if absent; no influence on placement
    friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

/// What somebody who was asked about the pod gives a node.
struct NodePoints {
    std::string node;
    std::int32_t points = 0;  ///< more than 0
    friend auto operator<=>(const NodePoints&, const NodePoints&) = default;
};

/// Which rule about volumes keeps a node out.
enum class VolumeRule : std::uint8_t {
    affinity,    ///< node affinity of the volume
    zone,         ///< the volume's own labels for zone and region
    unreachable,  ///< no volume could be made for that node
    storage       ///< who would make it has not that much left there (volume/storage.hpp)
};

/// Nodes that have one of many values for one label.
struct LabelValues {
    std::string key;
    std::vector<std::string> values;  ///< sorted
    friend auto operator<=>(const LabelValues&, const LabelValues&) = default;
};

/// Where a volume of the pod can be used: nodes that match any of these terms, or have any of these
/// labels. There may be as many values as nodes, in the constraints of many pods, which share them.
struct VolumeNodes {
    VolumeRule rule = VolumeRule::affinity;
    std::vector<NodeSelectorTerm> terms;
    Shared<std::vector<LabelValues>> labels = {};
    friend auto operator<=>(const VolumeNodes&, const VolumeNodes&) = default;
};

struct Constraints {
    StringMap node_selector;
    bool has_required_affinity = false;
    std::vector<NodeSelectorTerm> required_affinity;  ///< any term suffices
    std::vector<PreferredTerm> preferred_affinity;    ///< weights of those that match add up
    std::vector<Toleration> tolerations;
    /// Some container wants a port of its node: a kubelet may refuse it where others may go.
    bool has_host_ports = false;
    /// Of its claims, once they are known; all must hold.
    std::vector<VolumeNodes> volumes = {};
    /// A wish, too: the images of its containers by their full names, in order. Empty where its
    /// profile does not go by them.
    std::vector<std::string> images = {};
    /// A wish, too: added to the node's score as they are. By node, each once.
    std::vector<NodePoints> points = {};
    /// Filters that its profile does not ask; mostly none.
    FilterSet left_out = {};
    friend auto operator<=>(const Constraints&, const Constraints&) = default;
};

/// The same pod, which may go to these nodes alone.
Constraints among(Constraints constraints, std::vector<std::string> nodes);

/// Those that are not among its own yet come behind them.
void add_tolerations(Constraints& constraints, const std::vector<Toleration>& tolerations);

}  // namespace core
