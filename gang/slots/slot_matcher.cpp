#include "gang/slots/slot_matcher.hpp"

#include "core/cluster/allocation/trial.hpp"
#include "core/value/resources.hpp"
#include "gang/explain.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/shares/turn_order.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace gang {
namespace {

/// A slot that was made for other pods of a pod group than this one: for a role of which the group
/// asks so many, or one of those pods waits for it.
bool is_for_others_of_group(
    const Model& model, const Application& app, std::size_t slot, const PodEntry& entry) {
    const std::int32_t profile = app.declared.shapes[app.slots[slot].shape].profile;
    if (app.group.empty() || profile == entry.profile) {
        return false;
    }
    const PodGroup* const group = model.groups.find(app.group.str());
    if (group != nullptr && group->object && !group->object->roles.empty()) {
        return true;
    }
    return std::any_of(app.pending->begin(), app.pending->end(), [&](const Rank& waiting) {
        return model.pods.at(waiting.uid).profile == profile;
    });
}

}  // namespace

void SlotMatcher::run() {
    const auto dirty = std::exchange(model_.worklist.dirty_gangs, {});
    for (auto next = dirty.begin(); next != dirty.end(); ++next) {
        if (step_.work_left <= 0) {
            model_.worklist.dirty_gangs.insert(next, dirty.end());
            break;
        }
        const std::string& uid = *next;
        if (Application* app = model_.gangs.find(uid); app != nullptr && app->is_driver) {
            step_.work_left -=
                work_per_attempt + work_per_slot * static_cast<std::int64_t>(app->slots.size());
            match(*app);
        }
    }
    if (!model_.worklist.dirty_gangs.empty()) {
        step_.wake_at(step_.now_ms);  // the tick's work was used up
    }
    oversized_tried_ = {
        leadership_.is_fence_passed() ? model_.cluster.room().gains().version() : 0,
        model_.pod_rules.version()};
}

void SlotMatcher::match(Application& app) {
    model_.worklist.oversized.erase(app.uid);
    if (back_off_.back_off(app)) {
        return;
    }
    learner_.learn_shapes(app);
    MatchPass pass;
    // Slots that will open again, each for one executor that is worth waiting for.
    pass.returning =
        static_cast<std::int64_t>(app.count(SlotState::draining) + app.count(SlotState::unplaced));
    if (app.published.stored < app.published.generation && app.count(SlotState::open) > 0) {
        pass.returning +=
            std::count_if(app.slots.begin(), app.slots.end(), [&app](const Slot& slot) {
                return slot.state == SlotState::open && !is_stored(app, slot);
            });
    }
    for (auto it = app.pending->begin(); it != app.pending->end();) {
        const Rank rank = *it++;  // a slot takes it out
        PodEntry& entry = model_.pods.at(rank.uid);
        if (app.phase == Phase::ended) {
            model_.gangs.erase(rank.uid);
            status_reporter_.report_quietly(
                entry.pod, ended_driver_message(model_.cluster.nodes().count(), app), step_.now_ms);
        } else if (app.phase != Phase::running) {
            status_reporter_.report_quietly(
                entry.pod,
                member_message(model_.cluster.nodes().count(), app, entry.pod.requests),
                step_.now_ms);
        } else if (!entry.is_ready(step_.now_ms)) {
            report_retry(entry);
        } else if (step_.work_left <= 0) {
            model_.worklist.dirty_gangs.insert(app.uid);
            break;
        } else if (const auto obstacle = model_.find_claim_obstacle(entry.pod)) {
            report_claims(entry, *obstacle);
        } else if (!domain_placer_.is_ready(entry.pod)) {
            status_reporter_.report_quietly(
                entry.pod, labels_message(model_.cluster.nodes().count()), step_.now_ms);
        } else if (!assign_open_slot(app, entry) && !grow_slot(app, entry, pass)) {
            wait_or_go_alone(app, entry, pass);
        }
    }
    for (const core::ShapeId shape : pass.too_large) {
        model_.cluster.release_shape(shape);
    }
    if (app.pending->empty()) {
        app.pending.reset();
    }
    missing_.watch(app);
}

bool SlotMatcher::assign_open_slot(Application& app, PodEntry& entry) {
    if (!app.published.reserved || !entry.pod.problem.empty()) {
        return false;
    }
    const bool avoids_overcommitted = !leadership_.is_fence_passed();
    std::optional<std::size_t> slot;
    if (domain_placer_.is_reached(entry.pod)) {
        const core::ShapeId shape = domain_placer_.restricted_shape(entry.pod);
        const core::NodeBitmap& allowed =
            model_.cluster.shapes().eligible(shape);
        slot = find_open_slot(model_.cluster, app, {entry, avoids_overcommitted, &allowed});
        model_.cluster.release_shape(shape);
    } else {
        slot = find_open_slot(model_.cluster, app, {entry, avoids_overcommitted});
    }
    if (!slot || is_for_others_of_group(model_, app, *slot, entry)) {
        return false;
    }
    model_.gangs.erase(entry.pod.uid);  // it may have stood in the queue as one too many
    assign_slot(app, *slot, entry, app.slots[*slot].node.str());
    return true;
}

/// The real pod wins over the declaration: an executor that is larger than its slot, or that may
/// not go to its node, gets the slot anew where there is room for it as it is.
bool SlotMatcher::grow_slot(Application& app, PodEntry& entry, MatchPass& pass) {
    if (!app.published.reserved || !entry.pod.problem.empty()) {
        return false;
    }
    const auto first = app.slots.begin() + static_cast<std::ptrdiff_t>(app.open_from);
    const auto slot = std::find_if(first, app.slots.end(), [&](const Slot& candidate) {
        return candidate.state == SlotState::open && is_stored(app, candidate) &&
               app.declared.shapes[candidate.shape].profile == entry.profile;
    });
    if (slot == app.slots.end()) {
        return false;
    }
    if (!leadership_.is_fence_passed()) {
        model_.worklist.oversized.insert(app.uid);  // free room is nobody's yet
        return true;
    }
    const bool is_reached = domain_placer_.is_reached(entry.pod);
    const core::ShapeId shape =
        is_reached ? domain_placer_.restricted_shape(entry.pod)
                   : model_.cluster.intern_shape(entry.pod.requests, entry.pod.constraints);
    const auto first_open = static_cast<std::size_t>(slot - app.slots.begin());
    const bool in_vain =
        std::find(pass.too_large.begin(), pass.too_large.end(), shape) != pass.too_large.end();
    const auto growth = in_vain || pass.too_large.size() == searches_per_gang
                            ? std::nullopt
                            : find_growth(app, first_open, entry, shape);
    if (!growth) {
        model_.worklist.oversized.insert(app.uid);
        if (is_reached) {
            report_rules(entry, shape);
        } else {
            report_oversized(app, entry, *slot);
        }
        if (!in_vain && pass.too_large.size() < searches_per_gang) {
            pass.too_large.push_back(shape);
        } else {
            model_.cluster.release_shape(shape);
        }
        return true;
    }
    model_.cluster.release_shape(shape);
    Slot& grown = app.slots[growth->slot];
    if (growth->node != grown.node) {
        model_.ledger.unplace(app, grown);
        model_.ledger.releases().hold(app, grown, publisher_.rewrite(app));
    }
    model_.gangs.erase(entry.pod.uid);
    assign_slot(app, growth->slot, entry, growth->node);
    return true;
}

/// Best a slot that can grow where it is, for then the reservation stays as it is written; else the
/// first one goes where there is room. A slot's own room may always be part of the new one.
std::optional<SlotMatcher::Growth> SlotMatcher::find_growth(
    const Application& app, std::size_t first_open, const PodEntry& entry, core::ShapeId shape) {
    step_.work_left -= work_per_slot * static_cast<std::int64_t>(app.slots.size());
    std::set<std::string_view> seen;
    for (std::size_t i = first_open; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        if (slot.state != SlotState::open || !is_stored(app, slot) ||
            app.declared.shapes[slot.shape].profile != entry.profile ||
            !seen.insert(slot.node.str()).second) {
            continue;
        }
        const auto node = model_.cluster.nodes().find(slot.node.str());
        core::Trial trial(model_.cluster);
        trial.release(slot.allocation);
        if (node && model_.cluster.capacity(*node, shape, core::View::free) > 0) {
            return Growth{i, slot.node};
        }
    }
    core::Trial trial(model_.cluster);
    trial.release(app.slots[first_open].allocation);
    const auto found = placer_.find_free_capacity(app, shape, 1);
    if (found.empty()) {
        return std::nullopt;
    }
    return Growth{first_open, model_.cluster.nodes().name(found.front().node)};
}

void SlotMatcher::assign_slot(
    Application& app, std::size_t slot, PodEntry& entry, const std::string& node) {
    binder_.send_bind(
        entry, node, {{std::string(slot_annotation), app.gang_uid() + "/" + std::to_string(slot)}});
    model_.ledger.assign(app, slot, entry);
    binder_.say_cards(entry, app.slots[slot].allocation);
    app.remove_pending(entry.rank());
}

void SlotMatcher::report_oversized(Application& app, const PodEntry& entry, const Slot& slot) {
    const core::Resources& size = model_.cluster.resources(app.declared.shapes[slot.shape].id);
    status_reporter_.report_quietly(
        entry.pod,
        oversized_message(model_.cluster.nodes().count(), app, entry.pod.requests, size),
        step_.now_ms);
    if (std::exchange(app.health.reported_oversized, true)) {
        return;
    }
    status_reporter_.event(
        model_.driver_of(app),
        true,
        "ExecutorsLargerThanDeclared",
        "executor " + entry.pod.name + " asks " + core::describe_exactly(entry.pod.requests) +
            ", the application declared " + core::describe_exactly(size));
}

void SlotMatcher::report_claims(const PodEntry& entry, const ClaimObstacle& obstacle) {
    if (!obstacle.text.empty()) {
        status_reporter_.report_quietly(
            entry.pod,
            volume_message(model_.cluster.nodes().count(), obstacle.code, obstacle.text),
            step_.now_ms);
    }
}

void SlotMatcher::report_rules(const PodEntry& entry, core::ShapeId restricted) {
    if (const auto rejection = domain_placer_.find_rejection(restricted)) {
        status_reporter_.report_quietly(
            entry.pod,
            rules_message(
                "executor " + entry.pod.namespace_name + "/" + entry.pod.name, *rejection),
            step_.now_ms);
    }
}

void SlotMatcher::report_retry(const PodEntry& entry) {
    if (entry.retry->stale_version.empty()) {
        status_reporter_.report_quietly(
            entry.pod, retry_message(model_.cluster.nodes().count(), *entry.retry), step_.now_ms);
    }
}

/// Smaller than the slots for which there is no room: it need not wait until there is.
bool SlotMatcher::is_smaller_than_unplaced(const Application& app, const PodEntry& entry) const {
    return app.health.reported_unplaced &&
           std::any_of(
               app.declared.shapes.begin(), app.declared.shapes.end(), [&](const GangShape& shape) {
                   const core::Resources& size = model_.cluster.resources(shape.id);
                   return shape.profile == entry.profile && shape.learned &&
                          entry.pod.requests != size && fits_within(entry.pod.requests, size);
               });
}

bool SlotMatcher::has_bound_member(const Application& app) const {
    const auto members = model_.pods.owners().members_of(app.uid);
    return std::any_of(members.begin(), members.end(), [this](PodId member) {
        return model_.pods[member].holds_capacity();
    });
}

void SlotMatcher::wait_or_go_alone(Application& app, PodEntry& entry, MatchPass& pass) {
    if (pass.returning > 0 && !is_smaller_than_unplaced(app, entry)) {
        --pass.returning;
        model_.gangs.erase(entry.pod.uid);
        status_reporter_.report_quietly(
            entry.pod,
            member_message(model_.cluster.nodes().count(), app, entry.pod.requests),
            step_.now_ms);
        return;
    }
    const bool is_new = model_.gangs.find(entry.pod.uid) == nullptr;
    Application& lone = model_.gangs.ensure(entry, false);
    lone.surplus_of = model_.texts.keep(app.uid);
    if (is_new && app.is_slotless()) {
        // It stands where its driver stood, and the gang's first one before all: else a driver and
        // the head of the queue might wait for each other's room.
        lone.created = has_bound_member(app) ? app.created : before_all;
    }
    model_.shapes.set_driver(lone, entry.pod);
    if (model_.waiting.insert(lone, entry.retry->code != ReasonCode::none)) {
        model_.worklist.queue_changed = true;
    }
}

void SlotMatcher::retry_oversized() {
    if (oversized_tried_.capacity != model_.cluster.room().gains().version() ||
        oversized_tried_.rules != model_.pod_rules.version()) {
        model_.worklist.dirty_gangs.insert(
            model_.worklist.oversized.begin(), model_.worklist.oversized.end());
    }
}

}  // namespace gang
