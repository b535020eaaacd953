#pragma once
// One question to DomainRules: each rule becomes a check, a list of forbidden domains of one
// topology key, and the nodes are held against all checks in one pass. Lives during the call only.

#include "core/domain/domain_rules.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Whether the constraint's policies let the node count for a pod with these constraints.
bool is_counted(const SpreadConstraint& constraint, const Node& node, const Constraints& own);

class DomainQuestion {
public:
    DomainQuestion(const DomainRules& rules, const IncomingPod& pod, const Cluster& cluster);

    /// Checks of all rules; of `except` only that the label is there, where it has to be.
    void add_checks(const std::optional<RuleRef>& except);
    AllowedNodes ask(const NodeBitmap& eligible) const;
    /// Nothing: no check forbids the node.
    std::optional<DomainReason> find_reason(NodeIndex node) const;
    /// Matching pods by domain of one rule; nothing for a domain that does not count.
    std::vector<std::optional<std::int64_t>> matching(RuleRef rule) const;

private:
    struct Check {
        TopologyKeyId key;
        DomainReason reason;
        NodeBitmap forbidden = {};  ///< of domains: by DomainId, not by position
        /// Nothing: a node without the label passes.
        std::optional<DomainReason> without_key = {};
    };

    void add_spread(std::size_t index, bool is_excepted);
    void add_affinity(bool is_excepted);
    void add_anti_affinity(std::size_t index);
    void add_existing();
    void forbid_domains_with(TopologyKeyId key, const NodeCounts& counts, DomainReason reason);

    /// visit(domain) for each with such pods, once or more often.
    template <typename Visit>
    void for_each_domain_with(TopologyKeyId key, const NodeCounts& counts, Visit visit) const;
    /// Takes from `allowed` the nodes that the check forbids, and counts them.
    void apply(const Check& check, AllowedNodes& allowed) const;
    /// Spreading counts every node that has the label.
    bool counts_all(const SpreadConstraint& constraint) const;
    /// Whether spreading counts the node.
    bool counts_for(const SpreadConstraint& constraint, NodeIndex node) const;
    bool has_spread_keys(NodeIndex node) const;

    const DomainRules& in_;
    const IncomingPod& pod_;
    const Cluster& cluster_;
    const PodRules* rules_;  ///< nullptr: none
    const LiveRules* live_;  ///< likewise
    std::vector<Check> checks_;
};

}  // namespace core
