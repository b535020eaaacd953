#include "gang/classify/pod_classifier.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/explain.hpp"
#include "gang/model/group/max_wait.hpp"
#include "gang/model/work.hpp"
#include "gang/report/messages.hpp"

#include <string>
#include <utility>

namespace gang {

bool PodClassifier::run() {
    const auto dirty = std::exchange(model_.worklist.dirty_pods, {});
    for (auto next = dirty.begin(); next != dirty.end(); ++next) {
        if (step_.work_left <= 0) {
            model_.worklist.dirty_pods.insert(next, dirty.end());
            step_.wake_at(step_.now_ms);
            return false;
        }
        step_.work_left -= work_per_attempt;
        PodEntry* entry = model_.pods.find_active(*next);
        if (entry != nullptr && !entry->is_driver) {
            classify(*entry);
            compaction_.compact_if_settled(*entry);
        }
    }
    return true;
}

void PodClassifier::classify(PodEntry& entry) {
    const std::string& uid = entry.pod.uid;
    if (entry.is_bindable()) {
        owners_.follow_application(entry);
    }
    Application* owner = model_.gangs.find_owner(entry);
    if (!entry.is_bindable()) {
        if (owner != nullptr) {
            owner->remove_pending(entry.rank());
        }
        // A claim of a lone pod keeps its record until the answer is there.
        if (!entry.bind_in_flight || entry.slot >= 0) {
            model_.gangs.erase(uid);
        }
        return;
    }
    if (owner != nullptr) {
        owner->pending.make().insert(entry.rank());
        model_.worklist.dirty_gangs.insert(owner->uid);
        return;
    }
    if (!entry.group.empty() && entry.alone == Alone::no) {
        model_.worklist.dirty_groups.insert(entry.group);  // which says what becomes of it
        return;
    }
    if (owners_.is_ownerless(entry)) {
        let_ownerless_wait(entry);
        return;
    }
    const bool is_new = model_.gangs.find(uid) == nullptr;
    Application& app = model_.gangs.ensure(entry, false);
    if (is_new) {
        note_unread(app, entry);
    } else {
        model_.gangs.choose_queue(app, entry);
    }
    model_.gangs.set_held(app, asks_hold(entry.pod));
    const PodGroup* const group =
        entry.group.empty() ? nullptr : model_.groups.find(entry.group.str());
    model_.gangs.set_max_wait(app, max_wait_ms_of(group, entry.pod));
    model_.shapes.set_driver(app, entry.pod);
    app.phase = Phase::waiting;
    model_.waiting.insert(app, entry.retry->code != ReasonCode::none);
    model_.worklist.queue_changed = true;
}

/// There may be thousands, all there before their drivers are admitted: nothing is kept of it but
/// what was said.
void PodClassifier::let_ownerless_wait(const PodEntry& entry) {
    model_.gangs.erase(entry.pod.uid);  // it may have stood in the queue by itself
    status_reporter_.report_quietly(
        entry.pod, ownerless_message(model_.cluster.nodes().count(), entry.pod), step_.now_ms);
}

/// Of a pod that starts no gang: to be told once, each pod for itself, as its other events are.
/// What the group's other pods say is not remembered, and events are limited as a whole.
void PodClassifier::note_unread(Application& app, const PodEntry& entry) const {
    const core::Pod& pod = entry.pod;
    if (!model_.reader.reads_declarations()) {
        return;
    }
    if (const auto membership = read_membership(pod)) {
        const PodGroup* const group = model_.groups.find(entry.group.str());
        if (group != nullptr && group->soft_after_ms > 0 && entry.alone == Alone::single) {
            app.declared.diagnostics.make().warnings = {
                "pod group " + pod.namespace_name + "/" + group->name +
                " had no room for all its pods within " + duration_text(group->soft_after_ms) +
                ", and its gangSchedulingStyle is Soft: its pods are scheduled one by one"};
            app.declared.diagnostics.make().notes = app.declared.diagnostics.make().warnings;
        }
        return;
    }
    auto warnings = unread_warnings(pod, "the pod is scheduled by itself");
    if (!warnings.empty()) {
        app.declared.diagnostics.make().notes = warnings;
        app.declared.diagnostics.make().warnings = std::move(warnings);
    }
}

}  // namespace gang
