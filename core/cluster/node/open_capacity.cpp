#include "core/cluster/node/open_capacity.hpp"

#include "core/cluster/capacity.hpp"

namespace core {

OpenCapacity capacity_if_open(const Cluster& cluster, ShapeId shape, View view) {
    const NodeBitmap& passing = cluster.shapes().eligible(shape);
    const Constraints& wanted = cluster.shapes().constraints(shape);
    const FreeColumns columns(cluster.columns(), view, cluster.room().headroom());
    const auto order = cluster.nodes().by_name();
    OpenCapacity open;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool is_open = passing.test(i);
        if (!is_open && !passes_when_open(cluster.nodes().node(order[i]), wanted)) continue;
        // No overflow: a node takes no more than pod_slots_max.
        const std::int64_t pods = capacity_of(columns, order[i], cluster.demand(shape));
        ++open.nodes;
        open.pods += pods;
        open.closed += is_open ? 0 : pods;
    }
    return open;
}

}  // namespace core
