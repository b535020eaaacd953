#include "gang/queue/class_verdicts.hpp"

#include "core/value/exclusive.hpp"
#include "gang/quota/max_waits.hpp"

#include <algorithm>
#include <cstddef>

namespace gang {

void ClassVerdicts::keep_refusal(KeyedClass& gang_class, core::View view) {
    ClassVerdict& verdict = gang_class.second.verdicts[static_cast<std::size_t>(view)];
    if (verdict.refused == ClassVerdict{}.refused) {
        return;
    }
    bool is_helped = false;
    if (verdict.unchanged_at != model_.cluster_model.version_of(view)) {
        // What is free on any node helps who asks for a sum, whether its pods may go there or not.
        is_helped = !gang_class.first.min_resources.empty();
        const bool is_known =
            model_.cluster.room().gains().for_each_since(verdict.refused_at, [&](core::NodeIndex node) {
                is_helped =
                    is_helped || std::any_of(
                                     gang_class.first.shapes.begin(),
                                     gang_class.first.shapes.end(),
                                     [&](core::ShapeId shape) {
                                         return model_.cluster.capacity(node, shape, view) > 0;
                                     });
            });
        is_helped = is_helped || !is_known;
    }
    if (is_helped) {
        verdict.refused = ClassVerdict{}.refused;
        return;
    }
    verdict.refused_at = model_.cluster.room().gains().version();
    verdict.unchanged_at = model_.cluster_model.version_of(view);
}

bool ClassVerdicts::is_infeasible(
    const Application& app, KeyedClass& gang_class, std::int64_t size) {
    return is_refused(app, gang_class, size, core::View::allocatable) ||
           is_refused(app, gang_class, size, core::View::without_gangs);
}

bool ClassVerdicts::note_infeasible(QueueEntry& entry) {
    entry.is_infeasible = is_infeasible(*entry.app, *entry.gang_class, entry.size);
    entry.infeasible_at = model_.cluster_model.ceiling_version();
    return entry.is_infeasible;
}

bool ClassVerdicts::is_refused(
    const Application& app, KeyedClass& gang_class, std::int64_t size, core::View view) {
    ClassVerdict& verdict = gang_class.second.verdicts[static_cast<std::size_t>(view)];
    if (size >= verdict.refused) {
        return true;
    }
    // What is free is taken by those who are admitted, too.
    const std::uint64_t may_shrink = view == core::View::free
                                         ? model_.cluster_model.shrink_version() +
                                               model_.cluster.room().gains().version() + admitted_
                                         : model_.cluster_model.shrink_version();
    if (verdict.fits_at != may_shrink) {
        verdict.fits = -1;
        verdict.fits_at = may_shrink;
    }
    if (size <= verdict.fits) {
        return false;
    }
    if (placer_.fits(app, view)) {
        verdict.fits = size;
        return false;
    }
    verdict.refused = size;
    verdict.refused_at = model_.cluster.room().gains().version();
    verdict.unchanged_at = model_.cluster_model.version_of(view);
    return true;
}

WaitsFor ClassVerdicts::what_it_waits_for(const Application& app, KeyedClass& gang_class) {
    const auto& shapes = gang_class.first.shapes;
    if (gang_class.first.domain || !gang_class.first.min_resources.empty() ||
        is_strict(model_.shares.tree, gang_class.first.lane) ||
        std::none_of(shapes.begin(), shapes.end(), [this](core::ShapeId shape) {
            const core::Demand& demand = model_.cluster.demand(shape);
            return demand.wants_exclusive || demand.wants_gpus;
        })) {
        return WaitsFor::capacity;
    }
    core::PlacementRequest request = placer_.request_of(app, core::View::free);
    const auto without = [this](core::ShapeId& shape) {
        shape = model_.cluster.intern_shape(
            core::without_exclusives(model_.cluster.resources(shape)),
            model_.cluster.shapes().constraints(shape));
    };
    if (request.driver) {
        without(*request.driver);
    }
    for (core::ShapeCount& part : request.executors) {
        without(part.shape);
    }
    const bool fits = placer_.fits(request);
    if (request.driver) {
        model_.cluster.release_shape(*request.driver);
    }
    for (const core::ShapeCount& part : request.executors) {
        model_.cluster.release_shape(part.shape);
    }
    return fits ? WaitsFor::exclusives : WaitsFor::capacity;
}

}  // namespace gang
