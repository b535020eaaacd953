// Executors and their slots. An executor of a live gang takes an open slot the moment it appears;
// one that is larger than its slot has it grown if there is room; one too many goes behind all
// others as a lone pod; one whose driver has ended is not bound any more.

#include "core/trial.hpp"
#include "gang/engine.hpp"
#include "gang/messages.hpp"
#include "gang/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {

void Engine::classify_dirty_pods() {
    for (const std::string& uid : std::exchange(dirty_pods_, {})) {
        const auto it = pods_.find(uid);
        if (it != pods_.end() && !it->second.is_driver) {
            classify(it->second);
        }
    }
}

void Engine::classify(PodEntry& entry) {
    const std::string& uid = entry.pod.uid;
    Application* owner = find_owner(entry);
    if (!entry.is_bindable()) {
        if (owner != nullptr) {
            owner->pending.erase(entry.rank());
        }
        // A claim of a lone pod keeps its record until the answer is there.
        if (!entry.bind_in_flight || entry.slot >= 0) {
            erase_app(uid);
        }
        return;
    }
    if (owner != nullptr) {
        owner->pending.insert(entry.rank());
        dirty_gangs_.insert(owner->uid);
        return;
    }
    Application& app = ensure_app(entry, false);
    set_driver_shape(app, entry.pod);
    app.phase = Phase::waiting;
    waiting_.insert(app.rank);
    queue_changed_ = true;
}

void Engine::match_dirty_gangs() {
    for (const std::string& uid : std::exchange(dirty_gangs_, {})) {
        if (Application* app = find_app(uid); app != nullptr && app->is_driver) {
            match(*app);
        }
    }
}

void Engine::match(Application& app) {
    oversized_.erase(app.uid);
    // Slots that will open again, each for one executor that is worth waiting for.
    std::int64_t returning =
        std::count_if(app.slots.begin(), app.slots.end(), [](const Slot& slot) {
            return slot.state == SlotState::draining || slot.state == SlotState::degraded;
        });
    const std::set<Rank> pending = app.pending;
    for (const Rank& rank : pending) {
        PodEntry& entry = pods_.at(rank.uid);
        if (app.phase == Phase::ended) {
            erase_app(rank.uid);
            announcer_.say_quietly(entry.pod, orphan_saying(cluster_.node_count(), app), now_ms_);
        } else if (app.phase != Phase::running) {
            announcer_.say_quietly(entry.pod, member_saying(cluster_.node_count(), app), now_ms_);
        } else if (is_ready(entry)) {
            if (!claim_slot(app, entry) && !grow_slot(app, entry)) {
                wait_or_go_alone(app, entry, returning);
            }
        } else {
            say_retry(entry);
        }
    }
}

bool Engine::claim_slot(Application& app, PodEntry& entry) {
    if (!app.reserved || !entry.pod.problem.empty()) {
        return false;
    }
    const auto slot = ledger_.find_open(app, entry);
    if (!slot) {
        return false;
    }
    erase_app(entry.pod.uid);  // it may have stood in the queue as one too many
    take_slot(app, *slot, entry, app.slots[*slot].node);
    return true;
}

void Engine::take_slot(
    Application& app, std::size_t slot, PodEntry& entry, const std::string& node) {
    send_bind(entry, node, {{std::string(slot_annotation), app.uid + "/" + std::to_string(slot)}});
    ledger_.fill(app, slot, entry);
    app.pending.erase(entry.rank());
}

/// The real pod wins over the declaration: an executor that is larger than its slot, or that may
/// not go to its node, gets the slot anew where there is room for it as it is.
bool Engine::grow_slot(Application& app, PodEntry& entry) {
    if (!app.reserved || !entry.pod.problem.empty()) {
        return false;
    }
    const auto slot = std::find_if(app.slots.begin(), app.slots.end(), [&](const Slot& candidate) {
        return candidate.state == SlotState::open &&
               app.shapes[candidate.shape].profile == profile_of(entry.pod);
    });
    if (slot == app.slots.end()) {
        return false;
    }
    const core::ShapeId shape = cluster_.intern_shape(entry.pod.requests, entry.pod.constraints);
    std::vector<core::NodeCount> found;
    {
        core::Trial trial(cluster_);
        trial.release(slot->charge);  // its own room may be part of the new one
        found = find_room(shape, 1);
    }
    cluster_.release_shape(shape);
    if (found.empty()) {
        oversized_.insert(app.uid);
        tell_oversized(app, entry, *slot);
        return true;
    }
    const std::string node = cluster_.node_name(found.front().node);
    if (node != slot->node) {
        ledger_.degrade(*slot);
        ledger_.hold(app, *slot, ++app.generation);
        to_publish_.insert(app.uid);
    }
    erase_app(entry.pod.uid);
    take_slot(app, static_cast<std::size_t>(slot - app.slots.begin()), entry, node);
    return true;
}

void Engine::tell_oversized(Application& app, const PodEntry& entry, const Slot& slot) {
    const core::Resources& size = cluster_.resources(app.shapes[slot.shape].id);
    announcer_.say_quietly(
        entry.pod, oversized_saying(cluster_.node_count(), app, entry.pod.requests, size), now_ms_);
    if (std::exchange(app.told_oversized, true)) {
        return;
    }
    announcer_.event(
        pods_.at(app.uid).pod,
        true,
        "ExecutorsLargerThanDeclared",
        "executor " + entry.pod.name + " asks " + core::describe(entry.pod.requests) +
            ", the application declared " + core::describe(size));
}

void Engine::wait_or_go_alone(Application& app, PodEntry& entry, std::int64_t& returning) {
    if (returning > 0) {
        --returning;
        erase_app(entry.pod.uid);
        announcer_.say_quietly(entry.pod, member_saying(cluster_.node_count(), app), now_ms_);
        return;
    }
    Application& lone = ensure_app(entry, false);
    lone.elastic_of = app.uid;
    set_driver_shape(lone, entry.pod);
    if (waiting_.insert(lone.rank).second) {
        queue_changed_ = true;
    }
}

void Engine::send_bind(PodEntry& entry, const std::string& node, core::StringMap annotations) {
    entry.assumed_node = node;
    entry.bind_in_flight = true;
    entry.bound_version = entry.pod.resource_version;
    announcer_.forget(entry.pod.uid);
    decisions_.emplace_back(
        BindPod{ref_of(entry.pod), entry.pod.resource_version, node, std::move(annotations)});
}

/// Whether nothing of earlier failures stands against a try now.
bool Engine::is_ready(const PodEntry& entry) const {
    const Retry& retry = entry.retry;
    if (retry.code == ReasonCode::none) {
        return true;
    }
    const bool changed =
        !retry.stale_version.empty() && retry.stale_version != entry.pod.resource_version;
    return now_ms_ >= retry.not_before_ms || changed;
}

void Engine::say_retry(const PodEntry& entry) {
    if (entry.retry.stale_version.empty()) {
        announcer_.say_quietly(
            entry.pod, retry_saying(cluster_.node_count(), entry.retry), now_ms_);
    }
}

/// Pauses that are over: their pods are looked at again.
void Engine::end_pauses() {
    while (!retry_due_.empty() && retry_due_.begin()->first <= now_ms_) {
        const std::string uid = retry_due_.begin()->second;
        retry_due_.erase(retry_due_.begin());
        if (const auto it = pods_.find(uid); it != pods_.end() && it->second.is_bindable()) {
            dirty_pods_.insert(uid);
            queue_changed_ = true;
        }
    }
    if (!retry_due_.empty()) {
        wake_at(retry_due_.begin()->first);
    }
}

}  // namespace gang
