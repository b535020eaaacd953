#pragma once
// How good the nodes are for the pods that are there, as kube-scheduler's InterPodAffinity and
// PodTopologySpread score them; and how that moves as pods like this one are placed. Sums by domain
// come first, so a node costs one look for each key, and a pod more its own domain.
//
//   DomainScores(rules, pod, feasible nodes) --> scores() --> place(node), close(node) --> scores()

#include "core/domain/domain_rules.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace core {

/// Nodes and rules stand still as long as it lives; all that is named outlives it.
class DomainScores {
public:
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
    using ByDomain = std::vector<std::int64_t>;  ///< by DomainId

    /// A preferred spread constraint with what there is to count.
    struct Spread {
        const DomainMap* map = nullptr;
        SelectionId selection;
        std::int32_t max_skew = 1;
        bool means_itself = false;  ///< such pods are counted, too
        bool by_node = false;       ///< host names: each node is a domain
        double weight = 0;          ///< of one pod: more where there are more domains
        ByDomain candidates = {};   ///< nodes that may be chosen
        std::int64_t keyless = 0;   ///< of these, on none of its domains
        ByDomain matching = {};     ///< pods, of domains with candidates; by position with by_node
    };

    void sum_affinity(const PodScoring& scoring);
    void add(TopologyKeyId key, std::int64_t weight, const NodeCounts& counts);
    void find_own_weights(const PodScoring& scoring);
    void count_spread();
    void count_matching(Spread& spread, const SpreadConstraint& constraint) const;
    /// Of the domains that have candidates now. True: it is another one than before.
    bool weigh(Spread& spread) const;
    void score_spread();
    bool has_spread_keys(NodeIndex node) const;
    static std::int64_t matching_at(const Spread& spread, std::size_t position);
    std::int64_t spread_score(std::size_t position) const;
    std::vector<std::uint8_t> normalised_affinity() const;
    std::vector<std::uint8_t> normalised_spread() const;

    const DomainRules& in_;
    const IncomingPod& pod_;
    NodeBitmap feasible_;
    const Cluster& cluster_;
    const PodRules* rules_;          ///< nullptr: none
    const DomainRules::Live* live_;  ///< likewise
    std::map<TopologyKeyId, ByDomain> sums_;
    std::vector<std::int64_t> affinity_;                               ///< by position
    std::vector<std::pair<TopologyKeyId, std::int64_t>> own_weights_;  ///< that a pod more adds
    NodeBitmap candidates_;  ///< feasible, with the labels of all spread constraints
    std::vector<Spread> spread_;
    std::vector<std::int64_t> spread_scores_;  ///< by position
    PodScores scores_;
};

}  // namespace core
