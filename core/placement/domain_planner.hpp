#pragma once
// Places pods under rules between pods (core/domain): a gang, or a lone pod, whose pods ask
// something of the pods around them, or of whom those ask something.
//
//   driver: the nodes that the rules leave it     one by one by domain, if the executors
//                                                 do not fit beside the first
//   executors of one shape, by the rules under which they themselves fall:
//     none       the nodes that the rules leave, like any nodes
//     one        so many to each domain by closed form, there like any nodes
//     several    pod by pod, each charged before the next is asked
//
// Preferences between pods make some of these nodes better than others; where executors prefer, or
// avoid, each other, each changes what is best for the next. A gang that does not fit that way is
// placed as if nobody preferred anything; that is what is tried first.
//
// Everything is tried on the cluster and on the rules themselves and taken back before the answer.
//
// Guarantee: a plan keeps every rule, each pod placed after those before it. With one shape of
// executors under one rule at most, it is missed only where the driver would have to stand on
// another node of the same domain.

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/placement/placement.hpp"
#include "core/placement/ruled_nodes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

struct RuledRequest {
    std::optional<RuledPart> driver = {};
    std::vector<RuledPart> executors = {};
    PackingPolicy policy = PackingPolicy::tightest;
    const ScoreOrder* scores = nullptr;  ///< not nullptr: instead of the policy
    PodScoring pod_scoring = {};
};

class DomainPlanner {
public:
    /// Further driver domains that are tried when the executors do not fit beside the first.
    static constexpr std::size_t driver_domains_max = 16;

    /// All outlive it. The rules of all parts are filled.
    DomainPlanner(Planner& planner, Cluster& cluster, DomainRules& rules)
        : planner_(planner), cluster_(cluster), rules_(rules), nodes_(planner, cluster, rules) {}

    /// In the free room. The plan's executors are parallel to the request's.
    Placement place(const RuledRequest& request);

    /// Nodes that were held against rules, by all questions so far.
    std::int64_t nodes_asked() const { return nodes_.asked(); }

private:
    class Attempt;

    Placement place_plainly(const RuledRequest& request);
    bool has_preferences(const RuledRequest& request) const;
    std::optional<Plan> try_driver_domains(const RuledRequest& request);

    Planner& planner_;
    Cluster& cluster_;
    DomainRules& rules_;
    RuledNodes nodes_;
};

}  // namespace core
