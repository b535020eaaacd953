#include "gang/model/cluster/waiting_rules.hpp"

#include <utility>

namespace gang {
namespace {

/// A uid has no slash.
std::string executors_prefix(std::string_view uid) {
    return std::string(uid) + "/";
}

}  // namespace

/// False: there are too many already. What nobody who waits names is given up for it.
bool WaitingRules::want_labels(const core::PodRules& rules) {
    LabelNames named = labels_of(rules);
    if (in_.labels.want(named)) {
        return true;
    }
    for (const auto& [uid, id] : waiting_) {
        named = merged(named, labels_of(in_.rules.rules(id)));
    }
    return in_.labels.want_only(std::move(named));
}

std::string WaitingRules::wait(const core::Pod& pod) {
    if (!pod.rules.has_value()) {
        stop(pod.uid);
        return {};
    }
    return take(pod.uid, *pod.rules, pod.namespace_name);
}

std::string WaitingRules::wait_for_executors(
    std::string_view uid,
    std::size_t shape,
    const core::PodRules& rules,
    const std::string& namespace_name) {
    return take(executors_prefix(uid) + std::to_string(shape), rules, namespace_name);
}

std::string WaitingRules::take(
    const std::string& uid, const core::PodRules& asked, const std::string& namespace_name) {
    if (!core::needs_namespace_labels(asked)) {
        by_labels_.erase(uid);
        return take_resolved(uid, asked, namespace_name);
    }
    std::string problem = find_unknown(asked);
    if (problem.empty()) {
        problem = take_resolved(uid, core::with_namespaces(asked, in_.namespaces), namespace_name);
    } else {
        stop(uid);
    }
    by_labels_.insert_or_assign(uid, AskedByLabels{asked, namespace_name, problem});
    return problem;
}

/// Why it cannot be known whom the rules mean.
std::string WaitingRules::find_unknown(const core::PodRules& rules) const {
    const std::string_view field = core::requires_namespace_labels(rules);
    if (field.empty() || in_.namespaces.is_known() || !in_.namespaces.is_answered()) {
        return {};
    }
    return std::string(field) +
           ": a namespaceSelector needs the labels of namespaces, which cannot be listed (" +
           in_.namespaces.why_missing() +
           "); allow that, or list the namespaces by name, or select all of them with {}";
}

std::string WaitingRules::take_resolved(
    const std::string& uid, const core::PodRules& rules, const std::string& namespace_name) {
    if (const auto known = waiting_.find(uid);
        known != waiting_.end() && in_.rules.rules(known->second) == rules) {
        return {};
    }
    stop(uid);
    if (!want_labels(rules)) {
        if (rules.has_preferred()) {
            core::PodRules required = rules;
            required.preferred.clear();
            required.preferred_spread.clear();
            return required.empty() ? std::string() : take_resolved(uid, required, namespace_name);
        }
        return "the pods that wait ask for more than " + std::to_string(RuleLabels::labels_max) +
               " different labels of other pods, in their affinity and topology spread";
    }
    waiting_.emplace(uid, in_.rules.retain(rules, namespace_name, in_.cluster));
    return {};
}

void WaitingRules::stop(std::string_view uid) {
    if (const auto asked = by_labels_.find(uid); asked != by_labels_.end()) {
        by_labels_.erase(asked);
    }
    const auto known = waiting_.find(uid);
    if (known == waiting_.end()) {
        return;
    }
    in_.rules.release(known->second);
    waiting_.erase(known);
}

void WaitingRules::stop_for_executors(std::string_view uid) {
    if (waiting_.empty() && by_labels_.empty()) {
        return;
    }
    const std::string prefix = executors_prefix(uid);
    for (auto it = by_labels_.lower_bound(prefix);
         it != by_labels_.end() && it->first.starts_with(prefix);) {
        it = by_labels_.erase(it);
    }
    for (auto it = waiting_.lower_bound(prefix);
         it != waiting_.end() && it->first.starts_with(prefix);) {
        in_.rules.release(it->second);
        it = waiting_.erase(it);
    }
}

core::RulesId WaitingRules::of_executors(std::string_view uid, std::size_t shape) const {
    return of(executors_prefix(uid) + std::to_string(shape));
}

core::RulesId WaitingRules::of(std::string_view uid) const {
    const auto known = waiting_.find(uid);
    return known == waiting_.end() ? core::RulesId{} : known->second;
}

bool WaitingRules::has_its_rules(std::string_view uid, const AskedByLabels& asked) const {
    const auto found = waiting_.find(uid);
    return in_.namespaces.is_known() && asked.problem.empty() && found != waiting_.end() &&
           in_.rules.rules(found->second) == core::with_namespaces(asked.rules, in_.namespaces);
}

std::vector<WaitingRules::Taken> WaitingRules::namespaces_changed() {
    std::vector<Taken> taken;
    const auto all = by_labels_;
    for (const auto& [uid, asked] : all) {
        if (!has_its_rules(uid, asked)) {
            std::string problem = take(uid, asked.rules, asked.namespace_name);
            taken.push_back({uid, asked.problem, std::move(problem)});
        }
    }
    version_ += taken.empty() ? 0 : 1;
    return taken;
}

}  // namespace gang
