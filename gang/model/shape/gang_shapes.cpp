#include "gang/model/shape/gang_shapes.hpp"

#include "core/filter/filters.hpp"

#include <optional>
#include <utility>

namespace gang {

void GangShapes::set_driver(
    Application& app, const core::Resources& requests, const core::Constraints& constraints) {
    if (app.declared.driver_shape &&
        in_.cluster.resources(*app.declared.driver_shape) == requests &&
        in_.cluster.shapes().constraints(*app.declared.driver_shape) == constraints) {
        return;
    }
    const core::ShapeId shape = in_.cluster.intern_shape(requests, constraints);
    if (app.declared.driver_shape) {
        release(*app.declared.driver_shape);
    }
    app.declared.driver_shape = shape;
    in_.waiting.changed(app);
    in_.worklist.queue_changed = true;
}

void GangShapes::set_topology(Application& app, const std::optional<DeclaredTopology>& declared) {
    core::Boxed<GangTopology>& topology = app.declared.topology;
    const auto before = topology ? std::optional(topology->key) : std::nullopt;
    topology.reset();
    if (declared) {
        topology = GangTopology{
            in_.domains.retain(declared->key, in_.cluster),
            in_.texts.keep(declared->key),
            declared->is_required};
    }
    if (before) {
        in_.domains.release(*before);
    }
}

void GangShapes::add(
    Application& app,
    GangShape shape,
    const core::Resources& requests,
    const core::Constraints& constraints) {
    shape.id = intern_shape(app, requests, constraints);
    app.declared.shapes.push_back(std::move(shape));
}

/// What was predicted, or read back from a reservation, knows nothing of its profile's filters,
/// nor whether it goes by images.
core::ShapeId GangShapes::intern_shape(
    const Application& app, const core::Resources& requests, const core::Constraints& constraints) {
    const auto driver = in_.pods.find(app.uid);
    const core::FilterSet left_out =
        driver ? in_.profiles.left_out(in_.pods[*driver].scheduler_name()) : core::FilterSet{};
    const bool drops_images =
        !constraints.images.empty() &&
        !(driver && in_.profiles.asks_images(in_.pods[*driver].scheduler_name()));
    if (left_out == constraints.left_out && !drops_images) {
        return in_.cluster.intern_shape(requests, constraints);
    }
    core::Resources wanted = requests;
    core::Constraints rules = constraints;
    if (drops_images) {
        rules.images.clear();
    }
    core::leave_out(left_out, wanted, rules);
    return in_.cluster.intern_shape(wanted, rules);
}

void GangShapes::set_volumes(
    Application& app,
    GangShape& shape,
    std::vector<core::VolumeNodes> nodes,
    const std::vector<core::DriverVolume>& volumes) {
    core::Constraints constraints = in_.cluster.shapes().constraints(shape.id);
    const core::Resources& before = in_.cluster.resources(shape.id);
    core::Resources requests = core::without_volumes(before);
    core::add_volumes(requests, volumes);
    if (constraints.volumes == nodes && requests == before) {
        return;
    }
    constraints.volumes = std::move(nodes);
    const core::ShapeId changed = in_.cluster.intern_shape(requests, constraints);
    release(std::exchange(shape.id, changed));
    in_.waiting.changed(app);
    in_.worklist.queue_changed = true;
}

void GangShapes::release(core::ShapeId shape) {
    if (in_.cluster.release_shape(shape)) {
        in_.fit_cache.forget(shape);
    }
}

void GangShapes::release_all(Application& app) {
    for (const GangShape& shape : app.declared.shapes) {
        release(shape.id);
    }
    in_.pod_rules.waiting().stop_for_executors(app.uid);
    in_.claims.forget_executors(app.uid);
    app.declared.shapes.clear();
    in_.waiting.changed(app);
}

}  // namespace gang
