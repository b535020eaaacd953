#include "gang/queue/placer.hpp"

#include "gang/model/group/min_resources.hpp"
#include "gang/model/work.hpp"

#include <string>
#include <utility>
#include <variant>

namespace gang {

core::PackingPolicy Placer::policy_of(const Application& app) const {
    if (app.declared.packing) {
        return *app.declared.packing;
    }
    const config::Profile* const profile = model_.profile_of(app);
    return profile == nullptr ? core::PackingPolicy::tightest : profile->packing;
}

const core::ScoreOrder* Placer::scores_of(const Application& app) const {
    const config::Profile* const profile = model_.profile_of(app);
    const bool has_scores = profile != nullptr && !profile->scores.empty() && !app.declared.packing;
    return has_scores ? &profile->scores : nullptr;
}

core::PodScoring Placer::pod_scoring_of(const Application& app) const {
    const config::Profile* const profile = model_.profile_of(app);
    return profile == nullptr ? core::PodScoring{} : profile->pod_scoring;
}

OrderKey Placer::order_of(const Application& app) const {
    OrderKey key{policy_of(app), 0};
    if (scores_of(app) != nullptr) {
        key.scores = model_.profile_of(app) - model_.schema.profiles.data() + 1;
    }
    return key;
}

std::optional<DomainWish> Placer::wish_of(const Application& app) const {
    const Application* const gang =
        app.surplus_of.empty() ? &app : model_.gangs.find(app.surplus_of);
    if (gang == nullptr || !gang->declared.topology) {
        return std::nullopt;
    }
    const GangTopology& topology = *gang->declared.topology;
    DomainWish wish{topology.key, {}, topology.is_required};
    const auto driver = model_.pods.find(gang->uid);
    const std::string node = driver ? model_.pods[*driver].node() : std::string();
    if (node.empty()) {
        return wish;
    }
    // A node that is gone comes back, or its pods end. Of one that has lost the label nobody can
    // say where the others belong.
    const auto index = model_.cluster.nodes().find(node);
    wish.is_home_gone = !index;
    if (index) {
        wish.home = model_.domains.domain_of(topology.key, *index);
    }
    return wish.is_settled() ? std::optional(wish) : std::nullopt;
}

core::PlacementRequest Placer::request_of(const Application& app, core::View view) const {
    core::PlacementRequest request;
    request.policy = policy_of(app);
    request.scores = scores_of(app);
    request.driver = app.declared.driver_shape;
    request.view = view;
    for (const GangShape& shape : app.declared.shapes) {
        request.executors.push_back({shape.id, shape.count});
    }
    return request;
}

template <typename Search>
auto Placer::counted(const Search& search) {
    core::Planner& planner = model_.fit_cache.planner;
    const std::uint64_t scanned_before = planner.groups_scanned();
    const std::uint64_t ranked_before = planner.nodes_ranked();
    ++step_.counters.placements;
    auto answer = search(planner);
    const auto scanned = static_cast<std::int64_t>(planner.groups_scanned() - scanned_before);
    const auto ranked = static_cast<std::int64_t>(planner.nodes_ranked() - ranked_before);
    step_.work_left -=
        work_per_attempt + scanned * work_per_group_scanned + ranked * work_per_node_ranked;
    return answer;
}

core::Placement Placer::place(const core::PlacementRequest& request) {
    core::Placement placement =
        counted([&](core::Planner& planner) { return planner.place(model_.cluster, request); });
    if (std::holds_alternative<core::Rejection>(placement)) {
        step_.work_left -=
            static_cast<std::int64_t>(model_.cluster.nodes().count()) * work_per_node_explained;
    }
    return placement;
}

core::RequestInDomain Placer::within(const DomainWish& wish, core::PlacementRequest request) const {
    return {model_.cluster, model_.domains, wish.key, wish.home, std::move(request)};
}

bool Placer::has_min_resources(const Application& app, core::View view) {
    if (!app.declared.min_resources) {
        return true;
    }
    step_.work_left -=
        static_cast<std::int64_t>(model_.cluster.nodes().count()) * work_per_node_asked;
    const core::Resources& wanted = *app.declared.min_resources;
    return covers(sum_of_nodes(model_.cluster, wanted, view), wanted);
}

std::optional<core::Plan> Placer::find_plan(const Application& app) {
    std::optional<core::Plan> plan;
    if (!has_min_resources(app, core::View::free)) {
        return plan;
    }
    try_domains(app, [&](const core::PlacementRequest& request) {
        plan =
            counted([&](core::Planner& planner) { return planner.find(model_.cluster, request); });
        return plan.has_value();
    });
    return plan;
}

bool Placer::fits(const Application& app, core::View view) {
    if (!has_min_resources(app, view)) {
        return false;
    }
    const core::PlacementRequest request = request_of(app, view);
    const auto wish = wish_of(app);
    if (!wish || !wish->is_required) {
        return fits(request);
    }
    if (wish->is_settled()) {
        return fits(within(*wish, request).request());
    }
    core::SingleDomain one(model_.fit_cache.planner, model_.cluster, model_.domains, wish->key);
    const bool fits = counted([&](core::Planner&) { return one.fits(request); });
    step_.work_left -= one.nodes_asked() * work_per_node_asked;
    return fits;
}

core::Placement Placer::place(
    const Application& app, core::View view, core::Planner& planner) const {
    const core::PlacementRequest request = request_of(app, view);
    const auto wish = wish_of(app);
    if (!wish || !wish->is_required) {
        return planner.place(model_.cluster, request);
    }
    if (wish->is_settled()) {
        return planner.place(model_.cluster, within(*wish, request).request());
    }
    return core::SingleDomain(planner, model_.cluster, model_.domains, wish->key).place(request);
}

bool Placer::fits(const core::PlacementRequest& request) {
    return counted([&](core::Planner& planner) { return planner.fits(model_.cluster, request); });
}

std::vector<core::NodeCount> Placer::find_free_capacity(
    const Application& app, core::ShapeId shape, std::int64_t count) {
    core::PlacementRequest request;
    request.policy = policy_of(app);
    request.scores = scores_of(app);
    request.executors = {{shape, count}};
    if (const auto wish = wish_of(app); wish && wish->is_settled()) {
        auto found = find_free_capacity(within(*wish, request).request());
        std::int64_t pods = 0;
        for (const core::NodeCount& one : found) {
            pods += one.count;
        }
        if (pods == count || wish->is_required) {
            return found;
        }
    }
    return find_free_capacity(std::move(request));
}

std::vector<core::NodeCount> Placer::find_free_capacity(core::PlacementRequest request) {
    auto placement = place(request);
    if (const auto* rejection = std::get_if<core::Rejection>(&placement)) {
        if (rejection->executors_fit == 0) {
            return {};
        }
        request.executors[0].count = rejection->executors_fit;
        placement = place(request);
    }
    const auto* found = std::get_if<core::Plan>(&placement);
    return found == nullptr ? std::vector<core::NodeCount>{} : found->executors[0];
}

}  // namespace gang
