#include "core/score/preference_score.hpp"

namespace core {

namespace {

constexpr std::int64_t weight_of_taints = 3;
constexpr std::int64_t weight_of_affinity = 2;

std::int64_t normalised(std::int64_t count, std::int64_t most) {
    return most == 0 ? 0 : score_max * count / most;
}

}  // namespace

std::int64_t taint_toleration(std::int32_t taints, std::int32_t most) {
    return score_max - normalised(taints, most);
}

std::int64_t node_affinity(std::int32_t weight, std::int32_t most) {
    return normalised(weight, most);
}

std::int64_t taint_toleration(const NodeLoad& node) {
    return taint_toleration(node.context->preference.taints, node.context->most.taints);
}

std::int64_t node_affinity(const NodeLoad& node) {
    return node_affinity(node.context->preference.weight, node.context->most.weight);
}

std::int64_t image_locality(const NodeLoad& node) {
    return node.context->images;
}

std::int64_t inter_pod_affinity(const NodeLoad& node) {
    return node.context->pods.affinity;
}

std::int64_t pod_topology_spread(const NodeLoad& node) {
    return node.context->pods.spread;
}

std::int64_t preference_score(
    const Preference& preference, const Preference& most, const PodScore& pods) {
    return weight_of_taints * taint_toleration(preference.taints, most.taints) +
           weight_of_affinity * node_affinity(preference.weight, most.weight) +
           pod_score_weights.affinity * pods.affinity + pod_score_weights.spread * pods.spread;
}

}  // namespace core
