#include "gang/preempt/preemptor_rights.hpp"

#include <algorithm>

namespace gang {

PreemptorRights::PreemptorRights(
    const Model& model, const Application& preemptor, const Amounts& wanted)
    : model_(model),
      preemptor_(preemptor.uid),
      queue_(model.shares.charges.find(preemptor.uid)->queue),
      priority_(preemptor.priority),
      is_across_(model.schema.preemption.across_queues) {
    model_.shares.tree.for_each_above(queue_, [&](QueueIndex queue) {
        const QueueNode& node = model_.shares.tree.at(queue);
        is_within_ = is_within_ ||
                     node.said.preemption.within_queue == config::PreemptionWithin::lower_priority;
        const Amounts& held = model_.shares.usage.of(queue).amounts;
        const bool is_covered =
            !node.guarantee.empty() &&
            std::all_of(node.guarantee.begin(), node.guarantee.end(), [&](const auto& guaranteed) {
                return held.of(guaranteed.name) + wanted.of(guaranteed.name) <= guaranteed.amount;
            });
        if (below_guarantee_ == no_queue && is_covered) {
            below_guarantee_ = queue;
        }
    });
}

std::optional<EvictReason> PreemptorRights::reason_for(
    QueueIndex queue, std::int32_t priority) const {
    const bool is_lower = priority < priority_;
    if (queue == queue_) {
        return is_within_ && is_lower ? std::optional(EvictReason::preempt) : std::nullopt;
    }
    if (!is_reclaimable(queue)) {
        return std::nullopt;
    }
    if (below_guarantee_ != no_queue && !is_below(queue, below_guarantee_)) {
        return EvictReason::reclaim;
    }
    return is_across_ && is_lower ? std::optional(EvictReason::preempt) : std::nullopt;
}

bool PreemptorRights::is_reclaimable(QueueIndex queue) const {
    bool is_said = false;
    model_.shares.tree.for_each_above(queue, [&](QueueIndex above) {
        is_said = is_said || model_.shares.tree.at(above).said.preemption.is_reclaimable;
    });
    return is_said;
}

/// It, or one below it.
bool PreemptorRights::is_below(QueueIndex queue, QueueIndex above) const {
    bool is_found = false;
    model_.shares.tree.for_each_above(
        queue, [&](QueueIndex one) { is_found = is_found || one == above; });
    return is_found;
}

}  // namespace gang
