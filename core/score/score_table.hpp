#pragma once
// The scores by which nodes can be chosen, by name: a packing goes by one of them, a profile's
// `scores` by the sum of several. One more is a function in this room and a row here.

#include "core/score/allocated.hpp"
#include "core/score/balanced.hpp"
#include "core/score/device_fit.hpp"
#include "core/score/node_load.hpp"
#include "core/score/preference_score.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace core {

/// How a node's score moves as pods of one shape are placed there.
enum class ScoreKind : std::uint8_t { fixed, rising, falling, mixed };

/// The best node stays the best until it is full: it may be filled in one go.
constexpr bool stays_best(ScoreKind kind) {
    return kind == ScoreKind::fixed || kind == ScoreKind::rising;
}

/// What can be made of a row.
enum class ScoreUse : std::uint8_t {
    packing,   ///< a packing, and one of a profile's scores
    weighted,  ///< one of a profile's scores
    unbuilt    ///< known in kube-scheduler's files: every node gets the same here
};

/// The larger the better; pure, and of this one node alone.
struct Score {
    std::string_view name;
    ScoreKind kind = ScoreKind::mixed;
    std::int64_t (*of)(const NodeLoad& load) = nullptr;
    ScoreUse use = ScoreUse::packing;
    std::string_view plugin = {};    ///< kube-scheduler's name
    std::string_view priority = {};  ///< that of its old Policy files
};

/// All nodes are alike, so that names decide.
inline std::int64_t first_by_name(const NodeLoad&) {
    return 0;
}

/// Packings come first.
inline constexpr std::array score_table = {
    Score{
        "least-allocated",
        ScoreKind::falling,
        least_allocated,
        ScoreUse::packing,
        "NodeResourcesLeastAllocated",
        "LeastRequestedPriority"},
    Score{
        "most-allocated",
        ScoreKind::rising,
        most_allocated,
        ScoreUse::packing,
        "NodeResourcesMostAllocated",
        "MostRequestedPriority"},
    Score{
        "balanced-allocation",
        ScoreKind::mixed,
        balanced_allocation,
        ScoreUse::packing,
        "NodeResourcesBalancedAllocation",
        "BalancedResourceAllocation"},
    Score{"gpu-bestfit", ScoreKind::rising, gpu_bestfit},
    Score{"most-requested", ScoreKind::rising, most_requested},
    Score{"first-by-name", ScoreKind::fixed, first_by_name, ScoreUse::packing, {}, "EqualPriority"},
    Score{
        "requested-to-capacity-ratio",
        ScoreKind::mixed,
        requested_to_capacity_ratio,
        ScoreUse::weighted,
        "RequestedToCapacityRatio",
        "RequestedToCapacityRatioPriority"},
    Score{"binpack", ScoreKind::rising, binpack, ScoreUse::weighted},
    Score{
        "taint-toleration",
        ScoreKind::fixed,
        taint_toleration,
        ScoreUse::weighted,
        "TaintToleration",
        "TaintTolerationPriority"},
    Score{
        "node-affinity",
        ScoreKind::fixed,
        node_affinity,
        ScoreUse::weighted,
        "NodeAffinity",
        "NodeAffinityPriority"},
    Score{
        "image-locality",
        ScoreKind::fixed,
        image_locality,
        ScoreUse::weighted,
        "ImageLocality",
        "ImageLocalityPriority"},
    Score{
        "selector-spread",
        ScoreKind::fixed,
        pod_topology_spread,
        ScoreUse::weighted,
        "SelectorSpread",
        "SelectorSpreadPriority"},
    Score{
        "service-spreading",
        ScoreKind::fixed,
        pod_topology_spread,
        ScoreUse::weighted,
        {},
        "ServiceSpreadingPriority"},
    Score{
        "inter-pod-affinity",
        ScoreKind::fixed,
        inter_pod_affinity,
        ScoreUse::weighted,
        "InterPodAffinity",
        "InterPodAffinityPriority"},
    Score{
        "pod-topology-spread",
        ScoreKind::fixed,
        pod_topology_spread,
        ScoreUse::weighted,
        "PodTopologySpread",
        "EvenPodsSpreadPriority"},
    Score{
        "prefer-avoid-pods",
        ScoreKind::fixed,
        first_by_name,
        ScoreUse::unbuilt,
        "NodePreferAvoidPods",
        "NodePreferAvoidPodsPriority"},
    Score{"gpu-metrics", ScoreKind::fixed, gpu_metrics, ScoreUse::weighted}};

/// So many rows are packings.
inline constexpr std::size_t packing_scores = [] {
    std::size_t count = 0;
    for (const Score& score : score_table) count += score.use == ScoreUse::packing ? 1 : 0;
    return count;
}();
static_assert(score_table[packing_scores - 1].use == ScoreUse::packing);

}  // namespace core
