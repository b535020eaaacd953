#include "gang/model/cluster/rule_labels.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gang {
namespace {

LabelNames known_in_both(const LabelNames& a, const LabelNames& b) {
    LabelNames both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

}  // namespace

LabelNames labels_of(const core::PodRules& rules) {
    LabelNames labels;
    const auto note = [&labels](const core::LabelSelector& selector) {
        for (const core::LabelRequirement& one : selector.requirements) labels.push_back(one.key);
    };
    for (const core::PodAffinityTerm& term : rules.affinity) note(term.selector);
    for (const core::PodAffinityTerm& term : rules.anti_affinity) note(term.selector);
    for (const core::SpreadConstraint& one : rules.spread) note(one.selector);
    for (const core::PreferredPods& one : rules.preferred) note(one.term.selector);
    for (const core::SpreadConstraint& one : rules.preferred_spread) note(one.selector);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
}

LabelNames merged(const LabelNames& a, const LabelNames& b) {
    LabelNames both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

bool RuleLabels::want(const LabelNames& named) {
    LabelNames all = merged(wanted_, named);
    if (all.size() > labels_max) {
        return false;
    }
    wanted_ = std::move(all);
    are_wanted_ = true;
    return true;
}

bool RuleLabels::want_only(LabelNames named) {
    if (named.size() > labels_max) {
        return false;
    }
    known_ = known_in_both(known_, named);
    wanted_ = std::move(named);
    are_wanted_ = true;
    return true;
}

core::StringMap RuleLabels::pick(const core::StringMap& labels) const {
    core::StringMap picked;
    for (const auto& label : labels) {
        if (std::binary_search(wanted_.begin(), wanted_.end(), label.first)) {
            picked.push_back(label);
        }
    }
    return picked;
}

void RuleLabels::list_began() {
    ENSURE(!is_listing_);
    is_listing_ = true;
    listing_ = wanted_;
    ++list_;
}

/// Labels that rules have named since the list began are for the next one.
void RuleLabels::list_ended(bool complete) {
    if (!is_listing_) {
        return;
    }
    is_listing_ = false;
    if (complete) {
        was_listed_ = true;
        known_ = known_in_both(listing_, wanted_);
    }
}

}  // namespace gang
