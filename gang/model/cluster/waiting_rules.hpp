#pragma once
// The rules of pods that wait, and of executors that do not exist yet, held in
// core::DomainRules until the pod is placed or gone.

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "core/value/pod.hpp"
#include "gang/model/cluster/rule_labels.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// Begins what a gang is told whose executors to come cannot have their rules.
inline constexpr const char* executors_problem = "the executor template: ";

class WaitingRules {
public:
    struct Parts {
        const core::Cluster& cluster;
        const core::Namespaces& namespaces;
        core::DomainRules& rules;
        RuleLabels& labels;
    };
    /// All live as long.
    explicit WaitingRules(const Parts& parts) : in_(parts) {}

    /// Takes over the pod's rules. Not empty: why it cannot have them. Preferences are given up
    /// where they name too many labels.
    std::string wait(const core::Pod& pod);
    void stop(std::string_view uid);
    /// The same for executors that do not exist yet: of their driver's uid, the gang's `shape`.
    std::string wait_for_executors(
        std::string_view uid,
        std::size_t shape,
        const core::PodRules& rules,
        const std::string& namespace_name);
    void stop_for_executors(std::string_view uid);

    /// visit(uid) for each pod that waits with rules, by uid; for a gang's executors uid/shape.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        for (const auto& [uid, rules] : waiting_) visit(std::string_view(uid));
    }
    /// None: the pod waits without rules.
    core::RulesId of(std::string_view uid) const;
    core::RulesId of_executors(std::string_view uid, std::size_t shape) const;

    /// Somebody has a rule that speaks of labels of namespaces.
    bool needs_namespaces() const { return !by_labels_.empty(); }
    /// Of one that waits with such a rule.
    struct Taken {
        std::string uid;             ///< for a gang's executors uid/shape
        std::string problem_before;  ///< why it could not have its rules
        std::string problem;         ///< why it cannot now
    };
    /// They are others, or known at last: rules that mean other namespaces now are taken over anew.
    std::vector<Taken> namespaces_changed();

    /// Grows when labels of namespaces give a pod other rules than before.
    std::uint64_t version() const { return version_; }
    /// Rules that are held.
    std::size_t size() const { return waiting_.size(); }
    /// Of these and those that cannot have theirs: whose rules speak of labels of namespaces.
    std::size_t by_labels_count() const { return by_labels_.size(); }

private:
    /// As a pod asks, if that speaks of labels of namespaces.
    struct AskedByLabels {
        core::PodRules rules;
        std::string namespace_name;
        std::string problem = {};
    };

    bool want_labels(const core::PodRules& rules);
    std::string find_unknown(const core::PodRules& rules) const;
    std::string take(
        const std::string& uid, const core::PodRules& asked, const std::string& namespace_name);
    std::string take_resolved(
        const std::string& uid, const core::PodRules& rules, const std::string& namespace_name);
    bool has_its_rules(std::string_view uid, const AskedByLabels& asked) const;

    const Parts in_;
    /// By uid, or by driver's uid/shape for executors that do not exist.
    std::map<std::string, core::RulesId, std::less<>> waiting_;
    std::map<std::string, AskedByLabels, std::less<>> by_labels_;  ///< likewise
    std::uint64_t version_ = 0;
};

}  // namespace gang
