#include "gang/sim/checkers/decisions/shown_view.hpp"

#include <variant>

namespace gang::sim {

void ShownView::apply(const Event& event, std::int64_t now_ms) {
    if (const auto* upserted = std::get_if<PodUpserted>(&event)) {
        pods[number_of(upserted->pod.uid)] = upserted->pod;
        if (core::is_refused_by_kubelet(upserted->pod)) {
            refused_ms[upserted->pod.node_name] = now_ms;
        }
    } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
        pods.erase(number_of(deleted->uid));
    } else if (const auto* node = std::get_if<NodeUpserted>(&event)) {
        nodes[node->node.name] = node->node;
    } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
        nodes.erase(gone->name);
    } else if (const auto* found = std::get_if<SparkConfFound>(&event)) {
        confs.insert(number_of(found->driver_uid));
    } else if (const auto* missing = std::get_if<SparkConfMissing>(&event)) {
        confs.insert(number_of(missing->driver_uid));
    } else if (const auto* changed = std::get_if<ConfigChanged>(&event)) {
        file = *changed->config;
    } else if (std::holds_alternative<LeadershipGained>(event)) {
        leads_since_ms = now_ms;
    }
}

}  // namespace gang::sim
