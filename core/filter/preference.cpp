#include "core/filter/preference.hpp"

#include "core/filter/filters.hpp"

#include <algorithm>
#include <limits>

namespace core {

namespace {

bool is_soft(const Taint& taint) {
    return taint.effect == TaintEffect::prefer_no_schedule;
}

}  // namespace

Preference find_preference(const Node& node, const Constraints& constraints) {
    Preference found;
    for (const Taint& taint : node.taints) {
        if (is_soft(taint) && !any_tolerates(constraints.tolerations, taint)) ++found.taints;
    }
    std::int64_t weight = 0;
    for (const PreferredTerm& preferred : constraints.preferred_affinity) {
        if (matches_term(node, preferred.term)) weight += preferred.weight;
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    found.weight = static_cast<std::int32_t>(std::clamp<std::int64_t>(weight, 0, most));
    const auto given = std::lower_bound(
        constraints.points.begin(),
        constraints.points.end(),
        node.name,
        [](const NodePoints& one, const std::string& name) { return one.node < name; });
    if (given != constraints.points.end() && given->node == node.name) found.points = given->points;
    return found;
}

bool is_better_avoided(const Node& node) {
    return std::any_of(node.taints.begin(), node.taints.end(), is_soft);
}

}  // namespace core
