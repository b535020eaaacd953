#include "gang/quota/quota_gate.hpp"

#include "core/cluster/node_columns.hpp"
#include "gang/quota/max_waits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace gang {
namespace {

/// All age at the same rate, so who goes first among them never changes: what the waiting has been
/// worth by now is the same for all but for when each was created. In whole points, so that those
/// created close to each other are of one lane. Whatever a recording holds, the product does not
/// overflow, and stays far above the lanes of those who are overdue.
std::int64_t lane_by_priority(const Application& app, std::int64_t points_per_hour) {
    constexpr std::int64_t seconds_per_hour = 3'600;
    constexpr core::Wide last = std::int64_t{1} << 62;
    const core::Wide before =
        core::Wide{app.created} * points_per_hour / seconds_per_hour - app.priority;
    return static_cast<std::int64_t>(std::clamp(before, -last, last));
}

/// As last found; of one that was not looked at since it came, since its limit let it in, since
/// nodes or other schedulers' pods changed, or since a bind failed, this may be so. Whom rules
/// between pods keep off, or whose bind is refused, holds up nobody.
bool may_wait_for_room(const QueueEntry& entry, std::uint64_t ceiling_version) {
    const bool is_infeasible = entry.is_infeasible && entry.infeasible_at == ceiling_version;
    return !is_infeasible && entry.code != ReasonCode::pod_rules_not_met &&
           entry.code != ReasonCode::bind_failed;
}

bool share_nodes(const core::Cluster& cluster, const KeyedClass& a, const KeyedClass& b) {
    const auto nodes = [&cluster](core::ShapeId shape) -> const core::NodeBitmap& {
        return cluster.shapes().eligible(shape);
    };
    return std::any_of(a.first.shapes.begin(), a.first.shapes.end(), [&](core::ShapeId one) {
        return std::any_of(b.first.shapes.begin(), b.first.shapes.end(), [&](core::ShapeId other) {
            return nodes(one).intersects(nodes(other));
        });
    });
}

}  // namespace

void QuotaGate::place(const Application& app, EquivalenceKey& key) const {
    if (!is_active()) {
        return;
    }
    const QueueAccount* const account = model_.shares.charges.find(app.uid);
    ENSURE(account != nullptr);
    const QueueNode& queue = model_.shares.tree.at(account->queue);
    key.lane.queue = account->queue;
    if (queue.said.order == config::QueueOrder::priority) {
        key.lane.before = lane_by_priority(app, queue.said.aging_per_hour);
    }
    if (queue.said.order == config::QueueOrder::fair) {
        key.lane.user = account->user;
    }
    if (app.declared.is_overdue) {
        key.lane = {account->queue, overdue_lane(app.declared.overdue_from_s), {}};
    }
    if (queue.has_user_limit) {
        key.user = account->user;
    }
}

bool QuotaGate::is_stopped(const Application& app) const {
    const QueueAccount* const account =
        is_active() && app.surplus_of.empty() ? model_.shares.charges.find(app.uid) : nullptr;
    return account != nullptr && model_.shares.tree.at(account->queue).is_stopped;
}

/// Executors beyond their gang's slots are no gangs of their own, unless they have no gang.
QuotaDemand QuotaGate::demand_of(const QueueEntry& entry) const {
    const bool is_of_gang = entry.app->is_surplus && !entry.app->surplus_of.empty();
    return {amounts_of(entry.gang_class->first, entry.size), is_of_gang ? 0 : 1};
}

Amounts QuotaGate::amounts_of(const EquivalenceKey& key, std::int64_t size) const {
    Amounts amounts;
    amounts.add(model_.cluster.resources(key.shapes.front()), 1);
    for (std::size_t i = 1; i < key.shapes.size(); ++i) {
        const std::int64_t count = key.counts.empty() ? size : key.counts[i - 1];
        amounts.add(model_.cluster.resources(key.shapes[i]), count);
    }
    return amounts;
}

QuotaShortages QuotaGate::find_shortages(const QueueEntry& entry) const {
    const EquivalenceKey& key = entry.gang_class->first;
    if (!is_active()) {
        return {};
    }
    return model_.shares.quota.find_shortages({key.lane.queue, key.user}, demand_of(entry));
}

bool QuotaGate::keeps_to_quotas(const Application& app) const {
    return find_shortages(model_.waiting.entry(app)).empty() &&
           !model_.find_quota_obstacle(app, model_.pods.at(app.uid).pod);
}

QuotaAnswer QuotaGate::ask(const QueueEntry& entry, const AwaitedQuota& awaited) const {
    const EquivalenceKey& key = entry.gang_class->first;
    if (!is_active() || !model_.shares.tree.at(key.lane.queue).is_bounded) {
        return {};
    }
    const QuotaDemand demand = demand_of(entry);
    QuotaShortages shortages =
        model_.shares.quota.find_shortages({key.lane.queue, key.user}, demand);
    if (!shortages.empty()) {
        const ReasonCode code = shortages.front().is_for_ever ? ReasonCode::exceeds_quota
                                                              : ReasonCode::waiting_for_quota;
        return {code, std::move(shortages)};
    }
    return {is_behind(key, demand, awaited) ? ReasonCode::waiting_for_quota : ReasonCode::none, {}};
}

bool QuotaGate::is_behind(
    const EquivalenceKey& key, const QuotaDemand& demand, const AwaitedQuota& awaited) const {
    bool is_behind_one = false;
    model_.shares.tree.for_each_above(key.lane.queue, [&](QueueIndex queue) {
        const auto waits = is_behind_one ? awaited.by_queue.end() : awaited.by_queue.find(queue);
        is_behind_one =
            is_behind_one ||
            (waits != awaited.by_queue.end() &&
             std::any_of(
                 waits->second.begin(), waits->second.end(), [&](const AwaitedQuota::Wait& wait) {
                     return uses_any(demand, key.user, wait.shortages, wait.user);
                 }));
    });
    return is_behind_one;
}

bool QuotaGate::keeps_order(const EquivalenceKey& key) const {
    return is_overdue(key.lane) ||
           model_.shares.tree.at(key.lane.queue).said.order == config::QueueOrder::fifo;
}

void QuotaGate::await(
    const EquivalenceKey& key, const QuotaShortages& shortages, AwaitedQuota& awaited) const {
    if (!keeps_order(key) || key.is_surplus || shortages.empty()) {
        return;
    }
    awaited.by_queue[key.lane.queue].push_back({shortages, key.user});
    if (!is_strict(model_.shares.tree, key.lane)) {
        return;
    }
    for (const QuotaShortage& shortage : shortages) {
        if (shortage.queue != key.lane.queue) {
            awaited.by_queue[shortage.queue].push_back({{shortage}, key.user});
        }
    }
}

bool QuotaGate::holds_up(
    const EquivalenceKey& key, std::int64_t size, const AwaitedQuota& awaited) const {
    const std::int64_t gangs = key.is_surplus ? 0 : 1;
    return is_behind(key, {amounts_of(key, size), gangs}, awaited);
}

bool QuotaGate::passes(const QueueEntry& entry, const QueueEntry& overdue) const {
    const auto place = [](const QueueEntry& one) {
        const Lane& lane = one.gang_class->first.lane;
        return std::tuple(lane.before, one.app->created, lane.queue, one.app->order());
    };
    const bool is_strict_too = is_strict(model_.shares.tree, entry.gang_class->first.lane);
    if (entry.app == overdue.app || (is_strict_too && place(entry) < place(overdue))) {
        return false;
    }
    const QuotaShortages shortages = find_shortages(overdue);
    if (shortages.empty()) {
        return may_wait_for_room(overdue, model_.cluster_model.ceiling_version()) &&
               share_nodes(model_.cluster, *entry.gang_class, *overdue.gang_class);
    }
    AwaitedQuota awaited;
    if (!shortages.front().is_for_ever) {
        await(overdue.gang_class->first, shortages, awaited);
    }
    return is_behind(entry.gang_class->first, demand_of(entry), awaited);
}

bool QuotaGate::passes_overdue(const Application& app) const {
    const QueueTree& tree = model_.shares.tree;
    const QueueEntry* const entry = model_.waiting.find_entry(app);
    if (!tree.is_max_wait_strict_anywhere() || entry == nullptr || entry->gang_class == nullptr) {
        return false;
    }
    const auto& lanes = model_.waiting.classes().lanes();
    return std::any_of(lanes.begin(), lanes.end(), [&](const std::pair<const Lane, Line>& lane) {
        return is_strict(tree, lane.first) &&
               std::any_of(lane.second.begin(), lane.second.end(), [&](const Application* overdue) {
                   return passes(*entry, *model_.waiting.find_entry(*overdue));
               });
    });
}

}  // namespace gang
