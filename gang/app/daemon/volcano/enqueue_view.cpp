#include "gang/app/daemon/volcano/enqueue_view.hpp"

#include <algorithm>

namespace gang::app {

EnqueueView enqueue_view(
    const Scheduler& scheduler, const config::Schema& config, std::int64_t unix_ms) {
    constexpr std::int64_t second_ms = 1'000;
    EnqueueView view;
    view.nodes = scheduler.node_sums();
    if (!config.queues.empty()) {
        view.queues = scheduler.queues();
        view.is_queue_required = config.queue_objects.are_there;
    }
    view.overcommit_percent = config.volcano.overcommit_percent;
    view.is_strict_order = config.volcano.is_strict_order;
    view.pods_within_s = config.volcano.pods_within_ms / second_ms;
    view.has_pods = [&scheduler](const k8s::SeenPodGroup& seen) {
        return scheduler.has_pods_of_group(
            core::GroupDialect::volcano,
            seen.namespace_name,
            seen.name,
            std::max<std::int64_t>(seen.object.group.min_members, 1));
    };
    view.now_s = unix_ms / second_ms;
    for (const config::Queue& queue : config.queues) {
        view.max_wait_ms.emplace(queue.name, queue.max_wait_ms);
    }
    return view;
}

}  // namespace gang::app
