#include "gang/view/queue_views.hpp"

#include "config/queues/queue_name.hpp"
#include "gang/quota/turns.hpp"
#include "gang/shares/dominant_share.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace gang {

std::vector<QueueView> QueueViews::queues() const {
    if (!quota_.is_active()) {
        return one_queue();
    }
    const QueueTree& tree = model_.shares.tree;
    std::vector<QueueView> views;
    for (QueueIndex queue = 0; queue < static_cast<QueueIndex>(tree.size()); ++queue) {
        const QueueNode& node = tree.at(queue);
        const QueueUsage::Held& held = model_.shares.usage.of(queue);
        const DominantShare share = share_of(node, held.amounts, quota_.totals());
        QueueView& view = views.emplace_back();
        view.name = node.said.name;
        view.parent = config::parent_queue(node.said.name);
        view.object = node.said.object;
        view.is_leaf = tree.is_leaf(queue);
        view.is_stopped = node.is_stopped;
        view.order = node.said.order;
        view.weight = node.said.weight;
        view.share_millionths = millionths(share);
        view.owed_millionths = model_.shares.history.owed(queue);
        view.is_below_guarantee = share.is_below_guarantee;
        view.usage = to_resources(held.amounts);
        view.guarantee = node.guarantee;
        view.limit = node.said.limit;
        view.user_limit = node.said.user_limit;
        view.max_gangs = node.said.max_gangs;
        view.running = held.gangs;
    }
    add_waiting(views);
    return views;
}

/// Executors beyond their gang's slots are of a gang that runs.
void QueueViews::add_waiting(std::vector<QueueView>& views) const {
    const QueueTree& tree = model_.shares.tree;
    for (const auto* const lane_and_line : lanes_in_order(model_, quota_.totals())) {
        const auto& [lane, line] = *lane_and_line;
        for (const Application* app : line) {
            if (!could_be_admitted(*app)) {
                continue;
            }
            tree.for_each_above(lane.queue, [&views](QueueIndex queue) {
                ++views[static_cast<std::size_t>(queue)].waiting;
            });
            std::string& head = views[static_cast<std::size_t>(lane.queue)].head;
            if (head.empty()) {
                head = app->namespace_name.str() + "/" + app->name;
                if (const Outlook* const outlook = model_.outlooks.find(app->uid)) {
                    views[static_cast<std::size_t>(lane.queue)].head_start_ms = outlook->start_ms;
                }
            }
        }
    }
}

bool QueueViews::could_be_admitted(const Application& app) const {
    const QueueEntry* const entry = model_.waiting.find_entry(app);
    return !app.is_surplus && entry != nullptr && !entry->is_infeasible &&
           entry->code != ReasonCode::exceeds_quota;
}

std::vector<QueueView> QueueViews::one_queue() const {
    QueueView view;
    view.name = config::default_queue;
    Amounts held;
    std::set<std::string> holders;
    for (const auto& [uid, app] : model_.gangs.all()) {
        for (const Slot& slot : app.slots) {
            held.add(held_by(model_.cluster, app, slot), 1);
            holders.insert(app.uid);
        }
    }
    model_.pods.for_each([&](PodId id) {
        const auto allocation = model_.cluster.pods().find(model_.pods.uid(id));
        if (allocation) {
            const core::Text owner = model_.pods.copy_of(id).owner;
            held.add(model_.cluster.allocations().resources_of(*allocation), 1);
            holders.insert(owner.empty() ? model_.pods.uid(id) : owner.str());
        }
    });
    for (const Application* app : model_.waiting) {
        const bool is_parked = !app->declared.diagnostics->problem.empty();
        if (is_parked || !could_be_admitted(*app)) {
            continue;
        }
        ++view.waiting;
        view.head = view.head.empty() ? app->namespace_name.str() + "/" + app->name : view.head;
    }
    QueueNode node;
    view.share_millionths = millionths(share_of(node, held, quota_.totals()));
    view.usage = to_resources(held);
    view.running = static_cast<std::int64_t>(holders.size());
    return {view};
}

}  // namespace gang
