#include "gang/slots/executors_elsewhere.hpp"

#include "gang/model/application.hpp"
#include "gang/model/ledger.hpp"

#include <optional>
#include <utility>

namespace gang {

void ExecutorsElsewhere::observe(const core::Pod& pod) {
    const core::OwnerReference* controller = core::find_controller(pod);
    Application* app = controller == nullptr ? nullptr : model_.gangs.find(controller->uid);
    const std::string* role = core::find_value(pod.labels, "spark-role");
    if (app == nullptr || !app->is_driver || app->namespace_name != pod.namespace_name ||
        role == nullptr || *role != "executor" || pod.node_name.empty() || core::is_terminal(pod) ||
        !known_.insert(pod.uid).second) {
        return;
    }
    if (!model_.term.leads || !app->published.reserved || app->phase != Phase::running) {
        return;
    }
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < app->slots.size(); ++i) {
        const Slot& slot = app->slots[i];
        const bool is_better = !found || slot.node == pod.node_name;
        if (slot.pod.is_none() && app->declared.shapes[slot.shape].profile == profile_of(pod) &&
            is_better) {
            found = i;
        }
    }
    if (found) {
        --app->declared.shapes[app->slots[*found].shape].count;
        model_.ledger.give_up(*app, {*found}, publisher_.rewrite(*app));
        model_.worklist.dirty_gangs.insert(app->uid);
    }
    if (!std::exchange(app->health.reported_elsewhere, true)) {
        status_reporter_.event(
            model_.driver_of(*app),
            true,
            "ExecutorsElsewhere",
            "executor " + pod.name + " was scheduled by " + pod.scheduler_name +
                ", not by us: slots of such executors are given back");
    }
}

}  // namespace gang
