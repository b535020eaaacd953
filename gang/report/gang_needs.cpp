#include "gang/report/gang_needs.hpp"

namespace gang {

GangNeeds needs_of(const core::Cluster& cluster, const Application& app) {
    GangNeeds needs;
    if (app.declared.driver_shape) {
        core::add_times(needs.total, cluster.resources(*app.declared.driver_shape), 1);
    }
    for (const GangShape& shape : app.declared.shapes) {
        needs.executors = core::add_times(needs.executors, shape.count, 1);
        core::add_times(needs.total, cluster.resources(shape.id), shape.count);
    }
    return needs;
}

}  // namespace gang
