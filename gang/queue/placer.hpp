#pragma once
// Asks the planner for room, and takes what that costs from the tick's work.

#include "core/cluster/cluster.hpp"
#include "core/placement/packing_policy.hpp"
#include "core/placement/placement.hpp"
#include "core/placement/single_domain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/model/work.hpp"

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
    /// Its profile's.
    core::PodScoring pod_scoring_of(const Application& app) const;
    /// What tells its order of nodes from that of others.
    OrderKey order_of(const Application& app) const;
    /// That all pods of the gang, an executor's the same, shall be in one domain.
    std::optional<DomainWish> wish_of(const Application& app) const;
    /// The gang as the planner is asked for it, whatever its wish.
    core::PlacementRequest request_of(const Application& app, core::View view) const;
    /// What must be free on all nodes together is, if it asks for such a sum.
    bool has_min_resources(const Application& app, core::View view);
    /// Where its pods would go now; nothing: they do not fit.
    std::optional<core::Plan> find_plan(const Application& app);
    /// Whether they do.
    bool fits(const Application& app, core::View view);
    bool fits(const core::PlacementRequest& request);
    /// The same with the reason why not, by this planner; the caller pays for it.
    core::Placement place(const Application& app, core::View view, core::Planner& planner) const;
    /// `attempt(request)` for the gang's wish, best domain first, until one is true; and, where the
    /// wish need not be kept, without it at last.
    template <typename Attempt>
    bool try_domains(const Application& app, const Attempt& attempt);
    /// Room for `count` executors of this shape, or for as many as there is room for; by node.
    std::vector<core::NodeCount> find_free_capacity(
        const Application& app, core::ShapeId shape, std::int64_t count);

private:
    /// `search(planner)`, counted, and paid for with the tick's work.
    template <typename Search>
    auto counted(const Search& search);
    core::Placement place(const core::PlacementRequest& request);
    core::RequestInDomain within(const DomainWish& wish, core::PlacementRequest request) const;
    std::vector<core::NodeCount> find_free_capacity(core::PlacementRequest request);

    Model& model_;
    StepContext& step_;
};

template <typename Attempt>
bool Placer::try_domains(const Application& app, const Attempt& attempt) {
    const core::PlacementRequest request = request_of(app, core::View::free);
    const auto wish = wish_of(app);
    if (!wish) {
        return attempt(request);
    }
    if (wish->is_settled()) {
        if (attempt(within(*wish, request).request())) {
            return true;
        }
    } else {
        core::SingleDomain one(model_.fit_cache.planner, model_.cluster, model_.domains, wish->key);
        const std::vector<core::DomainId> candidates = one.candidates(request);
        step_.work_left -= one.nodes_asked() * work_per_node_asked;
        for (const core::DomainId domain : candidates) {
            if (attempt(one.within(domain, request).request())) {
                return true;
            }
        }
    }
    return !wish->is_required && attempt(request);
}

}  // namespace gang
