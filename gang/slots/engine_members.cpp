// Executors and their slots. An executor of a live gang takes an open slot the moment it appears;
// one that is larger than its slot has it grown if there is room; one too many goes behind all
// others as a lone pod; one whose driver has ended is not bound any more.

#include "core/cluster/trial.hpp"
#include "gang/engine.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {

/// False: the tick's work was used up.
bool Engine::classify_dirty_pods() {
    const auto dirty = std::exchange(worklist_.dirty_pods, {});
    for (auto next = dirty.begin(); next != dirty.end(); ++next) {
        if (work_left_ <= 0) {
            worklist_.dirty_pods.insert(next, dirty.end());
            wake_at(now_ms_);
            return false;
        }
        work_left_ -= work_per_attempt;
        PodEntry* entry = pods_.find_active(*next);
        if (entry != nullptr && !entry->is_driver) {
            classify(*entry);
            compact_if_settled(*entry);
        }
    }
    return true;
}

void Engine::classify(PodEntry& entry) {
    const std::string& uid = entry.pod.uid;
    if (entry.is_bindable()) {
        follow_application(entry);
    }
    Application* owner = find_owner(entry);
    if (!entry.is_bindable()) {
        if (owner != nullptr) {
            owner->remove_pending(entry.rank());
        }
        // A claim of a lone pod keeps its record until the answer is there.
        if (!entry.bind_in_flight || entry.slot >= 0) {
            erase_app(uid);
        }
        return;
    }
    if (owner != nullptr) {
        owner->pending.make().insert(entry.rank());
        worklist_.dirty_gangs.insert(owner->uid);
        return;
    }
    if (is_ownerless(entry)) {
        let_ownerless_wait(entry);
        return;
    }
    const bool is_new = find_app(uid) == nullptr;
    Application& app = ensure_app(entry, false);
    if (is_new) {
        note_unread(app, entry.pod);
    }
    set_driver_shape(app, entry.pod);
    app.phase = Phase::waiting;
    waiting_.insert(app, entry.retry->code != ReasonCode::none);
    queue_changed_ = true;
}

void Engine::match_dirty_gangs() {
    const auto dirty = std::exchange(worklist_.dirty_gangs, {});
    for (auto next = dirty.begin(); next != dirty.end(); ++next) {
        if (work_left_ <= 0) {
            worklist_.dirty_gangs.insert(next, dirty.end());
            break;
        }
        const std::string& uid = *next;
        if (Application* app = find_app(uid); app != nullptr && app->is_driver) {
            work_left_ -=
                work_per_attempt + work_per_slot * static_cast<std::int64_t>(app->slots.size());
            match(*app);
        }
    }
    if (!worklist_.dirty_gangs.empty()) {
        wake_at(now_ms_);  // the tick's work was used up
    }
}

void Engine::match(Application& app) {
    worklist_.oversized.erase(app.uid);
    if (back_off_crash_loop(app)) {
        return;
    }
    learn_shapes(app);
    MatchPass pass;
    // Slots that will open again, each for one executor that is worth waiting for.
    pass.returning =
        static_cast<std::int64_t>(app.count(SlotState::draining) + app.count(SlotState::unplaced));
    if (app.stored < app.generation && app.count(SlotState::open) > 0) {
        pass.returning +=
            std::count_if(app.slots.begin(), app.slots.end(), [&app](const Slot& slot) {
                return slot.state == SlotState::open && !is_stored(app, slot);
            });
    }
    for (auto it = app.pending->begin(); it != app.pending->end();) {
        const Rank rank = *it++;  // a slot takes it out
        PodEntry& entry = pods_.at(rank.uid);
        if (app.phase == Phase::ended) {
            erase_app(rank.uid);
            status_reporter_.report_quietly(
                entry.pod, ended_driver_message(cluster_.node_count(), app), now_ms_);
        } else if (app.phase != Phase::running) {
            status_reporter_.report_quietly(
                entry.pod, member_message(cluster_.node_count(), app, entry.pod.requests), now_ms_);
        } else if (!is_ready(entry)) {
            report_retry(entry);
        } else if (work_left_ <= 0) {
            worklist_.dirty_gangs.insert(app.uid);
            break;
        } else if (!assign_open_slot(app, entry) && !grow_slot(app, entry, pass)) {
            wait_or_go_alone(app, entry, pass);
        }
    }
    for (const core::ShapeId shape : pass.too_large) {
        cluster_.release_shape(shape);
    }
    if (app.pending->empty()) {
        app.pending.reset();
    }
    watch_missing(app);
}

bool Engine::assign_open_slot(Application& app, PodEntry& entry) {
    if (!app.reserved || !entry.pod.problem.empty()) {
        return false;
    }
    const auto slot = ledger_.find_open(app, entry, !is_fence_passed());
    if (!slot) {
        return false;
    }
    erase_app(entry.pod.uid);  // it may have stood in the queue as one too many
    assign_slot(app, *slot, entry, app.slots[*slot].node.str());
    return true;
}

void Engine::assign_slot(
    Application& app, std::size_t slot, PodEntry& entry, const std::string& node) {
    send_bind(entry, node, {{std::string(slot_annotation), app.uid + "/" + std::to_string(slot)}});
    ledger_.assign(app, slot, entry);
    app.remove_pending(entry.rank());
}

/// The real pod wins over the declaration: an executor that is larger than its slot, or that may
/// not go to its node, gets the slot anew where there is room for it as it is.
bool Engine::grow_slot(Application& app, PodEntry& entry, MatchPass& pass) {
    if (!app.reserved || !entry.pod.problem.empty()) {
        return false;
    }
    const auto first = app.slots.begin() + static_cast<std::ptrdiff_t>(app.open_from);
    const auto slot = std::find_if(first, app.slots.end(), [&](const Slot& candidate) {
        return candidate.state == SlotState::open && is_stored(app, candidate) &&
               app.shapes[candidate.shape].profile == entry.profile;
    });
    if (slot == app.slots.end()) {
        return false;
    }
    if (!is_fence_passed()) {
        worklist_.oversized.insert(app.uid);  // free room is nobody's yet
        return true;
    }
    const core::ShapeId shape = cluster_.intern_shape(entry.pod.requests, entry.pod.constraints);
    const auto first_open = static_cast<std::size_t>(slot - app.slots.begin());
    const bool in_vain =
        std::find(pass.too_large.begin(), pass.too_large.end(), shape) != pass.too_large.end();
    const auto growth = in_vain || pass.too_large.size() == searches_per_gang
                            ? std::nullopt
                            : find_growth(app, first_open, entry, shape);
    if (!growth) {
        worklist_.oversized.insert(app.uid);
        report_oversized(app, entry, *slot);
        if (!in_vain && pass.too_large.size() < searches_per_gang) {
            pass.too_large.push_back(shape);
        } else {
            cluster_.release_shape(shape);
        }
        return true;
    }
    cluster_.release_shape(shape);
    Slot& grown = app.slots[growth->slot];
    if (growth->node != grown.node) {
        ledger_.unplace(app, grown);
        ledger_.release_later(app, grown, rewrite_reservation(app));
    }
    erase_app(entry.pod.uid);
    assign_slot(app, growth->slot, entry, growth->node);
    return true;
}

/// Best a slot that can grow where it is, for then the reservation stays as it is written; else the
/// first one goes where there is room. A slot's own room may always be part of the new one.
std::optional<Engine::Growth> Engine::find_growth(
    const Application& app, std::size_t first_open, const PodEntry& entry, core::ShapeId shape) {
    work_left_ -= work_per_slot * static_cast<std::int64_t>(app.slots.size());
    std::set<std::string_view> seen;
    for (std::size_t i = first_open; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        if (slot.state != SlotState::open || !is_stored(app, slot) ||
            app.shapes[slot.shape].profile != profile_of(entry.pod) ||
            !seen.insert(slot.node.str()).second) {
            continue;
        }
        const auto node = cluster_.find_node(slot.node.str());
        core::Trial trial(cluster_);
        trial.release(slot.allocation);
        if (node && cluster_.capacity(*node, shape, core::View::free) > 0) {
            return Growth{i, slot.node};
        }
    }
    core::Trial trial(cluster_);
    trial.release(app.slots[first_open].allocation);
    const auto found = find_free_capacity(app, shape, 1);
    if (found.empty()) {
        return std::nullopt;
    }
    return Growth{first_open, cluster_.node_name(found.front().node)};
}

void Engine::report_oversized(Application& app, const PodEntry& entry, const Slot& slot) {
    const core::Resources& size = cluster_.resources(app.shapes[slot.shape].id);
    status_reporter_.report_quietly(
        entry.pod,
        oversized_message(cluster_.node_count(), app, entry.pod.requests, size),
        now_ms_);
    if (std::exchange(app.reported_oversized, true)) {
        return;
    }
    status_reporter_.event(
        driver_of(app),
        true,
        "ExecutorsLargerThanDeclared",
        "executor " + entry.pod.name + " asks " + core::describe(entry.pod.requests) +
            ", the application declared " + core::describe(size));
}

/// Smaller than the slots for which there is no room: it need not wait until there is.
bool Engine::is_smaller_than_unplaced(const Application& app, const core::Pod& pod) const {
    return app.reported_unplaced &&
           std::any_of(app.shapes.begin(), app.shapes.end(), [&](const GangShape& shape) {
               const core::Resources& size = cluster_.resources(shape.id);
               return shape.profile == profile_of(pod) && shape.learned && pod.requests != size &&
                      fits_within(pod.requests, size);
           });
}

/// A bound driver's whose slots were lost, or given back because it took too long to run: its
/// executors are placed as they come.
bool Engine::is_slotless(const Application* app) const {
    if (app == nullptr || app->phase != Phase::running) {
        return false;
    }
    const bool has_lost_all = app->slots.empty() && !app->shapes.empty();
    return !app->reserved || app->is_unproven || has_lost_all;
}

bool Engine::has_bound_member(const Application& app) const {
    const auto members = pods_.members_of(app.uid);
    return std::any_of(members.begin(), members.end(), [this](PodId member) {
        return pods_.holds_capacity(member);
    });
}

void Engine::wait_or_go_alone(Application& app, PodEntry& entry, MatchPass& pass) {
    if (pass.returning > 0 && !is_smaller_than_unplaced(app, entry.pod)) {
        --pass.returning;
        erase_app(entry.pod.uid);
        status_reporter_.report_quietly(
            entry.pod, member_message(cluster_.node_count(), app, entry.pod.requests), now_ms_);
        return;
    }
    const bool is_new = find_app(entry.pod.uid) == nullptr;
    Application& lone = ensure_app(entry, false);
    lone.surplus_of = texts_.keep(app.uid);
    if (is_new && is_slotless(&app)) {
        // It stands where its driver stood, and the gang's first one before all: else a driver and
        // the head of the queue might wait for each other's room.
        lone.created = has_bound_member(app) ? app.created : 0;
    }
    set_driver_shape(lone, entry.pod);
    if (waiting_.insert(lone, entry.retry->code != ReasonCode::none)) {
        queue_changed_ = true;
    }
}

void Engine::send_bind(PodEntry& entry, const std::string& node, core::StringMap annotations) {
    work_left_ -= work_per_bind;
    entry.assumed_node = texts_.keep(node);
    entry.bind_in_flight = true;
    entry.bound_version = entry.pod.resource_version;
    status_reporter_.forget(entry.pod.uid);
    decisions_.emplace_back(BindPod{
        ref_of(entry.pod),
        entry.pod.resource_version,
        node,
        std::move(annotations),
        entry.seen_ms,
        entry.is_driver});
}

/// Whether nothing of earlier failures stands against a try now.
bool Engine::is_ready(const PodEntry& entry) const {
    const Retry& retry = *entry.retry;
    if (retry.code == ReasonCode::none) {
        return true;
    }
    const bool changed =
        !retry.stale_version.empty() && retry.stale_version != entry.pod.resource_version;
    return now_ms_ >= retry.not_before_ms || changed;
}

void Engine::report_retry(const PodEntry& entry) {
    if (entry.retry->stale_version.empty()) {
        status_reporter_.report_quietly(
            entry.pod, retry_message(cluster_.node_count(), *entry.retry), now_ms_);
    }
}

/// Pauses that are over: their pods are looked at again.
void Engine::end_pauses() {
    while (const auto uid = retry_due_.take(now_ms_)) {
        if (const PodEntry* entry = pods_.find_active(*uid);
            entry != nullptr && entry->is_bindable()) {
            worklist_.dirty_pods.insert(*uid);
            queue_changed_ = true;
        }
    }
    wake_at(retry_due_.next_ms());
}

}  // namespace gang
