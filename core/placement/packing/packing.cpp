#include "core/placement/packing/packing.hpp"

#include "core/base/result.hpp"

#include <algorithm>

namespace core {

void Packing::begin(
    const Cluster& cluster,
    View view,
    const std::vector<NodeIndex>& excluded,
    const Order& order) {
    ENSURE(capacities_.has_ended());  // the last question
    view_.begin(cluster, view, excluded, order.card_choice);
    planned_.begin();
    ranking_.order_by(order.scores);
    by_rank_.prefer_by(order.preferring);
}

std::span<const PositionCount> Packing::choose(
    ShapeId shape, std::int64_t wanted, const Capacities& capacities, PackingPolicy policy) {
    if (wanted == 0) return {};
    if (!is_ranked(shape, policy)) return by_level_.fill(wanted, capacities, shape, policy);
    chosen_.clear();
    ranking_.begin(shape, policy);
    if (!by_rank_.has_preferences() && ranking_.is_by_cost()) {
        fill_by_cost(wanted, capacities);
    } else {
        by_rank_.take(1, wanted, capacities, chosen_);
    }
    sort_by_position(chosen_);
    return chosen_;
}

/// The nodes of each level by the policy, the cheapest level first.
void Packing::fill_by_cost(std::int64_t wanted, const Capacities& capacities) {
    const ShapeId shape = ranking_.shape();
    if (!at_cost_) at_cost_.emplace(view_.demand(shape));
    for (const CostLevel& level : view_.cluster().nodes().cost_levels()) {
        at_cost_->copy_some(capacities, level.nodes);
        const std::int64_t count = std::min(wanted, at_cost_->total());
        if (count == 0) continue;
        const auto& filled = by_level_.fill(count, *at_cost_, shape, ranking_.policy());
        chosen_.insert(chosen_.end(), filled.begin(), filled.end());
        wanted -= count;
        if (wanted == 0) break;
    }
}

std::optional<Position> Packing::find_first(const Capacities& capacities) const {
    if (!ranking_.is_by_cost()) return std::nullopt;
    const bool largest = ranking_.policy() == PackingPolicy::fewest_nodes;
    for (const CostLevel& level : view_.cluster().nodes().cost_levels()) {
        std::optional<Position> first;
        std::int64_t best = 0;
        level.nodes.for_each([&](std::size_t position) {
            const std::int64_t here = capacities.at(static_cast<Position>(position));
            if (here == 0 || (first && (largest ? here <= best : here >= best))) return;
            first = static_cast<Position>(position);
            best = here;
        });
        if (first) return first;
    }
    return std::nullopt;
}

}  // namespace core
