#include "core/placement/ruled_nodes.hpp"

#include "core/domain/score/domain_scores.hpp"

#include <string>

namespace core {

AllowedNodes RuledNodes::allowed(const RuledPart& part) {
    const NodeBitmap& eligible = cluster_.shapes().eligible(part.shape);
    if (!part.pod) return {eligible, {}};
    note_all_asked();
    return rules_.allowed(*part.pod, eligible, cluster_);
}

NodeBitmap RuledNodes::feasible(const RuledPart& part, const NodeBitmap& nodes) {
    note_all_asked();
    const auto capacities = planner_.capacities(cluster_, part.shape);
    NodeBitmap feasible;
    nodes.for_each([&](std::size_t position) {
        if (capacities[position] > 0) feasible.set(position, true);
    });
    return feasible;
}

PodScores RuledNodes::scores(const RuledPart& part, const NodeBitmap& nodes) {
    if (!has_preferences(part)) return {};
    return DomainScores(rules_, *part.pod, feasible(part, nodes), cluster_, *scoring_).scores();
}

bool RuledNodes::has_preferences(const RuledPart& part) const {
    return scoring_ != nullptr && part.pod && core::has_preferences(rules_, *part.pod, *scoring_);
}

bool RuledNodes::prefers_its_like(const RuledPart& part) const {
    return scoring_ != nullptr && part.pod && !part.pod->rules.is_none() &&
           prefers_among_themselves(
               rules_.rules(part.pod->rules),
               std::string(part.pod->namespace_name),
               part.pod->labels);
}

bool RuledNodes::may_be_choosy(const RuledPart& part) const {
    const auto nodes = static_cast<std::int64_t>(cluster_.nodes().count());
    return has_preferences(part) && part.count * nodes <= choosy_nodes_max;
}

}  // namespace core
