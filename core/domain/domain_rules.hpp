#pragma once
// Kubernetes' rules between pods, InterPodAffinity and PodTopologySpread, about one view of a
// cluster: which of the nodes that a pod may go to the pods around it leave, and which of these are
// better for them. One owner, beside the cluster; a plain value.
//
//   node_changed, node_went --> DomainIndex: node -> domain, by topology key in use
//   pod_placed, pod_gone -----> MatchCounts: pods by node, by selection that live rules name
//                           '-> PlacedTerms: terms of placed pods, by node
//   retain(rules) ------------> RulesId;  allowed(), room_by_domain() and core/domain/score answer for it
//
// What the caller owes:
//   - node_changed() for a node that came or whose labels or taints changed, node_went() for one
//     that went, with the NodeIndex that the cluster gives it, before the next question. While pods
//     are placed on a node, that number is its own: the cluster's allocations see to that.
//   - pod_placed() and pod_gone() as match_counts.hpp says, for pods of all schedulers. A trial is
//     pod_placed() and later pod_gone(): nothing remains.
//   - fill() after retain(), as soon as is_filled() says so. Until then nothing may be asked for
//     these rules.
//   - Terms by labels of namespaces are resolved beforehand (with_namespaces()). Where that cannot be,
//     required ones mean all namespaces, and preferred ones nobody.

#include "core/domain/domain_index.hpp"
#include "core/domain/domain_room.hpp"
#include "core/domain/match_counts.hpp"
#include "core/domain/placed_terms.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// A pod that is to be placed; looked at during the call only.
struct IncomingPod {
    RulesId rules;  ///< none: it has no rule of its own, but those of others may still reach it
    std::string_view namespace_name;
    const StringMap& labels;
    const Constraints& constraints;  ///< spreading may leave out nodes that these exclude
};

/// Why a node is not allowed: the first rule that forbids it, in kube-scheduler's order.
enum class DomainReason : std::uint8_t {
    spread_label_missing,
    spread,
    affinity,
    anti_affinity,
    existing_anti_affinity
};
inline constexpr std::size_t domain_reasons =
    static_cast<std::size_t>(DomainReason::existing_anti_affinity) + 1;

/// kube-scheduler's words.
std::string_view describe(DomainReason reason);

struct AllowedNodes {
    NodeBitmap nodes;                                    ///< of the eligible ones
    std::array<std::int64_t, domain_reasons> refused{};  ///< eligible nodes by reason
    friend bool operator==(const AllowedNodes&, const AllowedNodes&) = default;
};

/// As texts with counts, by count (descending), then text.
std::vector<ReasonCount> reasons_of(const AllowedNodes& allowed);

/// One rule of a pod: the place in its kind's list.
struct RuleRef {
    RuleKind kind = RuleKind::spread;
    std::size_t index = 0;
    friend bool operator==(const RuleRef&, const RuleRef&) = default;
};

/// The rules under which one such pod, placed, changes what the next may do. None: what allowed()
/// says holds for any number of them. One: room_by_domain() has the closed form. More: pod by pod.
std::vector<RuleRef> rules_among_themselves(
    const PodRules& rules, const std::string& namespace_name, const StringMap& labels);

/// Such pods prefer, or avoid, the nodes where others like them are: each that is placed changes
/// what DomainScores say of the next.
bool prefers_among_themselves(
    const PodRules& rules, const std::string& namespace_name, const StringMap& labels);

/// The selection and the topology key of each rule that somebody holds, each with one reference. All
/// terms of affinity have one selection, the pods that match them all.
struct LiveRules {
    SelectionId affinity;
    std::vector<TopologyKeyId> affinity_keys;
    std::vector<SelectionId> anti_affinity;
    std::vector<TopologyKeyId> anti_affinity_keys;
    std::vector<SelectionId> spread;
    std::vector<TopologyKeyId> spread_keys;
    std::vector<SelectionId> preferred;
    std::vector<TopologyKeyId> preferred_keys;
    std::vector<SelectionId> preferred_spread;
    std::vector<TopologyKeyId> preferred_spread_keys;
    friend bool operator==(const LiveRules&, const LiveRules&) = default;

    /// visit(selection) for each that is required.
    template <typename Visit>
    void for_each_selection(Visit visit) const {
        if (!affinity.is_none()) visit(affinity);
        for (const SelectionId selection : anti_affinity) visit(selection);
        for (const SelectionId selection : spread) visit(selection);
    }
    /// The same of those that are preferred.
    template <typename Visit>
    void for_each_preference(Visit visit) const {
        for (const SelectionId selection : preferred) visit(selection);
        for (const SelectionId selection : preferred_spread) visit(selection);
    }
};

class DomainRules {
public:
    // --- what is there -------------------------------------------------------------------------
    void node_changed(NodeIndex node, const Node& value) {
        domains_.node_changed(node, value);
        ++nodes_version_;
    }
    void node_went(NodeIndex node) {
        domains_.node_went(node);
        ++nodes_version_;
    }
    void pod_placed(const PlacedPod& pod, const Cluster& cluster);
    void pod_gone(const PlacedPod& pod);

    // --- rules of pods that wait ---------------------------------------------------------------
    /// The number of these rules of a namespace. Counted: one release() for each call.
    RulesId retain(
        const PodRules& rules, const std::string& namespace_name, const Cluster& cluster);
    void retain(RulesId id) { interned_.retain(id); }
    void release(RulesId id);
    const PodRules& rules(RulesId id) const { return interned_[id].first; }

    bool is_filled(RulesId id) const;
    /// The same of preferences, for DomainScores.
    bool are_preferences_filled(RulesId id) const;
    bool all_filled() const { return matches_.all_filled(); }
    template <typename ForEachPod>
    void fill(ForEachPod for_each_pod) {
        matches_.fill(for_each_pod);
    }

    // --- questions -----------------------------------------------------------------------------
    /// False: every eligible node is allowed, whatever the nodes.
    bool concerns(const IncomingPod& pod) const;
    /// `except`: of this rule only that the label is there, where it has to be.
    AllowedNodes allowed(
        const IncomingPod& pod,
        const NodeBitmap& eligible,
        const Cluster& cluster,
        const std::optional<RuleRef>& except = std::nullopt) const;
    /// By position: why no such pod may go there, rules alone; nothing: it may.
    std::vector<std::optional<DomainReason>> reasons_by_position(
        const IncomingPod& pod, const Cluster& cluster) const;
    /// The domains of one rule for pods that are alike: what matches there, and the room on `open`
    /// nodes, which all other rules allow. `capacities`: pods that each node has room for, by
    /// position.
    RoomByDomain room_by_domain(
        const IncomingPod& pod,
        RuleRef rule,
        const NodeBitmap& open,
        std::span<const std::int32_t> capacities,
        const Cluster& cluster) const;
    /// Topology keys of these rules, affinity's first, each rule's once; none for no rules.
    std::vector<TopologyKeyId> keys_of(RulesId id) const;
    const DomainIndex& domains() const { return domains_; }
    const MatchCounts& matches() const { return matches_; }
    const PlacedTerms& terms() const { return terms_; }
    /// nullptr: of no rules.
    const LiveRules* find_live(RulesId id) const {
        return id.is_none() ? nullptr : &live_[id.value];
    }
    TopologyKeyId key_of(RulesId id, RuleRef rule) const;

    /// Grows whenever an answer for these rules may have changed, other than by the pod's own
    /// constraints and the eligible nodes. None: for pods without rules.
    std::uint64_t version(RulesId id) const;

    /// Of all rules that are held.
    std::uint64_t references() const { return interned_.references(); }
    /// What is kept: 0 when no pod is placed that has terms, and nobody holds rules.
    std::size_t size() const {
        return interned_.size() + matches_.size() + terms_.size() + domains_.size();
    }
    friend bool operator==(const DomainRules&, const DomainRules&) = default;

private:
    using Owned = std::pair<PodRules, std::string>;  ///< with their namespace

    DomainIndex domains_;
    MatchCounts matches_;
    PlacedTerms terms_;
    Interner<Owned, RulesId> interned_;
    std::vector<LiveRules> live_;  ///< by RulesId
    std::uint64_t nodes_version_ = 0;
};

/// nullptr: none; those of others may still reach the pod.
inline const PodRules* find_rules(const DomainRules& rules, RulesId id) {
    return id.is_none() ? nullptr : &rules.rules(id);
}

}  // namespace core
