// What metrics show: everything added up, once per question.

#include "gang/engine.hpp"

namespace gang {

void Engine::add_pending(const PodEntry& entry, PendingPods& out) const {
    const core::Pod& pod = entry.pod;
    if (entry.gone || pod.deleting || !pod.node_name.empty() || core::is_terminal(pod)) {
        return;
    }
    const Application* app = find_app(pod.uid);
    const bool unsized = app != nullptr && app->conf_needed && app->phase == Phase::waiting;
    const Application* owner = find_owner(entry);
    const bool said =
        app != nullptr ? code_of(*app) != ReasonCode::none : is_waiting_ownerless(entry);
    const bool waits_for_slot = owner != nullptr && owner->pending->contains(entry.rank());
    if (entry.bind_in_flight || !entry.assumed_node.empty()) {
        ++out.active;
    } else if (pod.gated || unsized) {
        ++out.gated;
    } else if (entry.retry->code != ReasonCode::none) {
        ++out.backoff;
    } else if (said || waits_for_slot) {
        ++out.unschedulable;
    } else {
        ++out.active;
    }
}

Totals Engine::totals(std::int64_t now_ms) const {
    Totals out;
    out.idle_milli_ms = idle_milli_ms_;
    if (!term_.leads) {
        return out;
    }
    out.idle_milli_ms += ledger_.open_milli() * std::max<std::int64_t>(now_ms - now_ms_, 0);
    out.nodes = static_cast<std::int64_t>(cluster_.node_count());
    out.fence_outstanding = static_cast<std::int64_t>(fence_.size());
    for (const auto& [uid, app] : apps_) {
        ++out.gangs[static_cast<std::size_t>(state_of(app))];
        if (app.phase == Phase::waiting) {
            ++out.pending_gangs[static_cast<std::size_t>(code_of(app))];
        }
        const SlotNumbers slots = slot_numbers(app);
        out.slots_open += slots.open;
        out.slots_assumed += slots.assumed;
        out.slots_bound += slots.bound;
        out.slots_unplaced += slots.unplaced;
        for (std::size_t i = app.open_from; slots.open > 0 && i < app.slots.size(); ++i) {
            if (app.slots[i].state == SlotState::open) {
                const core::Resources& amounts = cluster_.resources_of(app.slots[i].allocation);
                out.open_cpu_milli += amounts.cpu_milli;
                out.open_memory_bytes += amounts.memory_bytes;
            }
        }
    }
    for_each_waiting_ownerless([&out](const PodEntry& entry) {
        ++out.gangs[static_cast<std::size_t>(state_of_ownerless(entry))];
        ++out.pending_gangs[static_cast<std::size_t>(ReasonCode::waiting_in_queue)];
    });
    pods_.for_each_active([&](const PodEntry& entry) { add_pending(entry, out.pending_pods); });
    return out;
}

}  // namespace gang
