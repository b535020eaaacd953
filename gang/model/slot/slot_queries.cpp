#include "gang/model/slot/slot_queries.hpp"

#include "core/filter/filters.hpp"

#include <cstdint>
#include <vector>

namespace gang {

bool fits_within(const core::Resources& inner, const core::Resources& outer) {
    return core::larger(inner, outer) == outer;
}

bool is_usable(const core::Cluster& cluster, const Application& app, const Slot& slot) {
    const auto node = cluster.nodes().find(slot.node.str());
    return node && is_eligible(cluster, *node, app.declared.shapes[slot.shape].id);
}

std::optional<std::size_t> find_open_slot(
    const core::Cluster& cluster, const Application& app, const SlotWish& wish) {
    const core::Pod& pod = wish.executor.pod;
    const std::int32_t profile = wish.executor.profile;
    std::vector<bool> takes_it;  // by shape: slots are many, shapes few
    for (const GangShape& shape : app.declared.shapes) {
        takes_it.push_back(fits_within(pod.requests, cluster.resources(shape.id)));
    }
    std::optional<std::size_t> other;
    for (std::size_t i = app.open_from; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        const GangShape& shape = app.declared.shapes[slot.shape];
        if (slot.state != SlotState::open || !is_stored(app, slot) || !takes_it[slot.shape] ||
            (other && shape.profile != profile) || !is_usable(cluster, app, slot)) {
            continue;
        }
        // The pod's own constraints decide, not the declared ones.
        const auto node = cluster.nodes().find(slot.node.str());
        if (wish.allowed != nullptr && !wish.allowed->test(cluster.position_of(*node))) {
            continue;
        }
        if (wish.avoids_overcommitted && cluster.columns().is_overcommitted(*node)) {
            continue;
        }
        if (pod.constraints != cluster.shapes().constraints(shape.id) &&
            !core::filter_node(cluster.nodes().node(*node), pod.constraints).passes()) {
            continue;
        }
        if (shape.profile == profile) {
            return i;
        }
        other = i;
    }
    return other;
}

}  // namespace gang
