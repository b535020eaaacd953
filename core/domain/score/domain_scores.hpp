#pragma once
// How good the nodes are for the pods that are there, as kube-scheduler's InterPodAffinity and
// PodTopologySpread score them; and how that moves as pods like this one are placed.
//
//   DomainScores(rules, pod, feasible nodes) --> scores() --> place(node), close(node) --> scores()

#include "core/domain/score/affinity_scores.hpp"
#include "core/domain/score/spread_scores.hpp"

namespace core {

/// Some node may be better than another for the pod. What is required is no matter here.
bool has_preferences(const DomainRules& rules, const IncomingPod& pod, const PodScoring& scoring);

class DomainScores {
public:
    /// Nodes and rules stand still as long as it lives; all that is named outlives it.
    DomainScores(
        const DomainRules& rules,
        const IncomingPod& pod,
        NodeBitmap feasible,
        const Cluster& cluster,
        const PodScoring& scoring);

    /// Lives until the next call.
    const PodScores& scores();
    /// One more such pod is there.
    void place(Position position);
    /// The node is not feasible any more.
    void close(Position position);

private:
    NodeBitmap feasible_;
    AffinityScores affinity_;
    SpreadScores spread_;
    PodScores scores_;
};

}  // namespace core
