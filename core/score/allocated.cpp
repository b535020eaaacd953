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

/// Over the resources that the node has.
template <typename Score>
std::int64_t mean(const NodeLoad& load, Score score) {
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (const Load* one : {&load.cpu, &load.memory}) {
        if (one->allocatable == 0) continue;
        sum += score(*one);
        ++count;
    }
    return count == 0 ? 0 : sum / count;
}

}  // namespace

std::int64_t least_allocated(const NodeLoad& load) {
    return mean(load, free_percent);
}

std::int64_t most_allocated(const NodeLoad& load) {
    return mean(load, used_percent);
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
