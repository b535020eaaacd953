#include "gang/backfill/waiters.hpp"

#include "config/queues/backfill_modes.hpp"
#include "config/queues/queue_name.hpp"
#include "gang/queue/head_of_line.hpp"
#include "gang/quota/max_waits.hpp"
#include "gang/quota/turns.hpp"

#include <utility>

namespace gang {

std::vector<Waiter> WaiterList::collect() {
    std::vector<Waiter> waiters;
    AwaitedQuota awaited;
    for_each_in_turn([&](Application& app) { return add(app, awaited, waiters); });
    return waiters;
}

/// visit(gang) until it is false.
template <typename Visit>
void WaiterList::for_each_in_turn(const Visit& visit) {
    if (!quota_.is_active()) {
        for (Application* const app : model_.waiting) {
            if (!visit(*app)) {
                return;
            }
        }
        return;
    }
    for (const LaneAndLine* const lane : lanes_in_turn(model_, quota_.totals())) {
        for (Application* const app : lane->second) {
            if (!visit(*app)) {
                return;
            }
        }
    }
}

/// False: that is enough of them.
bool WaiterList::add(Application& app, AwaitedQuota& awaited, std::vector<Waiter>& waiters) {
    const QueueEntry& queue_entry = model_.waiting.entry(app);
    KeyedClass* const gang_class = queue_entry.gang_class;
    const PodEntry& entry = model_.pods.at(app.uid);
    if (gang_class == nullptr || app.is_surplus || !app.declared.diagnostics->problem.empty() ||
        queue_entry.code == ReasonCode::pod_rules_not_met ||
        model_.find_quota_obstacle(app, entry.pod) ||
        verdicts_.is_infeasible(app, *gang_class, queue_entry.size)) {
        return true;  // it holds up nobody
    }
    const bool is_ready = entry.is_ready(step_.now_ms);
    if (!is_ready && !HeadOfLine::holds_up_others(entry)) {
        return true;
    }
    if (is_ready && waits_for_quota(queue_entry, awaited)) {
        return true;
    }
    Waiter waiter;
    waiter.app = &app;
    waiter.gang_class = gang_class;
    waiter.size = queue_entry.size;
    for (const core::ShapeId shape : gang_class->first.shapes) {
        waiter.nodes.add(model_.cluster.shapes().eligible(shape));
    }
    waiter.mode = mode_of(*gang_class);
    waiter.is_overdue = is_strict(model_.shares.tree, gang_class->first.lane);
    set_first(waiter, waiters);
    const Outlook* const outlook = model_.outlooks.find(app.uid);
    const bool was_passed_enough =
        outlook != nullptr && outlook->bypasses >= model_.schema.backfill.max_bypass;
    // A sum over all nodes is kept by nobody's letting anybody pass: no node is where it will be.
    waiter.is_strict = !is_ready || app.declared.min_resources || waiter.mode == config::BackfillMode::off ||
                       waiter.is_overdue || was_passed_enough || domain_placer_.is_reached(app) ||
                       model_.nominations.find(app.uid) != nullptr;
    waiters.push_back(std::move(waiter));
    return waiters.size() < waiters_max;
}

bool WaiterList::waits_for_quota(const QueueEntry& entry, AwaitedQuota& awaited) {
    const QuotaAnswer answer = quota_.ask(entry, awaited);
    if (answer.code == ReasonCode::waiting_for_quota) {
        quota_.await(entry.gang_class->first, answer.shortages, awaited);
    }
    return answer.code != ReasonCode::none;
}

config::BackfillMode WaiterList::mode_of(const KeyedClass& gang_class) const {
    const QueueIndex queue = gang_class.first.lane.queue;
    return queue == no_queue
               ? model_.schema.backfill.mode
               : config::backfill_of(model_.schema, model_.shares.tree.name(queue));
}

/// Nobody of its queue who waits before it could use any of its nodes.
void WaiterList::set_first(Waiter& waiter, const std::vector<Waiter>& before) const {
    waiter.is_first = true;
    for (const Waiter& other : before) {
        if (other.gang_class->first.lane.queue == waiter.gang_class->first.lane.queue &&
            other.nodes.intersects(waiter.nodes)) {
            waiter.is_first = false;
            return;
        }
    }
}

}  // namespace gang
