#pragma once
// Asks the planner for room, and takes what that costs from the tick's work.

#include "core/cluster/cluster.hpp"
#include "core/placement/packing_policy.hpp"
#include "core/placement/placement.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gang {

class Placer {
public:
    Placer(Model& model, StepContext& step) : model_(model), step_(step) {}

    /// The driver's word, or its profile's.
    core::PackingPolicy policy_of(const Application& app) const;
    /// Its profile's, unless the driver says another policy; nullptr: none.
    const core::ScoreOrder* scores_of(const Application& app) const;
    /// What tells its order of nodes from that of others.
    OrderKey order_of(const Application& app) const;
    /// The gang as the planner is asked for it.
    core::PlacementRequest request_of(const Application& app, core::View view) const;
    /// Where its pods would go now; nothing: they do not fit.
    std::optional<core::Plan> find_plan(const core::PlacementRequest& request);
    /// Whether they do.
    bool fits(const core::PlacementRequest& request);
    /// Room for `count` executors of this shape, or for as many as there is room for; by node.
    std::vector<core::NodeCount> find_free_capacity(
        const Application& app, core::ShapeId shape, std::int64_t count);

private:
    /// `search(planner)`, counted, and paid for with the tick's work.
    template <typename Search>
    auto counted(const Search& search);
    core::Placement place(const core::PlacementRequest& request);

    Model& model_;
    StepContext& step_;
};

}  // namespace gang
