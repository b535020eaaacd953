#include "core/score/allocated.hpp"

#include "core/base/result.hpp"

#include <algorithm>

namespace core {

namespace {

std::int64_t free_percent(const Load& load) {
    const Used use = used(load.after(), load.allocatable);
    return use.part > use.whole ? 0 : (use.whole - use.part) * score_max / use.whole;
}

std::int64_t used_percent(const Load& load) {
    const Used use = used(load.after(), load.allocatable);
    return std::min(use.part, use.whole) * score_max / use.whole;
}

/// visit(load, weight) for each resource that the node has, of those that count.
template <typename Visit>
void for_each_resource(const NodeLoad& node, Visit visit) {
    if (!node.context->resources) {
        for (const Load* one : {&node.cpu, &node.memory}) {
            if (one->allocatable != 0) visit(*one, 1);
        }
        return;
    }
    for (const WeightedLoad& one : *node.context->resources) {
        if (one.load.allocatable != 0) visit(one.load, one.weight);
    }
}

/// Rounded down.
template <typename Score>
std::int64_t mean(const NodeLoad& node, Score score) {
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for_each_resource(node, [&](const Load& load, std::int64_t weight) {
        sum += score(load) * weight;
        weights += weight;
    });
    return weights == 0 ? 0 : sum / weights;
}

}  // namespace

std::int64_t least_allocated(const NodeLoad& load) {
    return mean(load, free_percent);
}

std::int64_t most_allocated(const NodeLoad& load) {
    return mean(load, used_percent);
}

std::int64_t binpack(const NodeLoad& node) {
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for_each_resource(node, [&](const Load& load, std::int64_t weight) {
        if (load.asked == 0) return;
        sum += used_percent(load) * weight;
        weights += weight;
    });
    return weights == 0 ? 0 : sum / weights;
}

/// Rounded to the nearest, unlike the others.
std::int64_t requested_to_capacity_ratio(const NodeLoad& node) {
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for_each_resource(node, [&](const Load& load, std::int64_t weight) {
        const std::int64_t score = requested_to_capacity_ratio(load, node.context->shape);
        if (score == 0) return;
        sum += score * weight;
        weights += weight;
    });
    return weights == 0 ? 0 : (2 * sum + weights) / (2 * weights);
}

std::int64_t requested_to_capacity_ratio(const Load& load, std::span<const ShapePoint> shape) {
    ENSURE(!shape.empty());
    const std::int64_t utilization = load.allocatable == 0 ? 100 : used_percent(load);
    const auto next = std::find_if(shape.begin(), shape.end(), [utilization](const auto& point) {
        return utilization <= point.utilization;
    });
    if (next == shape.begin()) return shape.front().score;
    if (next == shape.end()) return shape.back().score;
    const ShapePoint& before = *(next - 1);
    return before.score + (next->score - before.score) * (utilization - before.utilization) /
                              (next->utilization - before.utilization);
}

}  // namespace core
