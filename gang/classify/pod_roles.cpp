#include "gang/classify/pod_roles.hpp"

#include "gang/model/group/group_records.hpp"
#include "gang/model/group/member_choice.hpp"
#include "gang/model/group/pod_groups.hpp"

#include <string>

namespace gang {

void PodRoles::take(PodEntry& entry) {
    join_group(entry);
    entry.is_driver = model_.reader.is_driver(entry.pod) || was_admitted(entry);
    if (!entry.group.empty()) {
        // What becomes of it is its group's affair, unless its controller is a driver of ours.
        entry.is_executor = !entry.is_driver && model_.reader.is_executor(entry.pod);
        join_controller(entry);
        return;
    }
    name_driver_group(entry);
    entry.hand_made = entry.is_driver && !entry.pod.spark_properties;
    entry.declares_anew = entry.is_driver;
    entry.is_executor = !entry.is_driver && model_.reader.is_executor(entry.pod);
    join_controller(entry);
    owners_.note_application(entry);
}

/// A group has one gang at a time: the newest of the texts that its pods bear says which.
bool PodRoles::was_admitted(const PodEntry& entry) const {
    return model_.reader.was_admitted(entry.pod) &&
           (entry.group.empty() || bears_newest_record(model_, entry));
}

void PodRoles::join_controller(PodEntry& entry) {
    const core::OwnerReference* controller = core::find_controller(entry.pod);
    if (entry.is_executor && controller != nullptr) {
        model_.pods.owners().join(entry, controller->uid);
    }
}

/// Taken once, as all roles are. A Spark application's pods are a gang of their own.
void PodRoles::join_group(PodEntry& entry) {
    const auto membership = model_.reader.membership_of(entry.pod);
    if (!membership || !entry.group.empty()) {
        return;
    }
    entry.group = model_.texts.keep(PodGroups::key_of(entry.pod, *membership));
    entry.profile = member_profile(entry.pod);
    model_.groups.join(entry, *membership);
}

void PodRoles::name_driver_group(const PodEntry& entry) {
    if (entry.is_driver && entry.group.empty()) {
        model_.groups.set_driver_group(entry.pod, model_.reader.group_of_driver(entry.pod));
    }
}

void PodRoles::note_driver_group(PodId id) {
    if (!model_.groups.has_driver_groups()) {
        return;
    }
    const std::string* const group = model_.groups.find_driver_group(
        model_.pods[id].is_driver() ? model_.pods.uid(id) : model_.pods[id].owner());
    if (group != nullptr) {
        model_.worklist.group_statuses.insert(*group);
        if (model_.pods[id].is_driver()) {
            model_.worklist.dirty_groups.insert(*group);  // it may wait no more
        }
    }
}

void PodRoles::promote(PodEntry& entry, bool behind_fence) {
    if (!entry.is_driver && !entry.group.empty() && !behind_fence && was_admitted(entry)) {
        make_anchor(model_, entry);
        return;
    }
    if (!entry.is_driver && entry.group.empty() && was_admitted(entry)) {
        model_.application_ids.remove(entry.application_key, entry.id);
        model_.gangs.leave_owner(entry);
        entry.application_key = {};
        entry.owner = {};
        model_.gangs.erase(entry.pod.uid);
        take(entry);
        return;
    }
    if (entry.is_driver || !entry.declares_anew || !entry.is_bindable() || entry.bind_in_flight ||
        !entry.owner.empty() || !entry.application_key.empty() ||
        !model_.reader.is_driver(entry.pod)) {
        return;
    }
    model_.gangs.erase(entry.pod.uid);
    take(entry);
}

}  // namespace gang
