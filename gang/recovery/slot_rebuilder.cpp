#include "gang/recovery/slot_rebuilder.hpp"

#include "core/cluster/cluster.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/work.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {
namespace {

std::int64_t declared_count(const GangSize& size) {
    std::int64_t count = 0;
    for (const spark::ExecutorShape& shape : size.executors) {
        count += shape.count;
    }
    return count;
}

}  // namespace

void SlotRebuilder::run() {
    declarations_.give_up_unverified();
    if (model_.wanted.found.empty() ||
        model_.wanted.settled_capacity == model_.cluster.room().gains().version()) {
        return;
    }
    const bool may_place = leadership_.is_fence_passed();
    for (auto next = model_.wanted.found.begin(); next != model_.wanted.found.end();) {
        const Rank rank = next->first;
        Application* app = model_.gangs.find(rank.uid);
        if (app == nullptr || app->phase != Phase::running) {
            model_.wanted.to_rebuild.erase(rank);
            model_.wanted.unverified.erase(rank);
            next = model_.wanted.found.erase(next);
            continue;
        }
        const GangSize& size = next->second;
        step_.work_left -=
            work_per_attempt + work_per_slot * static_cast<std::int64_t>(app->slots.size());
        const bool is_known = size.problem.empty();
        if (app->published.reserved) {
            bound_by(*app, size);
        } else if (!is_known || !may_place || !rebuild(*app, size)) {
            ++next;
            continue;
        }
        model_.wanted.unverified.erase(rank);
        if (is_known) {  // else it may still be found
            model_.wanted.to_rebuild.erase(rank);
            app->published.is_unproven = false;
        }
        next = model_.wanted.found.erase(next);
        if (PodEntry* entry = model_.pods.find_active(rank.uid); entry != nullptr && is_known) {
            compaction_.compact_if_settled(*entry);
        }
    }
    model_.wanted.settled_capacity = may_place ? model_.cluster.room().gains().version() : 0;
}

/// The largest that slots of the gang may be: as declared, or as an executor that runs.
core::Resources SlotRebuilder::bound_of(
    const Application& app, const core::Resources& declared) const {
    core::Resources bound = declared;
    for (const Slot& slot : app.slots) {
        bound = slot.pod.is_none() ? bound : core::larger(bound, model_.pods[slot.pod].requests());
    }
    return bound;
}

/// Takes from a reservation that was read from an unsealed text what goes beyond the declaration:
/// slots that are too many, too large, or of a profile that is not declared. Executors stay in
/// theirs. Without a declaration all others go.
void SlotRebuilder::bound_by(Application& app, const GangSize& size) {
    const bool is_known = size.problem.empty() && !size.executors.empty();
    const spark::ExecutorShape* said = is_known ? &size.executors.front() : nullptr;
    const core::Resources bound = is_known ? bound_of(app, said->requests) : core::Resources{};
    const auto is_fine = [&](const Slot& slot) {
        const GangShape& shape = app.declared.shapes[slot.shape];
        return is_known && shape.profile == said->profile &&
               fits_within(model_.cluster.resources(shape.id), bound);
    };
    const auto held = static_cast<std::int64_t>(app.slots.size());
    std::int64_t left = is_known ? said->count : 0;  // of the declared ones
    std::vector<std::size_t> leaving;
    std::vector<std::size_t> too_large;
    for (const bool are_filled : {true, false}) {
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            const Slot& slot = app.slots[i];
            if (slot.pod.is_none() == are_filled) {
                continue;
            }
            const bool stays = are_filled || (left > 0 && is_fine(slot));
            left -= stays ? 1 : 0;
            if (!stays) {
                leaving.push_back(i);
            } else if (is_known && !is_fine(slot)) {
                too_large.push_back(i);
            }
        }
    }
    if (leaving.empty() && too_large.empty()) {
        return;
    }
    if (is_known) {
        const std::size_t shape = app.declared.shapes.size();
        model_.shapes.add(
            app, {said->profile, said->count, said->max, {}}, said->requests, said->constraints);
        for (const std::size_t i : too_large) {
            reshape(app, i, shape);
        }
    }
    model_.ledger.give_up(app, leaving, publisher_.rewrite(app));
    const auto kept = static_cast<std::int64_t>(app.slots.size());
    const std::int64_t replaced = std::min(held, is_known ? said->count : 0) - kept;
    if (replaced > 0) {
        model_.ledger.add(app, app.declared.shapes.size() - 1, {}, replaced);
    }
    report_bounded(app);
    model_.worklist.to_check.insert(app.uid);
    model_.worklist.dirty_gangs.insert(app.uid);
}

/// The executor stays where it is, in a slot of another size.
void SlotRebuilder::reshape(Application& app, std::size_t slot, std::size_t shape) {
    PodEntry& executor = model_.pods.expand(app.slots[slot].pod);
    model_.ledger.release(app, executor);
    app.slots[slot].shape = static_cast<std::uint16_t>(shape);
    model_.ledger.assign(app, slot, executor);
    compaction_.compact_if_settled(executor);
}

/// Slots for the executors that run, where they run, and for the rest of what is declared wherever
/// there is room for all of it. False: there is none.
bool SlotRebuilder::rebuild(Application& app, const GangSize& size) {
    owners_.follow_slot_annotations(app);
    std::map<std::string, std::int64_t> running;
    std::int64_t missing = declared_count(size);
    for (const PodId member : model_.pods.owners().sorted_members_of(app.uid)) {
        const bool is_its = model_.pods[member].holds_capacity() &&
                            model_.pods[member].annotated_slot() != SlotAnnotation::surplus &&
                            model_.pods[member].namespace_name() == app.namespace_name.str();
        if (is_its && missing > 0) {
            ++running[model_.pods[member].node()];
            --missing;
        }
    }
    const bool is_gang = !size.executors.empty();
    model_.shapes.release_all(app);
    if (is_gang) {
        const spark::ExecutorShape& said = size.executors.front();
        model_.shapes.add(
            app, {said.profile, said.count, said.max, {}}, said.requests, said.constraints);
    }
    std::vector<core::NodeCount> room;
    if (missing > 0) {
        room = placer_.find_free_capacity(app, app.declared.shapes.front().id, missing);
        std::int64_t found = 0;
        for (const core::NodeCount& place : room) {
            found += place.count;
        }
        if (found < missing) {
            model_.shapes.release_all(app);
            return false;
        }
    }
    reserve_slots(app, declared_count(size));
    for (const auto& [node, count] : running) {
        model_.ledger.add(app, 0, node, count);
    }
    app.published.reserved = true;
    app.published.is_shown = false;
    app.published.first_generation = app.published.generation + 1;
    app.published.stored = app.published.generation;
    app.published.annotation = {};
    assigner_.assign_members(app);
    assigner_.open_remaining(app);
    for (const core::NodeCount& place : room) {
        model_.ledger.add_open(app, 0, place.node, place.count);
    }
    publisher_.rewrite(app);
    model_.worklist.dirty_gangs.insert(app.uid);
    model_.worklist.to_check.insert(app.uid);
    report_rebuilt(app);
    return true;
}

void SlotRebuilder::report_bounded(Application& app) {
    status_reporter_.event(
        model_.driver_of(app),
        true,
        "ReservationBounded",
        "the annotation gang-scheduler/reservation named more than the application declares: it "
        "holds " +
            std::to_string(app.slots.size()) + " slots now");
}

void SlotRebuilder::report_rebuilt(Application& app) {
    const std::string slots = std::to_string(app.slots.size());
    app.declared.diagnostics.make().notes = {
        "its reservation was lost, and its " + slots +
        " slots were made anew from what it declares"};
    if (app.slots.empty()) {
        return;
    }
    status_reporter_.event(
        model_.driver_of(app),
        true,
        "ReservationRebuilt",
        "the annotation gang-scheduler/reservation was missing, or not written by the scheduler: "
        "the gang's " +
            slots + " slots are made anew from what the application declares");
}

}  // namespace gang
