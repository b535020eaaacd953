#include "gang/life/namespace_events.hpp"

#include "gang/decision.hpp"

#include <string>

namespace gang {

bool NamespaceEvents::on(const NamespacesListed& event) {
    return look_again(model_.namespaces.listed(event.namespaces));
}

bool NamespaceEvents::on(const NamespaceChanged& event) {
    return look_again(model_.namespaces.changed(event.one));
}

bool NamespaceEvents::on(const NamespaceDeleted& event) {
    return look_again(model_.namespaces.deleted(event.name));
}

bool NamespaceEvents::on(const NamespacesMissing& event) {
    return look_again(model_.namespaces.missing(event.message));
}

void NamespaceEvents::run() {
    const bool is_needed =
        model_.pod_rules.needs_namespaces() ||
        (model_.shares.is_active() && model_.shares.placement.needs_namespaces());
    if (is_needed && !is_asked_) {
        is_asked_ = true;
        step_.decisions.emplace_back(WatchNamespaces{});
    }
}

/// Whoever waits with such a rule may go elsewhere now.
bool NamespaceEvents::look_again(bool is_news) {
    if (!is_news || !model_.pod_rules.needs_namespaces()) {
        return is_news;
    }
    for (const WaitingRules::Taken& taken : model_.pod_rules.namespaces_changed()) {
        const std::string uid = taken.uid.substr(0, taken.uid.find('/'));
        PodEntry* const entry = model_.pods.find_active(uid);
        if (entry == nullptr) {
            continue;
        }
        Application* const app = model_.gangs.find(uid);
        if (taken.uid == uid && entry->pod.problem == taken.problem_before) {
            entry->pod.problem = taken.problem;
            if (app != nullptr && app->declared.diagnostics->problem == taken.problem_before) {
                app->set_problem(taken.problem);
            }
        }
        if (taken.uid != uid && app != nullptr && !taken.problem_before.empty() &&
            app->declared.diagnostics->problem == executors_problem + taken.problem_before) {
            app->set_problem(
                taken.problem.empty() ? std::string() : executors_problem + taken.problem);
        }
        if (app != nullptr) {
            model_.waiting.changed(*app);
        }
        if (!entry->owner.empty()) {
            model_.worklist.dirty_gangs.insert(entry->owner);
        }
        if (!entry->group.empty()) {
            model_.worklist.dirty_groups.insert(entry->group);
        }
        model_.worklist.dirty_pods.insert(uid);
    }
    model_.worklist.queue_changed = true;
    return true;
}

}  // namespace gang
