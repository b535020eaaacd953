#include "gang/shares/queue_placement.hpp"

#include "config/queues/queue_name.hpp"
#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gang {

std::string user_of(const core::Pod& pod) {
    return pod.namespace_name + "/" +
           (pod.service_account ? *pod.service_account : std::string("default"));
}

bool QueuePlacement::counts(const std::string* named) const {
    return named != nullptr && tree_.find_named(*named) != no_queue;
}

bool QueuePlacement::needs_namespaces() const {
    return std::any_of(schema_.placement.begin(), schema_.placement.end(), [](const auto& rule) {
        return rule.kind == config::PlacementRule::Kind::namespace_label;
    });
}

std::string QueuePlacement::unknown_label(
    const std::string& label, const std::string& namespace_name) const {
    const std::string text = "its queue is what the label " + label + " of its namespace says, and ";
    if (namespaces_.is_known()) {
        return text + "namespace " + namespace_name + " is not seen yet";
    }
    const std::string& why = namespaces_.why_missing();
    return text + (why.empty() ? "labels of namespaces are not known yet"
                               : "labels of namespaces cannot be listed: " + why);
}

PlacedInQueue QueuePlacement::place(
    const core::Pod& pod,
    const std::string* asked,
    const std::string* elsewhere,
    const std::string* of_group) const {
    if (asked == nullptr && counts(elsewhere)) {
        asked = elsewhere;
    } else if (asked == nullptr && (counts(of_group) || schema_.queue_objects.are_there)) {
        asked = of_group;
    }
    PlacedInQueue placed;
    placed.account.user = user_of(pod);
    for (const config::PlacementRule& rule : schema_.placement) {
        QueueIndex queue = no_queue;
        std::string shown;
        switch (rule.kind) {
            case config::PlacementRule::Kind::annotation:
                if (asked == nullptr) {
                    continue;
                }
                queue = tree_.find_named(*asked);
                shown = spark::quoted(*asked);
                break;
            case config::PlacementRule::Kind::namespace_name:
                shown = config::full_queue_name(pod.namespace_name);
                queue = tree_.find(shown);
                if (queue == no_queue) {
                    continue;
                }
                break;
            case config::PlacementRule::Kind::namespace_label: {
                if (!namespaces_.is_known() || !namespaces_.has(pod.namespace_name)) {
                    placed.problem = unknown_label(rule.label, pod.namespace_name);
                    return placed;
                }
                const std::string* const said = namespaces_.find(pod.namespace_name, rule.label);
                queue = said == nullptr ? no_queue : tree_.find(config::full_queue_name(*said));
                if (queue == no_queue) {
                    continue;
                }
                shown = tree_.name(queue);
                break;
            }
            case config::PlacementRule::Kind::fixed:
                queue = tree_.find(rule.queue);
                shown = rule.queue;
                break;
        }
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
