#include "gang/shares/queue_tree.hpp"

#include "config/queues/queue_name.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gang {
namespace {

/// Adds up; what does not fit is as much as can be.
void add_guarantee(config::ResourceAmounts& sums, const config::ResourceAmounts& amounts) {
    for (const core::ExtendedResource& amount : amounts) {
        const auto at =
            std::lower_bound(sums.begin(), sums.end(), amount, [](const auto& a, const auto& b) {
                return a.name < b.name;
            });
        if (at == sums.end() || at->name != amount.name) {
            sums.insert(at, amount);
            continue;
        }
        at->amount +=
            std::min(amount.amount, std::numeric_limits<std::int64_t>::max() - at->amount);
    }
}

void raise_to(config::ResourceAmounts& amounts, const config::ResourceAmounts& least) {
    for (const core::ExtendedResource& amount : least) {
        const auto at = std::lower_bound(
            amounts.begin(), amounts.end(), amount, [](const auto& a, const auto& b) {
                return a.name < b.name;
            });
        if (at == amounts.end() || at->name != amount.name) {
            amounts.insert(at, amount);
        } else {
            at->amount = std::max(at->amount, amount.amount);
        }
    }
}

}  // namespace

QueueTree::QueueTree(const config::Schema& schema) {
    if (schema.queues.empty()) {
        return;
    }
    std::map<std::string, config::Queue> all;
    const auto add = [&all](config::Queue queue) {
        for (std::string_view above = config::parent_queue(queue.name); !above.empty();
             above = config::parent_queue(above)) {
            config::Queue made;
            made.name = above;
            all.try_emplace(made.name, std::move(made));
        }
        all.insert_or_assign(queue.name, std::move(queue));
    };
    for (const config::Queue& queue : schema.queues) {
        add(queue);
    }
    std::vector<std::string_view> made = {config::lost_queue};
    for (const config::PlacementRule& rule : schema.placement) {
        if (rule.kind == config::PlacementRule::Kind::fixed) {
            made.push_back(rule.queue);
        }
    }
    for (const std::string_view name : made) {
        if (!all.contains(std::string(name))) {
            config::Queue queue;
            queue.name = name;
            add(std::move(queue));
        }
    }
    // By name, a queue stands behind all that are above it.
    for (auto& [name, queue] : all) {
        const auto index = static_cast<QueueIndex>(nodes_.size());
        QueueNode node;
        node.parent = find(config::parent_queue(name));
        node.guarantee = queue.guarantee;
        node.is_bounded =
            !queue.limit.empty() || !queue.user_limit.empty() || queue.max_gangs.has_value();
        node.has_user_limit = !queue.user_limit.empty();
        node.is_stopped = queue.state == config::QueueState::stopped;
        node.is_max_wait_strict = queue.is_max_wait_strict;
        is_max_wait_strict_anywhere_ = is_max_wait_strict_anywhere_ || queue.is_max_wait_strict;
        if (node.parent != no_queue) {
            const QueueNode& parent = at(node.parent);
            node.is_stopped = node.is_stopped || parent.is_stopped;
            node.is_max_wait_strict = node.is_max_wait_strict || parent.is_max_wait_strict;
            node.is_bounded = node.is_bounded || parent.is_bounded;
            node.has_user_limit = node.has_user_limit || parent.has_user_limit;
            nodes_[static_cast<std::size_t>(node.parent)].children.push_back(index);
        }
        if (!queue.object.empty()) {
            by_object_.emplace(queue.object, index);
        }
        node.said = std::move(queue);
        nodes_.push_back(std::move(node));
        by_name_.emplace(name, index);
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        config::ResourceAmounts sums;
        for (const QueueIndex child : nodes_[i].children) {
            add_guarantee(sums, at(child).guarantee);
        }
        raise_to(nodes_[i].guarantee, sums);
    }
    lost_ = find(config::lost_queue);
}

QueueIndex QueueTree::find(std::string_view full_name) const {
    const auto found = by_name_.find(full_name);
    return found == by_name_.end() ? no_queue : found->second;
}

QueueIndex QueueTree::find_named(const std::string& name) const {
    const QueueIndex queue = find(config::full_queue_name(name));
    const auto object = by_object_.find(name);
    return queue == no_queue && object != by_object_.end() ? object->second : queue;
}

bool QueueTree::may_use(
    QueueIndex queue, std::string_view user, std::string_view namespace_name) const {
    for (; queue != no_queue; queue = at(queue).parent) {
        const config::Queue& said = at(queue).said;
        if (!said.users.empty() || !said.namespaces.empty()) {
            return std::find(said.users.begin(), said.users.end(), user) != said.users.end() ||
                   std::find(said.namespaces.begin(), said.namespaces.end(), namespace_name) !=
                       said.namespaces.end();
        }
    }
    return true;
}

}  // namespace gang
