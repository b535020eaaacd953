#include "gang/classify/executor_owners.hpp"

#include "config/schema.hpp"
#include "core/value/pod.hpp"
#include "gang/model/group/group_records.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/pod/application_ids.hpp"

#include <algorithm>
#include <string_view>

namespace gang {
namespace {

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Spark names a stateful set spark-s-<application>-<profile>; a replica set has its deployment's
/// name and a hash.
bool is_executor_set(const core::OwnerReference& controller, const std::string& application) {
    if (application.empty()) {
        return false;
    }
    if (controller.kind == "ReplicaSet") {
        return true;
    }
    const std::string prefix = "spark-s-" + application + "-";
    return controller.kind == "StatefulSet" && controller.name.starts_with(prefix) &&
           is_number(std::string_view(controller.name).substr(prefix.size()));
}

/// Its group may have had a gang before, of which members are left that count for themselves.
bool is_slot_of(const Application& gang, std::string_view named) {
    return named == gang.gang_uid() || named == gang.uid;
}

/// Nobody is a member of it any more.
bool is_over(const Application* gang) {
    return gang == nullptr || gang->phase == Phase::ended;
}

bool has_label(const core::Pod& pod, const char* key) {
    return core::find_value(pod.labels, key) != nullptr;
}

/// Spark numbers its executors; nobody else has reason to.
bool is_made_by_spark(const core::Pod& pod) {
    return has_label(pod, "spark-exec-id") || has_label(pod, "spark-exec-resourceprofile-id");
}

}  // namespace

void ExecutorOwners::note_application(PodEntry& entry) {
    const std::string& application = application_id(entry.pod);
    if (!entry.is_driver) {
        const core::OwnerReference* controller = core::find_controller(entry.pod);
        const bool of_a_set = controller != nullptr && is_executor_set(*controller, application);
        const bool of_a_pod = controller != nullptr && controller->kind == "Pod";
        entry.hand_made = !of_a_set && !of_a_pod && model_.reader.reads_declarations();
        if (!entry.is_executor || (!of_a_set && !entry.hand_made)) {
            entry.hand_made = false;
            return;
        }
    }
    if (application.empty() && !entry.hand_made) {
        return;
    }
    entry.application_key = model_.texts.keep(entry.pod.namespace_name + "/" + application);
    if (entry.is_driver) {
        model_.application_ids.add_driver(entry.application_key, entry.id);
    } else {
        model_.application_ids.add_ownerless(entry.application_key, entry.id);
    }
}

void ExecutorOwners::recheck_application(const Application& app) {
    const PodId driver = model_.pods.id_of(app.uid);
    const std::string& key = model_.pods[driver].application_key();
    if (app.phase == Phase::ended) {
        model_.application_ids.driver_ended(key, driver);
    }
    for (const PodId executor : model_.application_ids.of(key).ownerless) {
        model_.worklist.dirty_pods.insert(model_.pods.uid(executor));
    }
}

void ExecutorOwners::become_member(PodEntry& entry, const std::string& owner) {
    model_.gangs.leave_owner(entry);
    model_.pods.owners().join(entry, owner);
    model_.application_ids.got_owner(entry.application_key, entry.id);
}

bool ExecutorOwners::has_unknown_driver(const PodEntry& entry) const {
    return model_.application_ids.is_ownerless(entry.application_key, entry.id);
}

/// The one driver that the id can mean: the one alive, or the only one there ever was.
const Application* ExecutorOwners::find_driver_by_id(const PodEntry& entry) const {
    const ApplicationIds::Bearers& bearers = model_.application_ids.of(entry.application_key);
    if (entry.application_key.str().ends_with('/')) {
        return find_nameless(entry);
    }
    const PodIds& candidates = bearers.candidates();
    if (candidates.size() != 1 ||
        (entry.hand_made && !model_.pods[*candidates.begin()].is_hand_made())) {
        return nullptr;
    }
    return model_.gangs.find(model_.pods.uid(*candidates.begin()));
}

/// Neither driver nor executor names an application. In one namespace such executors are as good as
/// each other: the oldest gang with an open slot for it gets it. One too many may be anybody's, so
/// it waits until no such gang waits for admission any more.
const Application* ExecutorOwners::find_nameless(const PodEntry& entry) const {
    const Application* oldest = nullptr;
    const Application* with_room = nullptr;  // the oldest that has
    bool is_one_waiting = false;
    for (const PodId driver : model_.application_ids.of(entry.application_key).live) {
        const Application* app = model_.gangs.find(model_.pods.uid(driver));
        if (app == nullptr || !app->published.reserved) {
            is_one_waiting = true;
            continue;
        }
        oldest = oldest == nullptr || app->order() < oldest->order() ? app : oldest;
        // Those found before it, in the same breath, wait for theirs still.
        const bool has_open = app->count(SlotState::open) > app->pending->size();
        if (has_open && (with_room == nullptr || app->order() < with_room->order()) &&
            takes(*app, entry)) {
            with_room = app;
        }
    }
    return with_room != nullptr ? with_room : is_one_waiting ? nullptr : oldest;
}

bool ExecutorOwners::takes(const Application& app, const PodEntry& entry) const {
    return app.published.reserved &&
           std::any_of(
               app.declared.shapes.begin(), app.declared.shapes.end(), [&](const GangShape& shape) {
                   return fits_within(entry.pod.requests, model_.cluster.resources(shape.id));
               });
}

/// A driver made by hand whose uid the executor names as that of an owner, controller or not.
const Application* ExecutorOwners::find_owning_pod(const PodEntry& entry) const {
    for (const core::OwnerReference& owner : entry.pod.owners) {
        const auto driver = model_.pods.find(owner.uid);
        if (driver && model_.pods[*driver].is_hand_made() && model_.pods[*driver].is_driver() &&
            model_.pods[*driver].namespace_name() == entry.pod.namespace_name) {
            return model_.gangs.find(owner.uid);
        }
    }
    return nullptr;
}

void ExecutorOwners::follow_application(PodEntry& entry) {
    if (!has_unknown_driver(entry)) {
        return;
    }
    const Application* app = entry.hand_made ? find_owning_pod(entry) : nullptr;
    app = app != nullptr ? app : find_driver_by_id(entry);
    if (app == nullptr) {
        return;
    }
    // The larger executor of a gang made by hand gets its slot grown, as that of any other gang.
    const bool is_its = (entry.hand_made ? app->published.reserved : takes(*app, entry)) ||
                        (app->phase == Phase::running && app->published.is_unproven);
    if (is_its || app->phase == Phase::ended) {
        become_member(entry, app->uid);
    }
}

bool ExecutorOwners::is_ownerless(const PodEntry& entry) const {
    if (!entry.hand_made || !has_unknown_driver(entry) ||
        model_.schema.gang.orphan_executors == config::OrphanExecutors::schedule) {
        return false;
    }
    const auto has_hand_made = [this](const PodIds& drivers) {
        return std::any_of(drivers.begin(), drivers.end(), [this](PodId driver) {
            return model_.pods[driver].is_hand_made();
        });
    };
    const ApplicationIds::Bearers& bearers = model_.application_ids.of(entry.application_key);
    return !is_made_by_spark(entry.pod) || has_hand_made(bearers.live) ||
           has_hand_made(bearers.ended);
}

bool ExecutorOwners::is_waiting_ownerless(const PodEntry& entry) const {
    return entry.is_bindable() && model_.gangs.find(entry.pod.uid) == nullptr &&
           model_.gangs.find_owner(entry) == nullptr && is_ownerless(entry);
}

void ExecutorOwners::follow_slot_annotation(PodEntry& entry) {
    if (entry.slot_gang.empty() || entry.pod.node_name.empty() || !has_unknown_driver(entry)) {
        return;
    }
    const std::string& driver = entry.slot_gang.str();
    const auto id = model_.pods.find(driver);
    if (!id || !model_.application_ids.of(entry.application_key).has_driver(*id)) {
        return;
    }
    const bool is_of_its_kind = !entry.hand_made || model_.pods[*id].is_hand_made();
    const bool is_meant = model_.schema.is_sealed() || entry.application_key.str().ends_with('/') ||
                          model_.application_ids.of(entry.application_key).candidates().size() == 1;
    if (is_of_its_kind && is_meant) {
        become_member(entry, driver);
    }
}

void ExecutorOwners::follow_group(PodEntry& entry) {
    if (entry.group.empty() || entry.slot_gang.empty() || entry.pod.node_name.empty()) {
        return;
    }
    const Application* gang = model_.gangs.find(entry.slot_gang.str());
    if (is_over(gang)) {
        gang = find_successor(entry);
    }
    if (gang != nullptr) {
        join_gang(*gang, entry);
    }
}

/// The pod that its annotation names may have ended, and the gang have gone on with another. The
/// group's anchor is not known yet behind the fence.
const Application* ExecutorOwners::find_successor(const PodEntry& entry) const {
    for (const PodId member : model_.groups.find(entry.group.str())->members) {
        const Application* const gang = find_anchored(model_, member);
        if (!is_over(gang) && is_slot_of(*gang, entry.slot_gang.str())) {
            return gang;
        }
    }
    return nullptr;
}

/// One of its group, in a slot of it, that no other gang has.
void ExecutorOwners::join_gang(const Application& gang, PodEntry& entry) {
    if (is_slot_of(gang, entry.slot_gang.str()) && is_over(model_.gangs.find_owner(entry)) &&
        !entry.is_driver && !entry.pod.node_name.empty() && gang.is_driver &&
        gang.group == entry.group) {
        model_.gangs.leave_owner(entry);  // a notebook's pod, that is nothing to us
        model_.pods.owners().join(entry, gang.uid);
    }
}

void ExecutorOwners::follow_slot_annotations(const Application& app) {
    if (const PodGroup* group = app.group.empty() ? nullptr : model_.groups.find(app.group.str())) {
        for (const PodId member : group->members) {
            const std::string& named = model_.pods[member].slot_gang();
            const std::string& owner = model_.pods[member].owner();
            const bool is_free = owner.empty() || is_over(model_.gangs.find(owner));
            if (is_free && is_slot_of(app, named)) {
                join_gang(app, model_.pods.expand(member));
            }
        }
    }
    const PodIds executors =
        model_.application_ids.of(model_.pods[model_.pods.id_of(app.uid)].application_key())
            .ownerless;
    for (const PodId executor : executors) {
        PodEntry& entry = model_.pods.expand(executor);  // none of them is compacted
        follow_slot_annotation(entry);
        follow_labels(app, entry);
    }
    recheck_application(app);
}

/// An executor that runs and whose slot annotation a tenant has taken: it belongs to the gang whose
/// slot its labels would have got it. Otherwise that slot is held for nobody as long as the gang
/// lives.
void ExecutorOwners::follow_labels(const Application& app, PodEntry& entry) {
    const bool lacks_annotation = entry.annotated_slot != SlotAnnotation::surplus &&
                                  has_unknown_driver(entry) && !entry.pod.node_name.empty() &&
                                  entry.holds_capacity();
    if (lacks_annotation && find_driver_by_id(entry) == &app) {
        become_member(entry, app.uid);
    }
}

}  // namespace gang
