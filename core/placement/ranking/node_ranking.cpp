#include "core/placement/ranking/node_ranking.hpp"

#include "core/cluster/node/node_preferences.hpp"
#include "core/score/preference_score.hpp"

namespace core {

bool NodeRanking::is_needed(ShapeId shape, PackingPolicy policy) const {
    const Cluster& cluster = view_.cluster();
    const ClassId constraint_class = cluster.shapes().class_of(shape);
    return is_weighted() || find_score(policy) != nullptr || cluster.nodes().has_costs() ||
           cluster.nodes().keeps_off_scarce(cluster.resources(shape)) ||
           find_preferences(cluster, constraint_class) != nullptr ||
           cluster.shapes().classes().find_pod_scores(constraint_class) != nullptr;
}

void NodeRanking::begin(ShapeId shape, PackingPolicy policy) {
    const Cluster& cluster = view_.cluster();
    const ClassId constraint_class = cluster.shapes().class_of(shape);
    shape_ = shape;
    policy_ = policy;
    score_ = is_weighted() ? nullptr : find_score(policy);
    preferences_ = find_preferences(cluster, constraint_class);
    pod_scores_ = cluster.shapes().classes().find_pod_scores(constraint_class);
    has_costs_ = cluster.nodes().has_costs();
    keeps_off_scarce_ = cluster.nodes().keeps_off_scarce(cluster.resources(shape));
    loads_.begin(shape);
    if (is_weighted()) {
        weighing_.begin(view_, shape);
        stays_best_ = core::stays_best(weighing_.scores());
    } else {
        stays_best_ = score_ == nullptr || core::stays_best(score_->kind);
    }
}

NodeRank NodeRanking::rank(Position position, std::int64_t capacity, std::int64_t placed) {
    ++nodes_ranked_;
    NodeRank rank;
    rank.position = position;
    const Node& node = view_.cluster().nodes().node(view_.node_at(position));
    if (has_costs_) rank.cost = node.cost;
    if (keeps_off_scarce_) rank.scarcity = node.is_scarce ? 1 : 0;
    if (is_weighted()) {
        rank.measure = -weighted_score(position, placed);
        return rank;
    }
    if (preferences_ != nullptr || pod_scores_ != nullptr) {
        rank.dislike = -preference_score(
            preferences_ == nullptr ? Preference{} : preferences_->by_position[position],
            preferences_ == nullptr ? Preference{} : preferences_->most,
            pod_score(position));
        if (preferences_ != nullptr) rank.dislike -= preferences_->by_position[position].points;
    }
    if (score_ != nullptr) {
        rank.measure = -score_->of(loads_.of(position, placed));
    } else {
        rank.measure = policy_ == PackingPolicy::fewest_nodes ? -capacity : capacity;
    }
    return rank;
}

PodScore NodeRanking::pod_score(Position position) const {
    PodScore score;
    if (pod_scores_ == nullptr) return score;
    if (!pod_scores_->affinity.empty()) score.affinity = pod_scores_->affinity[position];
    if (!pod_scores_->spread.empty()) score.spread = pod_scores_->spread[position];
    return score;
}

std::int64_t NodeRanking::weighted_score(Position position, std::int64_t placed) {
    ScoreContext context;
    if (preferences_ != nullptr) {
        context.preference = preferences_->by_position[position];
        context.most = preferences_->most;
        if (!preferences_->images.empty()) context.images = preferences_->images[position];
    }
    context.pods = pod_score(position);
    return context.preference.points + weighing_.sum(context, position, placed);
}

bool NodeRanking::is_by_cost() const {
    return has_costs_ && score_ == nullptr && preferences_ == nullptr && pod_scores_ == nullptr &&
           !keeps_off_scarce_ && !is_weighted() && !view_.cluster().nodes().cost_levels().empty();
}

PodScore NodeRanking::pod_weights() const {
    return is_weighted() ? weighing_.pod_weights() : pod_score_weights;
}

}  // namespace core
