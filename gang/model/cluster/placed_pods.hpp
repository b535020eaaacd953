#pragma once
// Pods of all schedulers that are bound, or on their way there, as rules between pods see them
// (core/domain/domain_rules.hpp): those that have affinity terms, and every one with the labels
// that rules name, as soon as they name some (rule_labels.hpp).

#include "core/base/interner.hpp"
#include "core/base/uid_table.hpp"
#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "core/value/pod.hpp"
#include "gang/model/cluster/rule_labels.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gang {

class PlacedPods {
public:
    struct Parts {
        core::Cluster& cluster;
        const core::Namespaces& namespaces;
        core::DomainRules& rules;
        const RuleLabels& labels;
    };
    /// All live as long.
    explicit PlacedPods(const Parts& parts) : in_(parts) {}

    /// It holds room on this node. Repeating it takes over what has changed.
    void place(const core::Pod& pod, const std::string& node);
    /// It holds none any more, or never did.
    void remove(std::string_view uid);
    /// One of a list of all pods; not if it holds no room. What the watch has told since the list
    /// began is newer.
    void listed(
        std::string_view uid,
        core::NodeIndex node,
        const std::string& namespace_name,
        const core::StringMap& labels,
        bool is_deleting);
    /// Counts placed pods for rules that are new. How many pods were looked at.
    std::size_t fill();

    /// Some of them have rules that speak of labels of namespaces.
    bool needs_namespaces() const { return by_labels_count_ > 0; }
    /// They are others, or known at last: rules that mean other namespaces now are taken over anew.
    void namespaces_changed();

    /// Grows when rules may leave pods other nodes than before.
    std::uint64_t version() const { return version_; }
    /// Pods that are kept.
    std::size_t size() const { return pods_.size(); }
    /// By how many of them what they have in common is held; walks everything, for tests.
    std::uint64_t identity_references() const { return identities_.references(); }

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

    void put(std::string_view uid, const Identity& identity, Placed placed);
    core::PlacedPod seen(const Placed& placed) const;
    void set_rules(Identity& identity, core::PodRules rules) const;
    void forget_identity(IdentityId id);

    const Parts in_;
    core::Interner<Identity, IdentityId> identities_;
    core::UidTable<Placed> pods_;
    std::size_t by_labels_count_ = 0;  ///< pods whose rules speak of labels of namespaces
    std::uint64_t version_ = 0;
};

}  // namespace gang
