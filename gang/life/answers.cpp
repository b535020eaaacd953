#include "gang/life/answers.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/explain.hpp"
#include "gang/model/pod/awaited_answers.hpp"
#include "gang/model/timers.hpp"

#include <cstddef>
#include <cstdint>

namespace gang {
namespace {

constexpr std::int64_t unsent_pause_ms_max = 10'000;
constexpr std::int64_t refused_pause_ms_min = 10'000;
constexpr std::int64_t refused_pause_ms_max = 300'000;
/// A changed pod shows its new state soon; this is for a watch that lost it.
constexpr std::int64_t changed_pause_ms = 5'000;

}  // namespace

void Answers::on(const SparkConfFound& event) {
    Application* app = model_.gangs.find(event.driver_uid);
    if (app == nullptr || !app->declared.conf_needed) {
        return;
    }
    if (app->phase == Phase::waiting) {
        life_.set_sizes(*app, &event.conf);
    } else if (app->published.is_unproven) {
        declarations_.declaration_found(
            *app, model_.reader.size_of(model_.pods.at(app->uid).pod, &event.conf));
    }
}

void Answers::on(const SparkConfMissing& event) {
    Application* app = model_.gangs.find(event.driver_uid);
    if (app == nullptr || !app->declared.conf_needed) {
        return;
    }
    ConfMisses& conf = app->declared.conf.make();
    conf.first_miss_ms = conf.misses == 0 ? step_.now_ms : conf.first_miss_ms;
    ++conf.misses;
    conf.problem = event.problem;
    conf.message = event.message;
    model_.conf_asker.missing(event.driver_uid, step_.now_ms);
    model_.waiting.changed(*app);
    model_.worklist.queue_changed = true;
    // A conf that nobody will ever let us read is no reason to wait, if the driver says it all.
    const bool for_good =
        conf.problem == ConfProblem::forbidden || conf.problem == ConfProblem::unreadable;
    if (app->published.is_unproven) {
        // Spark made it with the driver, which is bound: what is not there twice was removed.
        const bool is_gone = conf.problem == ConfProblem::not_found && conf.misses > 1;
        if (for_good || is_gone) {
            declarations_.declaration_found(
                *app, model_.reader.size_of(model_.pods.at(app->uid).pod, nullptr));
        }
        return;
    }
    if (for_good && app->phase == Phase::waiting &&
        is_complete(model_.reader.declaration_of(model_.pods.at(app->uid).pod))) {
        life_.set_sizes(*app, nullptr);
        app->declared.diagnostics.make().notes.push_back(
            "its Spark conf cannot be read (" + conf.message + "): what it declares counts alone");
    } else if (
        for_good && app->phase == Phase::waiting &&
        model_.reader.is_sized_by_group(model_.pods.at(app->uid).pod)) {
        life_.look_at_group(*app);
    }
}

void Answers::on(const BindFinished& event) {
    PodEntry* known = model_.pods.find_active(event.pod_uid);
    if (known == nullptr || !known->bind_in_flight) {
        return;  // the watch was faster, or the pod is gone
    }
    PodEntry& entry = *known;
    entry.bind_in_flight = false;
    if (event.outcome != BindOutcome::bound) {
        bind_failed(entry, event);
        return;
    }
    entry.retry.reset();
    Application* app = model_.gangs.find(event.pod_uid);
    if (app != nullptr && app->is_driver) {
        if (app->phase == Phase::assumed) {
            life_.confirm(*app, entry);
        }
        return;
    }
    if (entry.slot >= 0) {
        model_.ledger.assign(
            *model_.gangs.find_owner(entry), static_cast<std::size_t>(entry.slot), entry);
    }
    life_.report_bound(entry);
    model_.worklist.dirty_pods.insert(event.pod_uid);
}

void Answers::bind_failed(PodEntry& entry, const BindFinished& event) {
    const int before = entry.retry->failures;
    entry.retry.make().message = event.message;
    switch (event.outcome) {
        case BindOutcome::bound:
            break;
        case BindOutcome::gone:
            entry.gone = true;
            break;
        case BindOutcome::taken:
        case BindOutcome::changed:
        case BindOutcome::not_bindable:
            pauses_.pause(entry, ReasonCode::backing_off, changed_pause_ms, true);
            break;
        case BindOutcome::refused:
            pauses_.pause(
                entry,
                ReasonCode::bind_failed,
                doubled(refused_pause_ms_min, before, refused_pause_ms_max),
                false);
            break;
        case BindOutcome::not_sent:
            pauses_.pause(
                entry, ReasonCode::backing_off, doubled(1'000, before, unsent_pause_ms_max), false);
            break;
    }
    entry.assumed_node = {};
    if (entry.slot >= 0) {
        Application& owner = *model_.gangs.find_owner(entry);
        model_.ledger.release(owner, entry);
        model_.worklist.to_check.insert(owner.uid);
        model_.worklist.dirty_gangs.insert(owner.uid);
    }
    model_.ledger.pod_allocations().settle(entry);
    model_.note_placement(entry, step_.now_ms);
    if (Application* app = model_.gangs.find(event.pod_uid);
        app != nullptr && app->phase == Phase::assumed) {
        model_.ledger.drop(*app);
        app->phase = Phase::waiting;
        model_.worklist.queue_changed = true;
        if (entry.is_bindable()) {
            model_.waiting.insert(*app, true);
        }
    }
    model_.worklist.dirty_pods.insert(event.pod_uid);
}

void Answers::on(const StatusWritten& event) {
    const auto write = model_.awaited_answers.take(event.pod_uid);
    if (!write) {
        return;
    }
    if (*write == AwaitedAnswers::Write::fence) {
        if (event.outcome == WriteOutcome::changed) {
            leadership_.fence().conflicted(event.pod_uid, step_.now_ms);
        } else {
            leadership_.fence().answered(
                event.pod_uid, event.outcome == WriteOutcome::written, step_.now_ms);
        }
        if (const Application* app = model_.gangs.find(event.pod_uid)) {
            model_.waiting.forget_reported(*app);  // the fence's words are not the reason
        }
        model_.worklist.queue_changed = true;
        return;
    }
    if (*write == AwaitedAnswers::Write::held_reservation) {
        model_.held_binds.answered(event.pod_uid, event.outcome == WriteOutcome::written);
        return;
    }
    Application* app = model_.gangs.find(event.pod_uid);
    if (app != nullptr && app->published.writing != 0) {
        publisher_.answered(*app, event.outcome);
    }
}

void Answers::on(const ReservationDiffers& event) {
    Application* app = model_.gangs.find(event.driver_uid);
    if (app == nullptr || !model_.term.leads || app->phase != Phase::running ||
        !app->published.reserved || app->published.writing != 0 ||
        model_.worklist.to_adopt.contains(app->rank())) {
        return;
    }
    app->published.is_shown = true;
    publisher_.observe(*app, model_.pods[model_.pods.id_of(app->uid)].reservation());
}

}  // namespace gang
