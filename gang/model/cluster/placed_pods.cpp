#include "gang/model/cluster/placed_pods.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace gang {
namespace {

using Labels = std::vector<std::string>;

Labels labels_of(const core::PodRules& rules) {
    Labels labels;
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

Labels merged(const Labels& a, const Labels& b) {
    Labels both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

/// A uid has no slash.
std::string executors_of(std::string_view uid) {
    return std::string(uid) + "/";
}

}  // namespace

core::StringMap PlacedPods::wanted(const core::StringMap& labels) const {
    core::StringMap found;
    for (const auto& label : labels) {
        if (std::binary_search(wanted_.begin(), wanted_.end(), label.first)) {
            found.push_back(label);
        }
    }
    return found;
}

core::PlacedPod PlacedPods::seen(const Placed& placed) const {
    const Identity& identity = identities_[placed.identity];
    return {
        placed.node,
        identity.namespace_name,
        identity.labels,
        identity.rules.empty() ? nullptr : &identity.rules,
        placed.is_deleting};
}

void PlacedPods::set_rules(Identity& identity, core::PodRules rules) const {
    if (core::needs_namespace_labels(rules)) {
        identity.asked = rules;
    }
    identity.rules = core::with_namespaces(std::move(rules), namespaces_);
}

void PlacedPods::forget_identity(IdentityId id) {
    by_labels_placed_ -= identities_[id].asked.empty() ? 0 : 1;
    identities_.release(id);
}

void PlacedPods::put(std::string_view uid, const Identity& identity, Placed placed) {
    placed.identity = identities_.intern(identity).id;
    by_labels_placed_ += identity.asked.empty() ? 0 : 1;
    if (const auto before = pods_.take(uid)) {
        const bool is_same = before->node == placed.node && before->identity == placed.identity &&
                             before->is_deleting == placed.is_deleting;
        if (!is_same) {
            rules_.pod_gone(seen(*before));
            rules_.pod_placed(seen(placed), cluster_);
            ++version_;
        }
        forget_identity(before->identity);
    } else {
        rules_.pod_placed(seen(placed), cluster_);
        ++version_;
    }
    pods_.insert(uid, placed);
}

void PlacedPods::node_changed(core::NodeIndex node, const core::Node& value) {
    rules_.node_changed(node, value);
    version_ += rules_.size() > 0 ? 1 : 0;
}

/// Its pods are in no domain any more, and the domain may have gone with it.
void PlacedPods::node_went(core::NodeIndex node) {
    rules_.node_went(node);
    version_ += rules_.size() > 0 ? 1 : 0;
}

void PlacedPods::place(const core::Pod& pod, const std::string& node) {
    const bool has_terms = pod.rules.has_value() && pod.rules->has_terms();
    if (!keeps_all_ && !has_terms) {
        remove(pod.uid);
        return;
    }
    Identity identity{pod.namespace_name, wanted(pod.labels), {}};
    if (has_terms) {
        core::PodRules rules = *pod.rules;
        rules.spread.clear();
        rules.preferred_spread.clear();
        set_rules(identity, std::move(rules));
    }
    Placed placed;
    placed.node = cluster_.node_or_placeholder(node);
    placed.list = lists_;
    placed.is_deleting = pod.deleting;
    put(pod.uid, identity, placed);
}

void PlacedPods::remove(std::string_view uid) {
    if (pods_.size() == 0) {
        return;
    }
    const auto placed = pods_.take(uid);
    if (!placed) {
        return;
    }
    ++version_;
    rules_.pod_gone(seen(*placed));
    forget_identity(placed->identity);
}

/// False: there are too many already. What nobody who waits names is given up for it.
bool PlacedPods::want_labels(const core::PodRules& rules) {
    const Labels named = labels_of(rules);
    Labels all = merged(wanted_, named);
    if (all.size() > labels_max) {
        all = named;
        for (const auto& [uid, id] : waiting_) {
            all = merged(all, labels_of(rules_.rules(id)));
        }
        if (all.size() > labels_max) {
            return false;
        }
        Labels still_known;
        std::set_intersection(
            known_.begin(), known_.end(), all.begin(), all.end(), std::back_inserter(still_known));
        known_ = std::move(still_known);
    }
    wanted_ = std::move(all);
    keeps_all_ = true;
    return true;
}

std::string PlacedPods::wait(const core::Pod& pod) {
    if (!pod.rules.has_value()) {
        stop_waiting(pod.uid);
        return {};
    }
    return take_rules(pod.uid, *pod.rules, pod.namespace_name);
}

std::string PlacedPods::wait_for_executors(
    std::string_view uid,
    std::size_t shape,
    const core::PodRules& rules,
    const std::string& namespace_name) {
    return take_rules(executors_of(uid) + std::to_string(shape), rules, namespace_name);
}

std::string PlacedPods::take_rules(
    const std::string& uid, const core::PodRules& asked, const std::string& namespace_name) {
    if (!core::needs_namespace_labels(asked)) {
        by_labels_waiting_.erase(uid);
        return take_resolved(uid, asked, namespace_name);
    }
    std::string problem = find_unknown(asked);
    if (problem.empty()) {
        problem = take_resolved(uid, core::with_namespaces(asked, namespaces_), namespace_name);
    } else {
        stop_waiting(uid);
    }
    by_labels_waiting_.insert_or_assign(uid, AskedByLabels{asked, namespace_name, problem});
    return problem;
}

/// Why it cannot be known whom the rules mean.
std::string PlacedPods::find_unknown(const core::PodRules& rules) const {
    const std::string_view field = core::requires_namespace_labels(rules);
    if (field.empty() || namespaces_.is_known() || !namespaces_.is_answered()) {
        return {};
    }
    return std::string(field) +
           ": a namespaceSelector needs the labels of namespaces, which cannot be listed (" +
           namespaces_.why_missing() +
           "); allow that, or list the namespaces by name, or select all of them with {}";
}

std::string PlacedPods::take_resolved(
    const std::string& uid, const core::PodRules& rules, const std::string& namespace_name) {
    if (const auto known = waiting_.find(uid);
        known != waiting_.end() && rules_.rules(known->second) == rules) {
        return {};
    }
    stop_waiting(uid);
    if (!want_labels(rules)) {
        if (rules.has_preferred()) {
            core::PodRules required = rules;
            required.preferred.clear();
            required.preferred_spread.clear();
            return required.empty() ? std::string()
                                    : take_resolved(uid, required, namespace_name);
        }
        return "the pods that wait ask for more than " + std::to_string(labels_max) +
               " different labels of other pods, in their affinity and topology spread";
    }
    waiting_.emplace(uid, rules_.retain(rules, namespace_name, cluster_));
    return {};
}

void PlacedPods::stop_waiting(std::string_view uid) {
    if (const auto asked = by_labels_waiting_.find(uid); asked != by_labels_waiting_.end()) {
        by_labels_waiting_.erase(asked);
    }
    const auto known = waiting_.find(uid);
    if (known == waiting_.end()) {
        return;
    }
    rules_.release(known->second);
    waiting_.erase(known);
}

void PlacedPods::stop_waiting_for_executors(std::string_view uid) {
    if (waiting_.empty() && by_labels_waiting_.empty()) {
        return;
    }
    const std::string prefix = executors_of(uid);
    for (auto it = by_labels_waiting_.lower_bound(prefix);
         it != by_labels_waiting_.end() && it->first.starts_with(prefix);) {
        it = by_labels_waiting_.erase(it);
    }
    for (auto it = waiting_.lower_bound(prefix);
         it != waiting_.end() && it->first.starts_with(prefix);) {
        rules_.release(it->second);
        it = waiting_.erase(it);
    }
}

core::RulesId PlacedPods::rules_of_executors(std::string_view uid, std::size_t shape) const {
    return rules_of(executors_of(uid) + std::to_string(shape));
}

core::RulesId PlacedPods::rules_of(std::string_view uid) const {
    const auto known = waiting_.find(uid);
    return known == waiting_.end() ? core::RulesId{} : known->second;
}

bool PlacedPods::is_resolved(core::RulesId rules) const {
    return rules.is_none() || namespaces_.is_answered() ||
           !core::needs_namespace_labels(rules_.rules(rules));
}

/// Whom the rules mean is looked up once for all pods that are alike.
void PlacedPods::resolve_placed() {
    std::map<IdentityId, std::optional<Identity>> now;  ///< nothing: they mean whom they meant
    std::vector<std::pair<std::string, IdentityId>> others;
    pods_.for_each([&](std::string_view uid, const Placed& pod) {
        const Identity& before = identities_[pod.identity];
        if (before.asked.empty()) {
            return;
        }
        const auto [at, is_new] = now.try_emplace(pod.identity);
        if (is_new) {
            Identity identity = before;
            set_rules(identity, before.asked);
            if (identity.rules != before.rules) {
                at->second = std::move(identity);
            }
        }
        if (at->second) {
            others.emplace_back(uid, pod.identity);
        }
    });
    for (const auto& [uid, before] : others) {
        put(uid, *now.at(before), *pods_.find(uid));
    }
}

bool PlacedPods::has_its_rules(std::string_view uid, const AskedByLabels& asked) const {
    const auto found = waiting_.find(uid);
    return namespaces_.is_known() && asked.problem.empty() && found != waiting_.end() &&
           rules_.rules(found->second) == core::with_namespaces(asked.rules, namespaces_);
}

std::vector<PlacedPods::RulesTaken> PlacedPods::namespaces_changed() {
    if (by_labels_placed_ > 0) {
        resolve_placed();
    }
    std::vector<RulesTaken> waiting;
    const auto all = by_labels_waiting_;
    for (const auto& [uid, asked] : all) {
        if (!has_its_rules(uid, asked)) {
            std::string problem = take_rules(uid, asked.rules, asked.namespace_name);
            waiting.push_back({uid, asked.problem, std::move(problem)});
        }
    }
    version_ += waiting.empty() ? 0 : 1;
    return waiting;
}

void PlacedPods::list_began() {
    ENSURE(!is_listing_);
    is_listing_ = true;
    listing_ = wanted_;
    ++lists_;
}

void PlacedPods::listed(
    std::string_view uid,
    core::NodeIndex node,
    const std::string& namespace_name,
    const core::StringMap& labels,
    bool is_deleting) {
    const auto before = pods_.find(uid);
    if (!is_listing_ || (before && before->list == lists_)) {
        return;
    }
    Identity identity{namespace_name, wanted(labels), {}};
    if (before) {
        identity.rules = identities_[before->identity].rules;
        identity.asked = identities_[before->identity].asked;
    }
    Placed placed;
    placed.node = node;
    placed.list = lists_;
    placed.is_deleting = is_deleting;
    put(uid, identity, placed);
}

/// Labels that rules have named since the list began are for the next one.
void PlacedPods::list_ended(bool complete) {
    if (!is_listing_) {
        return;
    }
    is_listing_ = false;
    if (!complete) {
        return;
    }
    was_listed_ = true;
    known_.clear();
    std::set_intersection(
        listing_.begin(),
        listing_.end(),
        wanted_.begin(),
        wanted_.end(),
        std::back_inserter(known_));
}

std::size_t PlacedPods::fill() {
    if (rules_.all_filled() || !knows_labels()) {
        return 0;
    }
    ++version_;
    rules_.fill([this](const auto& visit) {
        pods_.for_each([&](std::string_view, const Placed& placed) { visit(seen(placed)); });
    });
    return pods_.size();
}

std::vector<core::Account> PlacedPods::accounts() const {
    return {
        {"identities of placed pods", identities_.references(), pods_.size()},
        {"rules of pods that wait", rules_.references(), waiting_.size()}};
}

}  // namespace gang
