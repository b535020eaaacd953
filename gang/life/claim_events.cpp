#include "gang/life/claim_events.hpp"

#include "gang/decision.hpp"
#include "gang/declare/gang_size.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace gang {

void ClaimEvents::on(const ClaimFound& event) {
    model_.volume_counts.found(event, step_.now_ms);
    look_again(model_.claims.found(event, step_.now_ms));
}

void ClaimEvents::on(const ClaimMissing& event) {
    model_.volume_counts.missing(event, step_.now_ms);
    look_again(model_.claims.missing(event, step_.now_ms));
}

void ClaimEvents::on(const VolumeLimitsListed& event) {
    limits_changed(model_.volume_counts.listed(event));
}

void ClaimEvents::on(const VolumeLimitsChanged& event) {
    limits_changed(model_.volume_counts.changed(event));
}

void ClaimEvents::on(const VolumeLimitsMissing&) {
    model_.volume_counts.missing();
    look_again(model_.claims.waiting_pods());
}

void ClaimEvents::on(const StorageListed& event) {
    model_.storage.listed(event);
    look_again(model_.claims.waiting_pods());
}

void ClaimEvents::on(const StorageChanged& event) {
    model_.storage.changed(event);
}

void ClaimEvents::on(const StorageMissing&) {
    model_.storage.missing();
    look_again(model_.claims.waiting_pods());
}

/// Those who wait have waited for the limits, or want volumes that count from now on.
void ClaimEvents::limits_changed(const std::vector<std::string>& nodes) {
    for (const std::string& name : nodes) {
        if (const auto index = model_.cluster.nodes().find(name)) {
            core::Node node = model_.cluster.room().node_as_told(*index);
            model_.volume_counts.offer(node);
            model_.cluster_model.set_offer(node);
        }
    }
    look_again(model_.claims.waiting_pods());
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
    count_volumes();
    look_at_storage();
    for (auto& [namespace_name, name] : model_.claims.due(step_.now_ms)) {
        step_.decisions.emplace_back(FetchClaim{std::move(namespace_name), std::move(name)});
    }
    for (const std::string& claim : model_.volume_counts.due(step_.now_ms)) {
        const auto slash = claim.find('/');
        step_.decisions.emplace_back(
            FetchClaim{claim.substr(0, slash), claim.substr(slash + 1)});
    }
}

void ClaimEvents::count_volumes() {
    VolumeCounts& counts = model_.volume_counts;
    // Volumes without a claim are disks that pods name themselves.
    const bool is_any_wanted =
        model_.claims.is_waited_for() || model_.cluster.extended_names().has_volumes();
    if (is_any_wanted && counts.ask()) {
        step_.decisions.emplace_back(WatchVolumeLimits{});
    }
    const std::uint64_t holders = model_.claims.holders().version();
    if (counts.is_counting() && (counts.take_news() || counted_holders_ != holders)) {
        counted_holders_ = holders;
        recount();
    }
}

/// Those who wait for it go where there is enough now.
void ClaimEvents::look_at_storage() {
    if (model_.claims.is_storage_wanted() && model_.storage.ask()) {
        step_.decisions.emplace_back(WatchStorage{});
    }
    const std::set<std::string> changed = model_.storage.take_changed();
    if (changed.empty()) {
        return;
    }
    look_again(model_.claims.waiting_for_storage(changed));
}

/// Of all that is placed: what each has attached, as far as its claims have been read.
void ClaimEvents::recount() {
    const auto holders = model_.claims.holders().all();
    std::set<std::string> claims;
    for (const auto& [uid, held] : holders) {
        claims.insert(held.begin(), held.end());
    }
    model_.volume_counts.hold(claims, step_.now_ms);
    for (const auto& [uid, held] : holders) {
        if (const auto volumes = model_.volume_counts.volumes_of(held)) {
            set_volumes(uid, *volumes);
        }
    }
    if (!model_.volume_counts.awaits_first() && std::exchange(is_first_awaited_, false)) {
        look_again(model_.claims.waiting_pods());
    }
}

void ClaimEvents::set_volumes(
    const std::string& uid, const std::vector<core::DriverVolume>& volumes) {
    const auto id = model_.pods.find(uid);
    if (!id) {
        model_.cluster_model.set_other_volumes(uid, volumes);
        return;
    }
    const core::Resources requests =
        model_.with_volumes(model_.pods.copy_of(*id), model_.pods[*id].requests(), volumes);
    if (requests == model_.pods[*id].requests()) {
        return;
    }
    PodEntry& entry = model_.pods.expand(*id);
    entry.pod.requests = requests;
    Application* const owner = model_.gangs.find_owner(entry);
    if (entry.slot >= 0 && owner != nullptr) {
        model_.ledger.assign(*owner, static_cast<std::size_t>(entry.slot), entry);
    } else if (const auto allocation = model_.cluster.pods().find(uid)) {
        core::CardUse cards;
        cards.said = model_.cluster.allocations().cards_of(*allocation);
        model_.cluster.allocations().reallocate(*allocation, requests, core::UsedBy::gang, cards);
    }
    model_.cluster_model.check_if_overcommitted(entry.node());
    compaction_.compact_if_settled(entry);
}

void ClaimEvents::look_at_executors(Application& app, const core::Pod& driver) {
    for (GangShape& shape : app.declared.shapes) {
        if (shape.claims && app.phase == Phase::waiting) {
            const auto volumes = model_.volume_counts.limited(
                model_.claim_queries.volumes_of(driver, *shape.claims));
            model_.volume_counts.want(volumes);
            model_.shapes.set_volumes(
                app, shape, model_.claim_queries.nodes_of(driver, *shape.claims), volumes);
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
        // Of a pod that is being bound it is decided; if that fails, its claims are read again.
        if (auto nodes = model_.claim_queries.nodes_of(pod);
            entry->node().empty() && nodes != pod.constraints->volumes) {
            pod.constraints.edit().volumes = std::move(nodes);
            model_.recent_constraints.share(pod);
        }
        if (entry->is_bindable()) {
            const auto volumes = model_.volume_counts.limited(model_.claim_queries.volumes_of(pod));
            model_.volume_counts.want(volumes);
            pod.requests = model_.with_volumes(*entry, std::move(pod.requests), volumes);
        }
        if (Application* const app = model_.gangs.find(uid)) {
            const auto& requests = app->is_driver
                                       ? driver_request(pod, model_.reader.declaration_of(pod))
                                       : pod.requests;
            model_.shapes.set_driver(*app, requests, *pod.constraints);
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
