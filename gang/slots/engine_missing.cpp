// Executors that do not come although their driver runs, and executors of our drivers that came to
// another scheduler. Slots stay a gang's own for as long as its driver lives; what is different for
// a long time is said, and the configuration may give such slots away.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>

namespace gang {

/// Each executor that comes or goes begins the wait for the rest anew.
void Engine::watch_missing(Application& app) {
    const bool waits =
        app.phase == Phase::running && app.reserved && app.driver_runs && app.pending->empty();
    const auto missing = waits ? static_cast<std::int64_t>(app.count_empty()) : 0;
    if (missing == app.missing) {
        return;
    }
    app.missing = missing;
    app.missing_since_ms = now_ms_;
    app.reported_missing = app.reported_missing && missing > 0;
    if (missing > 0 && !app.missing_is_due) {
        check_missing_at(app, now_ms_ + schema_.gang.missing_executors_after_ms);
    }
}

void Engine::check_missing_at(Application& app, std::int64_t at_ms) {
    app.missing_is_due = true;
    missing_due_.add(at_ms, texts_.keep(app.uid));
}

void Engine::check_missing() {
    const std::int64_t after_ms = schema_.gang.missing_executors_after_ms;
    const bool release = schema_.gang.missing_executors_then == config::UnusedThen::release;
    while (const auto uid = missing_due_.take(now_ms_)) {
        Application* app = find_app(*uid);
        if (app == nullptr) {
            continue;
        }
        app->missing_is_due = false;
        if (app->phase != Phase::running || app->missing == 0 ||
            (app->reported_missing && !release)) {
            continue;
        }
        if (app->missing_since_ms + after_ms > now_ms_) {
            check_missing_at(*app, app->missing_since_ms + after_ms);
            continue;
        }
        app->reported_missing = true;
        status_reporter_.event(
            driver_of(*app),
            true,
            "ExecutorsMissing",
            std::to_string(app->missing) + " of " + std::to_string(app->slots.size()) +
                " slots have had no executor for " + duration_text(after_ms) +
                (release ? "; their room is given back" : "; their room is kept for them"));
        if (release) {
            ledger_.give_up_unfilled(*app, rewrite_reservation(*app));
            report_health(*app);
            watch_missing(*app);
        }
    }
    wake_at(missing_due_.next_ms());
}

/// A webhook may have given the executor to another scheduler: it counts where it runs, and the
/// slot that nobody will come for is given back. What was bound before we led is not known to have
/// been counted or not; those slots are kept, which costs room and breaks nothing.
void Engine::observe_executor_elsewhere(const core::Pod& pod) {
    const core::OwnerReference* controller = core::find_controller(pod);
    Application* app = controller == nullptr ? nullptr : find_app(controller->uid);
    const std::string* role = core::find_value(pod.labels, "spark-role");
    if (app == nullptr || !app->is_driver || app->namespace_name != pod.namespace_name ||
        role == nullptr || *role != "executor" || pod.node_name.empty() || core::is_terminal(pod) ||
        !executors_elsewhere_.insert(pod.uid).second) {
        return;
    }
    if (!term_.leads || !app->reserved || app->phase != Phase::running) {
        return;
    }
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < app->slots.size(); ++i) {
        const Slot& slot = app->slots[i];
        const bool is_better = !found || slot.node == pod.node_name;
        if (slot.pod.is_none() && app->shapes[slot.shape].profile == profile_of(pod) && is_better) {
            found = i;
        }
    }
    if (found) {
        --app->shapes[app->slots[*found].shape].count;
        ledger_.give_up(*app, {*found}, rewrite_reservation(*app));
        worklist_.dirty_gangs.insert(app->uid);
    }
    if (!std::exchange(app->reported_elsewhere, true)) {
        status_reporter_.event(
            driver_of(*app),
            true,
            "ExecutorsElsewhere",
            "executor " + pod.name + " was scheduled by " + pod.scheduler_name +
                ", not by us: slots of such executors are given back");
    }
}

}  // namespace gang
