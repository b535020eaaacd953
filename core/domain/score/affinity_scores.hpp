#pragma once
// How near the nodes are to the pods that a pod likes, and that like it: InterPodAffinity of
// kube-scheduler. Sums by domain come first, so a node costs one look for each key.

#include "core/domain/domain_rules.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace core {

class AffinityScores {
public:
    /// Nodes and rules stand still as long as it lives; all that is named outlives it.
    AffinityScores(
        const DomainRules& rules,
        const IncomingPod& pod,
        const Cluster& cluster,
        const PodScoring& scoring);

    /// 0 to 100 by position, of the feasible nodes; empty: they are all alike.
    std::vector<std::uint8_t> normalised(const NodeBitmap& feasible) const;
    /// One more such pod is there.
    void place(Position position);

private:
    using ByDomain = std::vector<std::int64_t>;  ///< by DomainId
    using Sums = std::map<TopologyKeyId, ByDomain>;

    Sums sum_terms(const PodScoring& scoring) const;
    void add(Sums& sums, TopologyKeyId key, std::int64_t weight, const NodeCounts& counts) const;
    void find_own_weights(const PodScoring& scoring);

    const DomainRules& in_;
    const IncomingPod& pod_;
    const Cluster& cluster_;
    const PodRules* rules_;  ///< nullptr: none
    const LiveRules* live_;  ///< likewise
    std::vector<std::int64_t> by_position_;
    std::vector<std::pair<TopologyKeyId, std::int64_t>> own_weights_;  ///< that a pod more adds
};

}  // namespace core
