#include "core/placement/ranking/score_weighing.hpp"

#include <algorithm>
#include <string>

namespace core {

PodScore ScoreWeighing::pod_weights() const {
    PodScore weights;
    for (const WeightedScore& one : *scores_) {
        const auto of = score_of(one.score).of;
        if (of == inter_pod_affinity) weights.affinity += one.weight;
        if (of == pod_topology_spread) weights.spread += one.weight;
    }
    return weights;
}

void ScoreWeighing::begin(const PlacementView& view, ShapeId shape) {
    counted_.clear();
    const Demand& demand = view.demand(shape);
    const auto find = [&](const std::string& name) {
        return std::find_if(
            demand.extended.begin(), demand.extended.end(), [&](const ExtendedDemand& asked) {
                return view.cluster().extended_names().name(asked.id) == name;
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

std::int64_t ScoreWeighing::sum(ScoreContext context, Position position, std::int64_t placed) {
    NodeLoad node = loads_.of(position, placed);
    node.context = &context;
    std::int64_t sum = 0;
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

void ScoreWeighing::collect_loads(
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
                counted_loads_.push_back(
                    {loads_.of_extended(position, one.asked, placed), one.weight});
                break;
        }
    }
}

}  // namespace core
