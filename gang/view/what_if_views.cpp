#include "gang/view/what_if_views.hpp"

#include "core/placement/placement.hpp"

#include <map>
#include <variant>

namespace gang {
namespace {

void note_plan(WhatIfAnswer& out, const core::Cluster& cluster, const core::Plan& plan) {
    out.driver_node = cluster.nodes().name(plan.driver);
    std::map<std::string, std::int64_t> per_node;
    for (const auto& shape : plan.executors) {
        for (const core::NodeCount& entry : shape) {
            per_node[cluster.nodes().name(entry.node)] += entry.count;
        }
    }
    out.executors_per_node.assign(per_node.begin(), per_node.end());
}

}  // namespace

/// On a copy: shapes that nobody has would stay in the cluster's tables, and a question changes
/// nothing.
WhatIfAnswer WhatIfViews::answer(const WhatIf& question) const {
    core::Cluster cluster = model_.cluster;
    core::Planner planner;
    core::PlacementRequest request;
    request.driver = cluster.intern_shape(question.driver, question.constraints);
    if (question.executors > 0) {
        request.executors = {
            {cluster.intern_shape(question.executor, question.constraints), question.executors}};
    }
    WhatIfAnswer out;
    for (const Application* app : model_.waiting) {
        const QueueEntry* const entry = model_.waiting.find_entry(*app);
        const bool is_in_line = entry != nullptr && !entry->is_infeasible && !app->is_surplus &&
                                app->declared.diagnostics->problem.empty();
        out.waiting += is_in_line ? 1 : 0;
    }
    request.view = core::View::free;
    const core::Placement now = planner.place(cluster, request);
    if (const auto* plan = std::get_if<core::Plan>(&now)) {
        out.fits_now = true;
        out.executors_fit_now = question.executors;
        note_plan(out, cluster, *plan);
    } else {
        const auto& rejection = std::get<core::Rejection>(now);
        out.executors_fit_now = rejection.executors_fit;
        out.now = core::describe(rejection);
    }
    request.view = core::View::allocatable;
    const core::Placement empty = planner.place(cluster, request);
    if (const auto* rejection = std::get_if<core::Rejection>(&empty)) {
        out.executors_fit_empty = rejection->executors_fit;
        out.empty = core::describe(*rejection);
    } else {
        out.fits_empty = true;
        out.executors_fit_empty = question.executors;
    }
    return out;
}

}  // namespace gang
