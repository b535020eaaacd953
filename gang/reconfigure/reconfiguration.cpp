#include "gang/reconfigure/reconfiguration.hpp"

#include "config/schema.hpp"

#include <utility>

namespace gang {

void Reconfiguration::on(const ConfigChanged& event) {
    if (!event.config) {
        return;
    }
    const config::Schema before = std::exchange(model_.schema, *event.config);
    const config::Schema& now = model_.schema;
    if (before.nodes != now.nodes) {
        cluster_events_.read_nodes_again();
    }
    if (before.queues != now.queues || before.placement != now.placement ||
        before.queue_objects != now.queue_objects) {
        charge_again(Lost::stay);
    }
    if (before.gang.orphan_executors != now.gang.orphan_executors) {
        classify_executors();
    }
    model_.waiting.all_changed();
    model_.worklist.queue_changed = true;
    admission_.begin_anew();
}

void Reconfiguration::namespaces_changed(bool were_known) {
    if (model_.shares.is_active() && model_.shares.placement.needs_namespaces()) {
        charge_again(were_known ? Lost::stay : Lost::are_placed);
        model_.worklist.queue_changed = true;
    }
}

void Reconfiguration::namespace_changed(const std::string& name) {
    if (!model_.shares.is_active() || !model_.shares.placement.needs_namespaces()) {
        return;
    }
    for (auto& [uid, app] : model_.gangs.all()) {
        if (app.phase == Phase::waiting && app.namespace_name.str() == name) {
            model_.gangs.place_again(app);
        }
    }
}

/// From scratch: what a gang or a pod holds is charged as if it had come now. Gangs go first, for
/// what is beyond a gang's slots is charged where the gang is.
void Reconfiguration::charge_again(Lost lost) {
    const auto before = model_.shares.begin_anew(model_.schema);
    for (const bool is_surplus : {false, true}) {
        for (auto& [uid, app] : model_.gangs.all()) {
            if (app.is_surplus == is_surplus) {
                model_.gangs.place_again(app);
            }
        }
    }
    if (!model_.shares.is_active()) {
        return;
    }
    for (const auto& [uid, app] : model_.gangs.all()) {
        model_.ledger.charge_again(app);
    }
    model_.pods.for_each([&](PodId id) {
        const PodEntry entry = model_.pods.copy_of(id);
        const auto account = before.find(entry.owner.empty() ? entry.pod.uid : entry.owner.str());
        const bool is_known =
            account != before.end() &&
            (lost == Lost::stay || account->second.queue != config::lost_queue);
        model_.ledger.pod_allocations().charge_again(entry, is_known ? &account->second : nullptr);
    });
}

/// Whether those without a driver may go by themselves is another question now.
void Reconfiguration::classify_executors() {
    model_.pods.for_each_active([&](const PodEntry& entry) {
        if (entry.is_executor && entry.is_bindable()) {
            model_.worklist.dirty_pods.insert(entry.pod.uid);
        }
    });
}

}  // namespace gang
