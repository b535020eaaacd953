#include "gang/view/totals_view.hpp"

#include "core/value/pod.hpp"
#include "core/value/resources.hpp"
#include "gang/explain.hpp"

#include <algorithm>
#include <cstddef>

namespace gang {

Totals TotalsView::totals(std::int64_t now_ms) const {
    Totals out;
    out.idle_milli_ms = step_.idle_milli_ms;
    if (!model_.term.leads) {
        return out;
    }
    out.idle_milli_ms +=
        model_.ledger.counts().open_milli() * std::max<std::int64_t>(now_ms - step_.now_ms, 0);
    out.nodes = static_cast<std::int64_t>(model_.cluster.nodes().count());
    out.capacity_requests = model_.demand.count_asked();
    out.fence_outstanding = static_cast<std::int64_t>(leadership_.fence().size());
    for (const auto& [uid, app] : model_.gangs.all()) {
        ++out.gangs[static_cast<std::size_t>(views_.state_of(app))];
        add_ages(app, now_ms, out);
        const SlotNumbers slots = views_.slot_numbers(app);
        out.slots_open += slots.open;
        out.slots_assumed += slots.assumed;
        out.slots_bound += slots.bound;
        out.slots_unplaced += slots.unplaced;
        for (std::size_t i = app.open_from; slots.open > 0 && i < app.slots.size(); ++i) {
            if (app.slots[i].state == SlotState::open) {
                const core::Resources& amounts =
                    model_.cluster.allocations().resources_of(app.slots[i].allocation);
                out.open_cpu_milli += amounts.cpu_milli;
                out.open_memory_bytes += amounts.memory_bytes;
            }
        }
    }
    owners_.for_each_waiting_ownerless([this, &out](const PodEntry& entry) {
        ++out.gangs[static_cast<std::size_t>(views_.state_of_ownerless(entry))];
        ++out.pending_gangs[static_cast<std::size_t>(ReasonCode::waiting_in_queue)];
    });
    model_.pods.for_each_active(
        [&](const PodEntry& entry) { add_pending(entry, out.pending_pods); });
    return out;
}

void TotalsView::add_ages(const Application& app, std::int64_t now_ms, Totals& out) const {
    if (app.phase == Phase::waiting) {
        const ReasonCode code = model_.waiting.code_of(app);
        ++out.pending_gangs[static_cast<std::size_t>(code)];
        if (!can_never_run(code)) {
            out.oldest_waiting_ms = std::max(out.oldest_waiting_ms, now_ms - app.waiting_since_ms);
        }
    }
    if (app.phase == Phase::running && app.health.missing > 0) {
        out.oldest_open_slot_ms =
            std::max(out.oldest_open_slot_ms, now_ms - app.health.missing_since_ms);
    }
    const bool is_stuck = app.phase == Phase::running && app.health.stuck;
    out.stuck_drivers += is_stuck && !app.health.driver_runs ? 1 : 0;
}

void TotalsView::add_pending(const PodEntry& entry, PendingPods& out) const {
    const core::Pod& pod = entry.pod;
    if (entry.gone || pod.deleting || !pod.node_name.empty() || core::is_terminal(pod)) {
        return;
    }
    const Application* app = model_.gangs.find(pod.uid);
    const bool unsized =
        app != nullptr && app->declared.conf_needed && app->phase == Phase::waiting;
    const Application* owner = model_.gangs.find_owner(entry);
    const bool said = app != nullptr ? model_.waiting.code_of(*app) != ReasonCode::none
                                     : owners_.is_waiting_ownerless(entry);
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

}  // namespace gang
