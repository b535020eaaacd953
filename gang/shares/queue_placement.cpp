#include "gang/shares/queue_placement.hpp"

#include "config/queues/queue_name.hpp"
#include "gang/declare/spark/text.hpp"

#include <cstddef>
#include <utility>

namespace gang {

std::string user_of(const core::Pod& pod) {
    return pod.namespace_name + "/" +
           (pod.service_account ? *pod.service_account : std::string("default"));
}

PlacedInQueue QueuePlacement::place(
    const core::Pod& pod, const std::string* asked, const std::string* elsewhere) const {
    if (asked == nullptr && elsewhere != nullptr &&
        tree_.find(config::full_queue_name(*elsewhere)) != no_queue) {
        asked = elsewhere;
    }
    PlacedInQueue placed;
    placed.account.user = user_of(pod);
    for (const config::PlacementRule& rule : rules_) {
        std::string name;
        std::string shown;
        switch (rule.kind) {
            case config::PlacementRule::Kind::annotation:
                if (asked == nullptr) {
                    continue;
                }
                name = config::full_queue_name(*asked);
                shown = spark::quoted(*asked);
                break;
            case config::PlacementRule::Kind::namespace_name:
                name = config::full_queue_name(pod.namespace_name);
                shown = name;
                if (tree_.find(name) == no_queue) {
                    continue;
                }
                break;
            case config::PlacementRule::Kind::fixed:
                name = rule.queue;
                shown = name;
                break;
        }
        const QueueIndex queue = tree_.find(name);
        placed.problem = problem_of(queue, shown, pod);
        placed.account.queue = placed.problem.empty() ? queue : no_queue;
        return placed;
    }
    placed.problem =
        "no placement rule gives it a queue: name one in the annotation gang-scheduler/queue";
    return placed;
}

std::string QueuePlacement::problem_of(
    QueueIndex queue, const std::string& name, const core::Pod& pod) const {
    if (queue == no_queue || queue == tree_.lost()) {
        return "queue " + name + " is not found";
    }
    if (!tree_.is_leaf(queue)) {
        return "queue " + name + " has queues below it, and gangs wait in those, such as " +
               tree_.name(tree_.at(queue).children.front());
    }
    const std::string user = user_of(pod);
    if (!tree_.may_use(queue, user, pod.namespace_name)) {
        return "queue " + name + " is not open to service account " + user;
    }
    return {};
}

std::optional<QueueIndex> QueuePlacement::restore(std::string_view written) const {
    if (config::full_queue_name(written) != written) {
        return std::nullopt;
    }
    const QueueIndex queue = tree_.find(written);
    return queue != no_queue && tree_.is_leaf(queue) ? queue : tree_.lost();
}

}  // namespace gang
