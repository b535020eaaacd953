#pragma once
// Pods of all schedulers that are bound, or on their way there, as rules between pods see them
// (core/domain/domain_rules.hpp), and the rules of those that wait.
//
//   a pod with affinity terms is bound ---------------> kept
//   a pod waits whose rules name labels --> from now on every bound pod is kept, with these labels
//        '-> labels of those that were bound before are listed once -> rules may be asked
//
// Until some rule names a label, nothing is kept of pods without affinity terms. A label that was
// named once stays known, so that the next pod with such a rule need not wait for a list.

#include "core/base/interner.hpp"
#include "core/base/uid_table.hpp"
#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/value/account.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "core/value/pod.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// Begins what a gang is told whose executors to come cannot have their rules.
inline constexpr const char* executors_problem = "the executor template: ";

class PlacedPods {
public:
    /// Labels that rules may name at a time, of all pods that wait.
    static constexpr std::size_t labels_max = 256;

    /// Both live as long.
    PlacedPods(core::Cluster& cluster, const core::Namespaces& namespaces)
        : cluster_(cluster), namespaces_(namespaces) {}

    core::DomainRules& rules() { return rules_; }
    const core::DomainRules& rules() const { return rules_; }

    // --- nodes ---
    /// It came, or is another now.
    void node_changed(core::NodeIndex node, const core::Node& value);
    void node_went(core::NodeIndex node);

    // --- pods that are placed ---
    /// It holds room on this node. Repeating it takes over what has changed.
    void place(const core::Pod& pod, const std::string& node);
    /// It holds none any more, or never did.
    void remove(std::string_view uid);

    // --- pods that wait ---
    /// Takes over the pod's rules. Not empty: why it cannot have them. Preferences are given up
    /// where they name too many labels.
    std::string wait(const core::Pod& pod);
    void stop_waiting(std::string_view uid);
    /// The same for executors that do not exist yet: of their driver's uid, the gang's `shape`.
    std::string wait_for_executors(
        std::string_view uid,
        std::size_t shape,
        const core::PodRules& rules,
        const std::string& namespace_name);
    void stop_waiting_for_executors(std::string_view uid);
    /// visit(uid) for each pod that waits with rules, by uid; for a gang's executors uid/shape.
    template <typename Visit>
    void for_each_waiting(const Visit& visit) const {
        for (const auto& [uid, rules] : waiting_) visit(std::string_view(uid));
    }
    /// None: the pod waits without rules.
    core::RulesId rules_of(std::string_view uid) const;
    core::RulesId rules_of_executors(std::string_view uid, std::size_t shape) const;

    // --- labels of namespaces ---
    /// Somebody has a rule that speaks of them.
    bool needs_namespaces() const { return by_labels_placed_ > 0 || !by_labels_waiting_.empty(); }
    /// Of one that waits with such a rule.
    struct RulesTaken {
        std::string uid;             ///< for a gang's executors uid/shape
        std::string problem_before;  ///< why it could not have its rules
        std::string problem;         ///< why it cannot now
    };
    /// They are others, or known at last: rules that mean other namespaces now are taken over anew.
    /// Those of pods that wait are returned.
    std::vector<RulesTaken> namespaces_changed();
    /// It is known whom the rules mean, or that nobody will say.
    bool is_resolved(core::RulesId rules) const;

    // --- labels ---
    /// Of all placed pods the labels are known that rules name. Else a list is wanted, and nothing
    /// can be said of rules that are new.
    bool knows_labels() const { return !keeps_all_ || (was_listed_ && known_ == wanted_); }
    bool is_listing() const { return is_listing_; }
    /// All pods are listed now. No list has those whose bind is under way: they are to be placed
    /// again.
    void list_began();
    /// One of them; not if it holds no room. What the watch has told since the list began is newer.
    void listed(
        std::string_view uid,
        core::NodeIndex node,
        const std::string& namespace_name,
        const core::StringMap& labels,
        bool is_deleting);
    /// `complete`: none is missing.
    void list_ended(bool complete);
    /// Counts placed pods for rules that are new. How many pods were looked at.
    std::size_t fill();

    /// Grows when rules may leave pods other nodes than before.
    std::uint64_t version() const { return version_; }
    /// Rules that are held by pods that wait.
    std::size_t waiting_count() const { return waiting_.size(); }
    /// Of these and those that cannot have theirs: whose rules speak of labels of namespaces.
    std::size_t by_labels_count() const { return by_labels_waiting_.size(); }
    /// Pods that are kept.
    std::size_t size() const { return pods_.size(); }
    /// Whether what is shared has as many owners; walks everything, for tests.
    std::vector<core::Account> accounts() const;

private:
    /// What rules see of a pod, mostly alike in all pods of one application.
    struct Identity {
        std::string namespace_name;
        core::StringMap labels;  ///< those that rules name, or have named
        core::PodRules rules;    ///< the terms that reach others, with the namespaces they mean
        core::PodRules asked = {};  ///< as the pod has them, if they speak of labels of namespaces
        friend auto operator<=>(const Identity&, const Identity&) = default;
    };
    using IdentityId = core::Id<struct IdentityTag>;
    struct Placed {
        core::NodeIndex node;
        IdentityId identity;
        std::uint32_t list = 0;  ///< the last that had begun when its labels were taken
        bool is_deleting = false;
    };
    using Labels = std::vector<std::string>;  ///< sorted

    core::StringMap wanted(const core::StringMap& labels) const;
    void put(std::string_view uid, const Identity& identity, Placed placed);
    core::PlacedPod seen(const Placed& placed) const;
    bool want_labels(const core::PodRules& rules);
    void set_rules(Identity& identity, core::PodRules rules) const;
    void resolve_placed();
    void forget_identity(IdentityId id);
    std::string find_unknown(const core::PodRules& rules) const;
    std::string take_rules(
        const std::string& uid, const core::PodRules& asked, const std::string& namespace_name);
    std::string take_resolved(
        const std::string& uid, const core::PodRules& rules, const std::string& namespace_name);

    /// Of one that waits: as it asks, if that speaks of labels of namespaces.
    struct AskedByLabels {
        core::PodRules rules;
        std::string namespace_name;
        std::string problem = {};
    };

    bool has_its_rules(std::string_view uid, const AskedByLabels& asked) const;

    core::Cluster& cluster_;
    const core::Namespaces& namespaces_;
    core::DomainRules rules_;
    core::Interner<Identity, IdentityId> identities_;
    core::UidTable<Placed> pods_;
    /// By uid, or by driver's uid/shape for executors that do not exist.
    std::map<std::string, core::RulesId, std::less<>> waiting_;
    std::map<std::string, AskedByLabels, std::less<>> by_labels_waiting_;  ///< likewise
    std::size_t by_labels_placed_ = 0;  ///< placed pods whose rules speak of labels of namespaces
    Labels wanted_;   ///< that rules name, or have named
    Labels known_;    ///< of these: of all placed pods
    Labels listing_;  ///< of these: that the list under way will tell
    std::uint64_t version_ = 0;
    std::uint32_t lists_ = 0;
    bool is_listing_ = false;
    bool was_listed_ = false;
    bool keeps_all_ = false;  ///< some pod has waited with rules
};

}  // namespace gang
