#include "gang/life/claim_events.hpp"

#include "gang/decision.hpp"
#include "gang/declare/gang_size.hpp"

#include <utility>

namespace gang {

void ClaimEvents::on(const ClaimFound& event) {
    look_again(model_.claims.found(event, step_.now_ms));
}

void ClaimEvents::on(const ClaimMissing& event) {
    look_again(model_.claims.missing(event, step_.now_ms));
}

void ClaimEvents::bind_answered(const std::string& uid, bool bound) {
    PodEntry* const entry = model_.pods.find_active(uid);
    if (entry == nullptr || !entry->pod.claims) {
        return;
    }
    if (!bound) {
        model_.claims.read_again(entry->pod, step_.now_ms);
        return;
    }
    for (const std::string& other : model_.claims.waiting_beside(uid)) {
        if (const PodEntry* const waiting = model_.pods.find_active(other)) {
            model_.claims.read_again(waiting->pod, step_.now_ms);
        }
    }
}

void ClaimEvents::run() {
    look_again(model_.claims.take_freed());
    for (auto& [namespace_name, name] : model_.claims.due(step_.now_ms)) {
        step_.decisions.emplace_back(FetchClaim{std::move(namespace_name), std::move(name)});
    }
}

void ClaimEvents::look_at_executors(Application& app, const core::Pod& driver) {
    for (GangShape& shape : app.declared.shapes) {
        if (shape.claims && app.phase == Phase::waiting) {
            model_.gangs.set_volumes(app, shape, model_.claims.nodes_of(driver, *shape.claims));
        }
    }
}

void ClaimEvents::look_again(const std::vector<std::string>& uids) {
    for (const std::string& uid : uids) {
        PodEntry* const entry = model_.pods.find_active(uid);
        if (entry == nullptr) {
            continue;
        }
        core::Pod& pod = entry->pod;
        if (auto nodes = model_.claims.nodes_of(pod); nodes != pod.constraints->volumes) {
            pod.constraints.edit().volumes = std::move(nodes);
            model_.pods.share_constraints(pod);
        }
        if (Application* const app = model_.gangs.find(uid)) {
            const auto& requests = app->is_driver
                                       ? driver_request(pod, model_.reader.declaration_of(pod))
                                       : pod.requests;
            model_.gangs.set_driver_shape(*app, requests, *pod.constraints);
            look_at_executors(*app, pod);
            model_.waiting.changed(*app);
        }
        if (!entry->owner.empty()) {
            model_.worklist.dirty_gangs.insert(entry->owner);
        }
        model_.worklist.dirty_pods.insert(uid);
        model_.worklist.queue_changed = true;
    }
}

}  // namespace gang
