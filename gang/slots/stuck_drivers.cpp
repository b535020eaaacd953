#include "gang/slots/stuck_drivers.hpp"

#include "config/schema.hpp"

#include <string>

namespace gang {

void StuckDrivers::check() {
    while (const auto uid = stuck_due_.take(step_.now_ms)) {
        Application* app = model_.gangs.find(*uid);
        if (app == nullptr || app->phase != Phase::running || app->health.stuck ||
            !app->published.reserved) {
            continue;
        }
        if (model_.pods[model_.pods.id_of(*uid)].phase() != core::PodPhase::pending) {
            continue;
        }
        app->health.stuck = true;
        const bool release = model_.schema.gang.never_running_then == config::UnusedThen::release;
        if (release) {
            model_.ledger.give_up_unfilled(*app, publisher_.rewrite(*app));
            model_.worklist.degraded.erase(app->rank());
            app->health.reported_unplaced = false;
        }
        status_reporter_.event(
            model_.driver_of(*app),
            true,
            "GangStuck",
            std::string("the driver is bound but has never run") +
                (release ? "; the room of its executors is given back" : ""));
    }
    step_.wake_at(stuck_due_.next_ms());
}

}  // namespace gang
