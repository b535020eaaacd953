#pragma once
// The labels that rules between pods name: which are wanted, and which are known of all placed
// pods, by a list of them.
//
//   a pod waits whose rules name labels --> wanted: from now on every bound pod is kept with them
//        '-> labels of those that were bound before are listed once -> known: rules may be asked
//
// A label that was named once stays known, so that the next pod with such a rule need not wait for
// a list.

#include "core/value/pod_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gang {

/// Sorted.
using LabelNames = std::vector<std::string>;

/// Those that the rules name.
LabelNames labels_of(const core::PodRules& rules);
LabelNames merged(const LabelNames& a, const LabelNames& b);

class RuleLabels {
public:
    /// Labels that rules may name at a time, of all pods that wait.
    static constexpr std::size_t labels_max = 256;

    /// These are wanted, too. False, and nothing has changed: there would be too many.
    bool want(const LabelNames& named);
    /// These alone are wanted: nobody who waits names others. False: likewise.
    bool want_only(LabelNames named);
    /// Some pod has waited with rules. Until then nothing is kept of pods without affinity terms.
    bool are_wanted() const { return are_wanted_; }
    /// Of a pod's labels those that are wanted.
    core::StringMap pick(const core::StringMap& labels) const;

    /// Of all placed pods the labels are known that rules name. Else a list is wanted, and nothing
    /// can be said of rules that are new.
    bool are_known() const { return !are_wanted_ || (was_listed_ && known_ == wanted_); }
    bool is_listing() const { return is_listing_; }
    /// The last list that had begun, counted from 1.
    std::uint32_t list() const { return list_; }
    /// All pods are listed now. No list has those whose bind is under way: they are to be placed
    /// again.
    void list_began();
    /// `complete`: none is missing.
    void list_ended(bool complete);

private:
    LabelNames wanted_;   ///< that rules name, or have named
    LabelNames known_;    ///< of these: of all placed pods
    LabelNames listing_;  ///< of these: that the list under way will tell
    std::uint32_t list_ = 0;
    bool is_listing_ = false;
    bool was_listed_ = false;
    bool are_wanted_ = false;
};

}  // namespace gang
