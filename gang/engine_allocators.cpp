// Executors that Spark's statefulset and deployment allocators make. Their controller is a set that
// the driver owns, not the driver: what is left to know them by is their namespace, application id,
// size and the set. That is less than an owner's uid, so it counts only while exactly one driver
// claims the id, and never lets a pod have more than a slot's declared room.

#include "gang/engine.hpp"
#include "gang/reservation.hpp"

#include <algorithm>

namespace gang {
namespace {

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Spark names a stateful set spark-s-<application>-<profile>; a replica set has its deployment's
/// name and a hash.
bool is_executor_set(const core::OwnerReference& controller, const std::string& application) {
    if (controller.kind == "ReplicaSet") {
        return true;
    }
    const std::string prefix = "spark-s-" + application + "-";
    return controller.kind == "StatefulSet" && controller.name.starts_with(prefix) &&
           is_number(std::string_view(controller.name).substr(prefix.size()));
}

}  // namespace

/// Taken once, when the pod is first seen: labels can be edited later.
void Engine::take_claim(PodEntry& entry) {
    const std::string* application = core::find_value(entry.pod.labels, "spark-app-selector");
    const bool of_a_set = !entry.owner.empty() && application != nullptr &&
                          is_executor_set(*core::find_controller(entry.pod), *application);
    if (application == nullptr || (!entry.is_driver && !of_a_set)) {
        return;
    }
    entry.claim = entry.pod.namespace_name + "/" + *application;
    Claimants& claimants = claimants_[entry.claim];
    (entry.is_driver ? claimants.drivers : claimants.executors).insert(entry.pod.uid);
    if (entry.is_driver) {
        claimants.live.insert(entry.pod.uid);
    }
}

void Engine::drop_claim(PodEntry& entry) {
    const auto it = claimants_.find(entry.claim);
    if (it == claimants_.end()) {
        return;
    }
    it->second.drivers.erase(entry.pod.uid);
    it->second.live.erase(entry.pod.uid);
    it->second.executors.erase(entry.pod.uid);
    if (it->second.drivers.empty() && it->second.executors.empty()) {
        claimants_.erase(it);
    }
}

/// A driver got its slots or ended: whose executors these are may be known now.
void Engine::recheck_claims(const Application& app) {
    const auto it = claimants_.find(pods_.at(app.uid).claim);
    if (it != claimants_.end()) {
        if (app.phase == Phase::ended) {
            it->second.live.erase(app.uid);
        }
        dirty_pods_.insert(it->second.executors.begin(), it->second.executors.end());
    }
}

void Engine::become_member(PodEntry& entry, const std::string& owner) {
    leave_owner(entry);
    entry.owner = owner;
    executors_by_owner_[owner].insert(entry.pod.uid);
    claimants_.at(entry.claim).executors.erase(entry.pod.uid);
}

bool Engine::is_unclaimed_executor(const PodEntry& entry) const {
    const auto it = claimants_.find(entry.claim);
    return it != claimants_.end() && it->second.executors.contains(entry.pod.uid);
}

/// The one driver that the id can mean: the one alive, or the only one there ever was.
const Application* Engine::find_claimant(const PodEntry& entry) const {
    const Claimants& claimants = claimants_.at(entry.claim);
    const auto& candidates = claimants.live.empty() ? claimants.drivers : claimants.live;
    return candidates.size() == 1 ? find_app(*candidates.begin()) : nullptr;
}

void Engine::follow_application(PodEntry& entry) {
    const Application* app = is_unclaimed_executor(entry) ? find_claimant(entry) : nullptr;
    if (app == nullptr) {
        return;
    }
    const auto takes_it = [this, &entry](const GangShape& shape) {
        return fits_within(entry.pod.requests, cluster_.resources(shape.id));
    };
    const bool fits =
        app->reserved && std::any_of(app->shapes.begin(), app->shapes.end(), takes_it);
    if (fits || app->phase == Phase::ended) {
        become_member(entry, app->uid);
    }
}

/// A bound executor says in our own annotation whose slot it has: also after a restart, and to a
/// follower.
void Engine::follow_mark(PodEntry& entry) {
    const std::string* mark = core::find_value(entry.pod.annotations, std::string(slot_annotation));
    if (mark == nullptr || entry.pod.node_name.empty() || !is_unclaimed_executor(entry)) {
        return;
    }
    const std::string driver = mark->substr(0, mark->find('/'));
    if (claimants_.at(entry.claim).drivers.contains(driver)) {
        become_member(entry, driver);
    }
}

}  // namespace gang
