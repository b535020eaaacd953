// What came of our requests: questions for a conf, binds, status writes.

#include "gang/engine.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

constexpr std::int64_t unsent_pause_ms_max = 10'000;
constexpr std::int64_t refused_pause_ms_min = 10'000;
constexpr std::int64_t refused_pause_ms_max = 300'000;
/// A changed pod shows its new state soon; this is for a watch that lost it.
constexpr std::int64_t changed_pause_ms = 5'000;

std::int64_t doubled(std::int64_t start_ms, int times, std::int64_t max_ms) {
    return std::min(start_ms << std::min(times, 16), max_ms);
}

}  // namespace

void Engine::on(const SparkConfFound& event) {
    Application* app = find_app(event.driver_uid);
    if (app == nullptr || !app->conf_needed) {
        return;
    }
    if (app->phase == Phase::waiting) {
        set_sizes(*app, &event.conf);
    } else if (app->is_unproven) {
        declaration_found(*app, size_of(pods_.at(app->uid).pod, &event.conf));
    }
}

void Engine::on(const SparkConfMissing& event) {
    Application* app = find_app(event.driver_uid);
    if (app == nullptr || !app->conf_needed) {
        return;
    }
    ConfMisses& conf = app->conf.make();
    conf.first_miss_ms = conf.misses == 0 ? now_ms_ : conf.first_miss_ms;
    ++conf.misses;
    conf.problem = event.problem;
    conf.message = event.message;
    asker_.missing(event.driver_uid, now_ms_);
    waiting_.changed(*app);
    queue_changed_ = true;
    // A conf that nobody will ever let us read is no reason to wait, if the driver says it all.
    const bool for_good =
        conf.problem == ConfProblem::forbidden || conf.problem == ConfProblem::unreadable;
    if (app->is_unproven) {
        // Spark made it with the driver, which is bound: what is not there twice was removed.
        const bool is_gone = conf.problem == ConfProblem::not_found && conf.misses > 1;
        if (for_good || is_gone) {
            declaration_found(*app, size_of(pods_.at(app->uid).pod, nullptr));
        }
        return;
    }
    if (for_good && app->phase == Phase::waiting &&
        is_complete(declaration_of(pods_.at(app->uid).pod))) {
        set_sizes(*app, nullptr);
        app->diagnostics.make().notes.push_back(
            "its Spark conf cannot be read (" + conf.message + "): what it declares counts alone");
    }
}

void Engine::pause(PodEntry& entry, ReasonCode code, std::int64_t pause_ms, bool until_changed) {
    Retry& retry = entry.retry.make();
    retry.code = code;
    retry.not_before_ms = now_ms_ + pause_ms;
    retry.stale_version = until_changed ? entry.bound_version : std::string();
    ++retry.failures;
    retry_due_.add(retry.not_before_ms, entry.pod.uid);
}

void Engine::on(const BindFinished& event) {
    PodEntry* known = pods_.find_active(event.pod_uid);
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
    Application* app = find_app(event.pod_uid);
    if (app != nullptr && app->is_driver) {
        if (app->phase == Phase::assumed) {
            confirm(*app, entry);
        }
        return;
    }
    if (entry.slot >= 0) {
        ledger_.assign(*find_owner(entry), static_cast<std::size_t>(entry.slot), entry);
    }
    report_bound(entry);
    worklist_.dirty_pods.insert(event.pod_uid);
}

void Engine::bind_failed(PodEntry& entry, const BindFinished& event) {
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
            pause(entry, ReasonCode::backing_off, changed_pause_ms, true);
            break;
        case BindOutcome::refused:
            pause(
                entry,
                ReasonCode::bind_failed,
                doubled(refused_pause_ms_min, before, refused_pause_ms_max),
                false);
            break;
        case BindOutcome::not_sent:
            pause(
                entry, ReasonCode::backing_off, doubled(1'000, before, unsent_pause_ms_max), false);
            break;
    }
    entry.assumed_node = {};
    if (entry.slot >= 0) {
        Application& owner = *find_owner(entry);
        ledger_.release(owner, entry);
        worklist_.to_check.insert(owner.uid);
        worklist_.dirty_gangs.insert(owner.uid);
    }
    ledger_.settle(entry);
    if (Application* app = find_app(event.pod_uid);
        app != nullptr && app->phase == Phase::assumed) {
        ledger_.drop(*app);
        app->phase = Phase::waiting;
        queue_changed_ = true;
        if (entry.is_bindable()) {
            waiting_.insert(*app, true);
        }
    }
    worklist_.dirty_pods.insert(event.pod_uid);
}

void Engine::on(const StatusWritten& event) {
    const auto write = awaited_.take(event.pod_uid);
    if (!write) {
        return;
    }
    if (*write == AwaitedAnswers::Write::fence) {
        fence_.answered(event.pod_uid, event.outcome == WriteOutcome::written, now_ms_);
        if (const Application* app = find_app(event.pod_uid)) {
            waiting_.forget_reported(*app);  // the fence's words are not the reason
        }
        queue_changed_ = true;
        return;
    }
    Application* app = find_app(event.pod_uid);
    if (app != nullptr && app->writing != 0) {
        reservation_answered(*app, event.outcome);
    }
}

}  // namespace gang
