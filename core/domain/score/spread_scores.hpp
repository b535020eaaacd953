#pragma once
// How evenly pods would be spread if the next were placed on a node: PodTopologySpread of
// kube-scheduler, of the constraints that are preferred.

#include "core/domain/domain_rules.hpp"

#include <cstdint>
#include <vector>

namespace core {

class SpreadScores {
public:
    /// Nodes and rules stand still as long as it lives; all that is named outlives it.
    SpreadScores(
        const DomainRules& rules,
        const IncomingPod& pod,
        const NodeBitmap& feasible,
        const Cluster& cluster);

    /// 0 to 100 by position, of the feasible nodes; empty: they are all alike.
    std::vector<std::uint8_t> normalised(const NodeBitmap& feasible) const;
    /// One more such pod is there.
    void place(Position position);
    /// The node is not feasible any more.
    void close(Position position);

private:
    using ByDomain = std::vector<std::int64_t>;  ///< by DomainId

    /// A constraint with what there is to count.
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

        std::int64_t matching_at(std::size_t position) const;
    };

    void count_matching(Spread& spread, const SpreadConstraint& constraint) const;
    /// Of the domains that have candidates now. True: it is another one than before.
    bool weigh(Spread& spread) const;
    void score_all();
    std::int64_t score_at(std::size_t position) const;
    bool has_keys(NodeIndex node) const;

    const DomainRules& in_;
    const IncomingPod& pod_;
    const Cluster& cluster_;
    const PodRules* rules_;  ///< nullptr: none
    const LiveRules* live_;  ///< likewise
    NodeBitmap candidates_;  ///< feasible, with the labels of all constraints
    std::vector<Spread> spread_;
    std::vector<std::int64_t> by_position_;
};

}  // namespace core
