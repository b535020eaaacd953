// Executors whose controller is not their driver. Two kinds, by what there is to know them by:
//
//   Spark's statefulset and deployment allocators: the set that the driver owns, the namespace, the
//   application id and the size.
//   Executors made by hand, by a script or an operator, for a driver that was made so too and says
//   itself how many they are: the namespace and the application id, or the lack of one on both.
//
// Either is less than an owner's uid. The first counts only while exactly one driver claims the id,
// and never lets a pod have more than a slot's declared room. The second counts for drivers that no
// Spark made: whoever declares a gang by labels has nothing else to link it with, and trusts
// whoever may create pods in that namespace; no label ever opens the slots of a Spark application.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <map>

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

bool has_label(const core::Pod& pod, const char* key) {
    return core::find_value(pod.labels, key) != nullptr;
}

/// Spark numbers its executors; nobody else has reason to.
bool is_made_by_spark(const core::Pod& pod) {
    return has_label(pod, "spark-exec-id") || has_label(pod, "spark-exec-resourceprofile-id");
}

}  // namespace

/// Taken once, when the pod is first seen: labels can be edited later.
void Engine::note_application(PodEntry& entry) {
    const std::string& application = application_id(entry.pod);
    if (!entry.is_driver) {
        const core::OwnerReference* controller = core::find_controller(entry.pod);
        const bool of_a_set = controller != nullptr && is_executor_set(*controller, application);
        const bool of_a_pod = controller != nullptr && controller->kind == "Pod";
        entry.hand_made = !of_a_set && !of_a_pod && reads_declarations();
        if (!entry.is_executor || (!of_a_set && !entry.hand_made)) {
            entry.hand_made = false;
            return;
        }
    }
    if (application.empty() && !entry.hand_made) {
        return;
    }
    entry.application_key = texts_.keep(entry.pod.namespace_name + "/" + application);
    if (entry.is_driver) {
        application_ids_.add_driver(entry.application_key, entry.id);
    } else {
        application_ids_.add_ownerless(entry.application_key, entry.id);
    }
}

/// A driver got its slots or ended: whose executors these are may be known now.
void Engine::recheck_application(const Application& app) {
    const PodId driver = pods_.id_of(app.uid);
    const std::string& key = pods_.application_key(driver);
    if (app.phase == Phase::ended) {
        application_ids_.driver_ended(key, driver);
    }
    for (const PodId executor : application_ids_.of(key).ownerless) {
        worklist_.dirty_pods.insert(pods_.uid(executor));
    }
}

void Engine::become_member(PodEntry& entry, const std::string& owner) {
    leave_owner(entry);
    pods_.join(entry, owner);
    application_ids_.got_owner(entry.application_key, entry.id);
}

bool Engine::has_unknown_driver(const PodEntry& entry) const {
    return application_ids_.is_ownerless(entry.application_key, entry.id);
}

/// The one driver that the id can mean: the one alive, or the only one there ever was.
const Application* Engine::find_driver_by_id(const PodEntry& entry) const {
    const ApplicationIds::Bearers& bearers = application_ids_.of(entry.application_key);
    if (entry.application_key.str().ends_with('/')) {
        return find_nameless(entry);
    }
    const PodIds& candidates = bearers.candidates();
    if (candidates.size() != 1 || (entry.hand_made && !pods_.hand_made(*candidates.begin()))) {
        return nullptr;
    }
    return find_app(pods_.uid(*candidates.begin()));
}

/// Neither driver nor executor names an application. In one namespace such executors are as good as
/// each other: the oldest gang with an open slot for it gets it. One too many may be anybody's, so
/// it waits until no such gang waits for admission any more.
const Application* Engine::find_nameless(const PodEntry& entry) const {
    const Application* oldest = nullptr;
    const Application* with_room = nullptr;  // the oldest that has
    bool is_one_waiting = false;
    for (const PodId driver : application_ids_.of(entry.application_key).live) {
        const Application* app = find_app(pods_.uid(driver));
        if (app == nullptr || !app->reserved) {
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

bool Engine::takes(const Application& app, const PodEntry& entry) const {
    return app.reserved &&
           std::any_of(app.shapes.begin(), app.shapes.end(), [&](const GangShape& shape) {
               return fits_within(entry.pod.requests, cluster_.resources(shape.id));
           });
}

/// A driver made by hand whose uid the executor names as that of an owner, controller or not.
const Application* Engine::find_owning_pod(const PodEntry& entry) const {
    for (const core::OwnerReference& owner : entry.pod.owners) {
        const auto driver = pods_.find(owner.uid);
        if (driver && pods_.hand_made(*driver) && pods_.is_driver(*driver) &&
            pods_.namespace_of(*driver) == entry.pod.namespace_name) {
            return find_app(owner.uid);
        }
    }
    return nullptr;
}

void Engine::follow_application(PodEntry& entry) {
    if (!has_unknown_driver(entry)) {
        return;
    }
    const Application* app = entry.hand_made ? find_owning_pod(entry) : nullptr;
    app = app != nullptr ? app : find_driver_by_id(entry);
    if (app == nullptr) {
        return;
    }
    // The larger executor of a gang made by hand gets its slot grown, as that of any other gang.
    const bool is_its = (entry.hand_made ? app->reserved : takes(*app, entry)) ||
                        (app->phase == Phase::running && app->is_unproven);
    if (is_its || app->phase == Phase::ended) {
        become_member(entry, app->uid);
    }
}

/// Whether the executor has to wait for a driver. Spark's own that name no driver of ours are those
/// of its client mode, whose driver is elsewhere.
bool Engine::is_ownerless(const PodEntry& entry) const {
    if (!entry.hand_made || !has_unknown_driver(entry) ||
        schema_.gang.orphan_executors == config::OrphanExecutors::schedule) {
        return false;
    }
    const auto has_hand_made = [this](const PodIds& drivers) {
        return std::any_of(drivers.begin(), drivers.end(), [this](PodId driver) {
            return pods_.hand_made(driver);
        });
    };
    const ApplicationIds::Bearers& bearers = application_ids_.of(entry.application_key);
    return !is_made_by_spark(entry.pod) || has_hand_made(bearers.live) ||
           has_hand_made(bearers.ended);
}

/// As of now: its driver may have come, or have been admitted, since it was told to wait.
bool Engine::is_waiting_ownerless(const PodEntry& entry) const {
    return entry.is_bindable() && find_app(entry.pod.uid) == nullptr &&
           find_owner(entry) == nullptr && is_ownerless(entry);
}

/// There may be thousands, all there before their drivers are admitted: nothing is kept of it but
/// what was said.
void Engine::let_ownerless_wait(const PodEntry& entry) {
    erase_app(entry.pod.uid);  // it may have stood in the queue by itself
    status_reporter_.report_quietly(
        entry.pod, ownerless_message(cluster_.node_count(), entry.pod), now_ms_);
}

/// A bound executor says in our own annotation whose slot it has: also after a restart, and to a
/// follower. What a tenant may have written there opens no slot that labels alone would not open.
void Engine::follow_slot_annotation(PodEntry& entry) {
    const std::string* value = core::find_value(entry.pod.annotations, slot_annotation);
    if (value == nullptr || entry.pod.node_name.empty() || !has_unknown_driver(entry)) {
        return;
    }
    const std::string driver = value->substr(0, value->find('/'));
    const auto id = pods_.find(driver);
    if (!id || !application_ids_.of(entry.application_key).has_driver(*id)) {
        return;
    }
    const bool is_of_its_kind = !entry.hand_made || pods_.hand_made(*id);
    const bool is_meant = schema_.is_sealed() || entry.application_key.str().ends_with('/') ||
                          application_ids_.of(entry.application_key).candidates().size() == 1;
    if (is_of_its_kind && is_meant) {
        become_member(entry, driver);
    }
}

}  // namespace gang
