#include "gang/queue/admitter.hpp"

#include "core/cluster/cluster.hpp"
#include "core/cluster/allocation/trial.hpp"
#include "core/value/pod.hpp"
#include "gang/model/group/group_records.hpp"
#include "gang/model/ledger.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace gang {

bool Admitter::try_now(
    Application& app, PodEntry& entry, QueueEntry& queue_entry, SchedulingCycle& cycle) {
    if (domain_placer_.is_reached(app)) {
        return placer_.has_min_resources(app, core::View::free) &&
               keep_to_rules(app, entry, queue_entry, cycle);
    }
    const auto plan = placer_.find_plan(app);
    if (plan) {
        admit(app, entry, *plan);
    }
    return plan.has_value();
}

/// Room that others were evicted for (gang/preempt), or that an autoscaler was asked for
/// (gang/demand), is held for them: with it they go first.
bool Admitter::admit_with_held_room() {
    std::set<std::string> held;
    for (const auto& [uid, nomination] : model_.nominations.all()) {
        held.insert(uid);
    }
    for (const auto& [uid, bought] : model_.bought.all()) {
        held.insert(uid);
    }
    bool was_bought = false;
    for (const std::string& uid : held) {
        Application* const app = model_.gangs.find(uid);
        if (app == nullptr || !WaitingLine::contains(*app) || app->phase != Phase::waiting ||
            !app->declared.driver_shape) {
            continue;
        }
        PodEntry& entry = model_.pods.at(uid);
        const QueueEntry& queue_entry = model_.waiting.entry(*app);
        if (queue_entry.gang_class == nullptr || !entry.is_ready(step_.now_ms) ||
            !quota_.keeps_to_quotas(*app) || quota_.passes_overdue(*app) ||
            domain_placer_.is_reached(*app)) {
            continue;
        }
        // Who was admitted before it in this tick may have taken the claim that it wants.
        if (model_.find_claim_obstacle(*app, entry.pod)) {
            continue;
        }
        if (const auto plan = plan_with_held_room(*app)) {
            was_bought = was_bought || model_.bought.find(uid) != nullptr;
            model_.nominations.give_back(uid, model_.cluster);
            model_.bought.give_back(uid, model_.cluster);
            admit(*app, entry, *plan);
        }
    }
    return was_bought;
}

std::optional<core::Plan> Admitter::plan_with_held_room(const Application& app) {
    core::Trial trial(model_.cluster);
    if (const Nomination* const nomination = model_.nominations.find(app.uid)) {
        for (const core::AllocationId room : nomination->held) {
            trial.release(room);
        }
    }
    if (const BoughtRoom* const bought = model_.bought.find(app.uid)) {
        for (const BoughtRoom::Place& place : bought->places) {
            trial.release(place.room);
        }
    }
    return placer_.find_plan(app);
}

/// Of one that rules between pods reach. True: it was admitted, or the rules alone are in its way:
/// then it holds up nobody. False: there is no room for it, whatever they say.
bool Admitter::keep_to_rules(
    Application& app, PodEntry& entry, QueueEntry& queue_entry, SchedulingCycle& cycle) {
    const std::uint64_t state =
        model_.pod_rules.version() + model_.cluster.room().gains().version() + 1;
    if (queue_entry.refused_by_rules_at == state) {
        return true;
    }
    const bool is_ready = domain_placer_.is_ready(app);
    if (is_ready) {
        const core::Placement placement = domain_placer_.place(app);
        if (const auto* plan = std::get_if<core::Plan>(&placement)) {
            admit(app, entry, *plan);
            return true;
        }
    }
    if (!placer_.fits(app, core::View::free)) {
        return false;
    }
    queue_entry.refused_by_rules_at = is_ready ? state : 0;
    status_.report_unless(
        queue_entry.is_reported && queue_entry.code == ReasonCode::pod_rules_not_met, app, cycle);
    queue_entry.code = ReasonCode::pod_rules_not_met;
    return true;
}

void Admitter::admit(Application& app, PodEntry& entry, const core::Plan& plan) {
    called_.placed(app);
    if (model_.bought.find(app.uid) != nullptr) {  // it fits without, or elsewhere
        model_.bought.give_back(app.uid, model_.cluster);
        step_.wake_at(step_.now_ms);
    }
    reserve_slots(app, model_.waiting.entry(app).size);
    for (std::size_t shape = 0; shape < app.declared.shapes.size(); ++shape) {
        for (const core::NodeCount& found : plan.executors[shape]) {
            model_.ledger.add_open(app, shape, found.node, found.count);
        }
    }
    core::StringMap annotations;
    if (app.is_driver) {
        const auto before = app.group.empty() ? std::nullopt : newest_record(model_, app.group);
        app.published.first_generation = before ? before->age.generation : 0;
        app.published.generation = app.published.first_generation + 1;
        app.published.epoch = model_.term.epoch;
        app.published.annotation = model_.texts.keep(publisher_.text_of(app));
        app.published.text_generation = app.published.generation;
        app.published.stored = app.published.first_generation;
        app.published.is_shown = true;  // the bind brings it: no bound state can be without it
        if (!annotation_fits(app)) {
            model_.ledger.drop(app);
            return;
        }
        annotations = {{std::string(reservation_annotation), app.published.annotation.str()}};
    } else if (!app.surplus_of.empty()) {
        const Application* gang = model_.gangs.find_owner(entry);
        annotations = {
            {std::string(slot_annotation),
             gang != nullptr && gang->is_slotless()
                 ? gang->gang_uid() + "/" + std::string(unnumbered_slot)
                 : std::string(surplus_slot)}};
    }
    app.phase = Phase::assumed;
    app.milestones.make().admitted_ms = step_.now_ms;
    app.assumed_node = model_.texts.keep(model_.cluster.nodes().name(plan.driver));
    model_.waiting.erase(app);
    model_.quotas.admitted(app);
    verdicts_.note_admitted();
    if (Application* gang = model_.gangs.find_owner(entry)) {
        gang->remove_pending(entry.rank());
    }
    if (const auto placed = model_.fit_cache.placed.find({app.surplus_of.str(), entry.profile});
        placed != model_.fit_cache.placed.end()) {
        ++placed->second;
    }
    // Who was remembered to fit may not, now that this room is taken.
    model_.fit_cache.forget_fits();
    binder_.send_bind(entry, app.assumed_node, std::move(annotations));
    model_.ledger.pod_allocations().settle(entry);
    binder_.say_cards(entry, model_.cluster.pods().find(entry.pod.uid));
}

/// Past 256 KiB of annotations nobody could write the pod again, so a gang
/// spread too widely is not admitted. What the pod carries beside ours is added
/// up by the edge, which sees all of it.
bool Admitter::annotation_fits(Application& app) {
    const std::size_t bytes = app.published.annotation.str().size();
    if (bytes <= reservation_bytes_max) {
        return true;
    }
    app.set_problem(
        "the gang's reservation would be an annotation of " + std::to_string(bytes) +
        " bytes, more than the " + std::to_string(reservation_bytes_max) + " allowed");
    status_.set_message(
        app, problem_message(model_.cluster.nodes().count(), app.declared.diagnostics->problem));
    return false;
}

}  // namespace gang
