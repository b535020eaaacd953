#include "gang/slots/missing_executors.hpp"

#include "config/schema.hpp"
#include "gang/report/messages.hpp"

#include <string>

namespace gang {

void MissingExecutors::watch(Application& app) {
    const bool waits = app.phase == Phase::running && app.published.reserved &&
                       app.health.driver_runs && app.pending->empty();
    const auto missing = waits ? static_cast<std::int64_t>(app.count_empty()) : 0;
    if (missing == app.health.missing) {
        return;
    }
    app.health.missing = missing;
    app.health.missing_since_ms = step_.now_ms;
    app.health.reported_missing = app.health.reported_missing && missing > 0;
    if (missing > 0 && !app.health.missing_is_due) {
        check_at(app, step_.now_ms + model_.schema.gang.missing_executors_after_ms);
    }
}

void MissingExecutors::check() {
    const std::int64_t after_ms = model_.schema.gang.missing_executors_after_ms;
    while (const auto uid = missing_due_.take(step_.now_ms)) {
        Application* app = model_.gangs.find(*uid);
        if (app == nullptr) {
            continue;
        }
        app->health.missing_is_due = false;
        // A pod group's members are made before they are placed: who does not come back has ended.
        const bool release = !app->group.empty() || model_.schema.gang.missing_executors_then ==
                                                        config::UnusedThen::release;
        if (app->phase != Phase::running || app->health.missing == 0 ||
            (app->health.reported_missing && !release)) {
            continue;
        }
        if (app->health.missing_since_ms + after_ms > step_.now_ms) {
            check_at(*app, app->health.missing_since_ms + after_ms);
            continue;
        }
        app->health.reported_missing = true;
        status_reporter_.event(
            model_.driver_of(*app),
            true,
            "ExecutorsMissing",
            std::to_string(app->health.missing) + " of " + std::to_string(app->slots.size()) +
                (app->group.empty() ? " slots have had no executor for "
                                    : " slots have had no pod for ") +
                duration_text(after_ms) +
                (release ? "; their room is given back" : "; their room is kept for them"));
        if (release) {
            model_.ledger.give_up_unfilled(*app, publisher_.rewrite(*app));
            health_.report(*app);
            watch(*app);
        }
    }
    step_.wake_at(missing_due_.next_ms());
}

void MissingExecutors::check_at(Application& app, std::int64_t at_ms) {
    app.health.missing_is_due = true;
    missing_due_.add(at_ms, model_.texts.keep(app.uid));
}

}  // namespace gang
