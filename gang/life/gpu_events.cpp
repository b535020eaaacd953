#include "gang/life/gpu_events.hpp"

#include <set>
#include <string>

namespace gang {

void GpuEvents::on(const MetricsSampled& event) {
    if (!model_.gpus.is_on()) {
        return;
    }
    std::set<core::AllocationId> open;
    for (const Rank& rank : model_.ledger.counts().unfilled()) {
        for (const Slot& slot : model_.gangs.at(rank.uid).slots) {
            if (slot.state == SlotState::open) {
                open.insert(slot.allocation);
            }
        }
    }
    model_.gpus.sampled(event, step_.now_ms, [&open](core::AllocationId allocation) {
        return open.contains(allocation);
    });
    model_.settle_gpus();
}

void GpuEvents::on(const MetricsMissing& event) {
    if (model_.gpus.is_on()) {
        model_.gpus.missed(event.message);
    }
}

void GpuEvents::run() {
    if (!model_.gpus.is_on()) {
        return;
    }
    if (model_.gpus.expire(step_.now_ms)) {
        model_.worklist.queue_changed = true;  // who waits is to be told
    }
    model_.settle_gpus();
    step_.wake_at(model_.gpus.next_stale_ms());
}

}  // namespace gang
