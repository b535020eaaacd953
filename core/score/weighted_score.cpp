#include "core/score/weighted_score.hpp"

#include <algorithm>

namespace core {

std::optional<ScoreId> find_score_id(std::string_view name) {
    if (name.empty()) return std::nullopt;
    if (name == "NodeResourcesFit") name = "least-allocated";
    const auto found =
        std::find_if(score_table.begin(), score_table.end(), [name](const Score& score) {
            return score.name == name || score.plugin == name || score.priority == name;
        });
    if (found == score_table.end()) return std::nullopt;
    return static_cast<ScoreId>(found - score_table.begin());
}

std::string_view plugin_name(ScoreId id) {
    const Score& score = score_of(id);
    return score.plugin.empty() ? score.name : score.plugin;
}

bool asks_images(const ScoreOrder& order) {
    return std::any_of(order.begin(), order.end(), [](const WeightedScore& one) {
        return score_of(one.score).of == image_locality;
    });
}

bool spreads_alike(const ScoreOrder& order) {
    return std::any_of(order.begin(), order.end(), [](const WeightedScore& one) {
        const std::string_view name = score_of(one.score).name;
        return name == "selector-spread" || name == "service-spreading";
    });
}

bool asks_pods(const ScoreOrder& order) {
    return std::any_of(order.begin(), order.end(), [](const WeightedScore& one) {
        const auto of = score_of(one.score).of;
        return of == inter_pod_affinity || of == pod_topology_spread;
    });
}

bool stays_best(const ScoreOrder& order) {
    return std::all_of(order.begin(), order.end(), [](const WeightedScore& one) {
        return stays_best(score_of(one.score).kind);
    });
}

}  // namespace core
