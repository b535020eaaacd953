#pragma once
// Places pods that rules between pods reach (core/placement/domain_planner.hpp): those with
// affinity, anti-affinity or topology spread, and those whom the anti-affinity of pods that are
// there keeps away. All others never get here.

#include "core/domain/domain_rules.hpp"
#include "core/placement/domain_planner.hpp"
#include "core/placement/placement.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/placer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class DomainPlacer {
public:
    DomainPlacer(Model& model, StepContext& step, Placer& placer)
        : model_(model), step_(step), placer_(placer) {}

    /// Rules between pods may leave it fewer nodes than it could go to.
    bool is_reached(const core::Pod& pod) const;
    /// What it requires can be asked: the labels are known that its rules name.
    bool is_ready(const core::Pod& pod) const;
    /// The same of a gang or lone pod that waits, with the executors that it will have; and of what
    /// they prefer.
    bool is_reached(const Application& app) const;
    bool is_ready(const Application& app) const;
    /// Takes over what its executors will ask. Not empty: why they cannot have it.
    std::string expect_executors(const Application& app);

    /// Of a waiting gang or lone pod, whose driver is ready: where its pods would go now.
    core::Placement place(const Application& app);
    /// The pod's shape with the nodes that the rules leave it, to be given back in this step
    /// (Cluster::restrict_shape).
    core::ShapeId restricted_shape(const core::Pod& pod);
    /// Why not even one such executor has room there.
    std::optional<core::Rejection> find_rejection(core::ShapeId restricted);
    /// By position: kube-scheduler's words for what keeps the pod off; empty: nothing does.
    std::vector<std::string_view> reasons_by_position(const core::Pod& pod) const;

private:
    core::Placement place(const Application& app, const core::PlacementRequest& plain);
    bool is_ready(core::RulesId rules) const;
    core::IncomingPod incoming(const core::Pod& pod) const;

    Model& model_;
    StepContext& step_;
    Placer& placer_;
};

}  // namespace gang
