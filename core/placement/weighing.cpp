// How Packing ranks a node by a profile's weighted scores.

#include "core/placement/packing.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace core {

/// Which resources each score looks at. Of an extended resource that the pod does not ask for
/// nothing is looked at, as in kube-scheduler.
void Packing::begin_weighing(ShapeId shape) {
    counted_.clear();
    const Demand& demand = cluster_->demand(shape);
    const auto find = [&](const std::string& name) {
        return std::find_if(
            demand.extended.begin(), demand.extended.end(), [&](const ExtendedDemand& asked) {
                return cluster_->extended_name(asked.id) == name;
            });
    };
    for (std::size_t i = 0; i < scores_->size(); ++i) {
        for (const ResourceWeight& wanted : (*scores_)[i].resources) {
            if (wanted.name == "cpu") {
                counted_.push_back({i, Counted::Kind::cpu, {}, wanted.weight});
            } else if (wanted.name == "memory") {
                counted_.push_back({i, Counted::Kind::memory, {}, wanted.weight});
            } else if (const auto asked = find(wanted.name); asked != demand.extended.end()) {
                counted_.push_back({i, Counted::Kind::extended, *asked, wanted.weight});
            }
        }
    }
}

/// 100 times score_weight_max for each score at most: see ScoreOrder.
std::int64_t Packing::weighted_score(Position position, std::int64_t placed) {
    NodeLoad node = load(position, placed);
    ScoreContext context;
    std::int64_t sum = 0;
    node.context = &context;
    if (ranking_.preferences != nullptr) {
        context.preference = ranking_.preferences->by_position[position];
        context.most = ranking_.preferences->most;
        sum += context.preference.points;
        const auto& images = ranking_.preferences->images;
        if (!images.empty()) context.images = images[position];
    }
    context.pods = pod_score(position);
    for (std::size_t i = 0; i < scores_->size(); ++i) {
        const WeightedScore& one = (*scores_)[i];
        context.resources.reset();
        if (!one.resources.empty()) {
            collect_loads(i, node, position, placed);
            context.resources = counted_loads_;
        }
        context.shape = one.shape;
        const std::int64_t score = score_of(one.score).of(node);
        sum += std::clamp<std::int64_t>(score, 0, score_max) * one.weight;
    }
    return sum;
}

void Packing::collect_loads(
    std::size_t score, const NodeLoad& node, Position position, std::int64_t placed) {
    counted_loads_.clear();
    for (const Counted& one : counted_) {
        if (one.score != score) continue;
        switch (one.kind) {
            case Counted::Kind::cpu:
                counted_loads_.push_back({node.cpu, one.weight});
                break;
            case Counted::Kind::memory:
                counted_loads_.push_back({node.memory, one.weight});
                break;
            case Counted::Kind::extended:
                counted_loads_.push_back({extended_load(position, one.asked, placed), one.weight});
                break;
        }
    }
}

}  // namespace core
