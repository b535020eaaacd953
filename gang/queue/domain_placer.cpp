#include "gang/queue/domain_placer.hpp"

#include "core/domain/score/domain_scores.hpp"
#include "gang/model/work.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace gang {

core::IncomingPod DomainPlacer::incoming(const core::Pod& pod) const {
    return {
        model_.pod_rules.waiting().of(pod.uid),
        pod.namespace_name,
        pod.labels,
        *pod.constraints};
}

bool DomainPlacer::is_reached(const core::Pod& pod) const {
    return model_.pod_rules.rules().concerns(incoming(pod));
}

bool DomainPlacer::is_ready(const core::Pod& pod) const {
    const core::RulesId rules = model_.pod_rules.waiting().of(pod.uid);
    return model_.pod_rules.is_resolved(rules) && model_.pod_rules.rules().is_filled(rules);
}

bool DomainPlacer::is_reached(const Application& app) const {
    const auto& shapes = app.declared.shapes;
    const core::Pod& pod = model_.pods.at(app.uid).pod;
    return is_reached(pod) ||
           core::has_preferences(
               model_.pod_rules.rules(), incoming(pod), placer_.pod_scoring_of(app)) ||
           std::any_of(shapes.begin(), shapes.end(), [](const GangShape& shape) {
               return shape.rules.has_value();
           });
}

bool DomainPlacer::is_ready(core::RulesId rules) const {
    const core::DomainRules& all = model_.pod_rules.rules();
    return model_.pod_rules.is_resolved(rules) && all.is_filled(rules) &&
           all.are_preferences_filled(rules);
}

bool DomainPlacer::is_ready(const Application& app) const {
    const WaitingRules& waiting = model_.pod_rules.waiting();
    for (std::size_t i = 0; i < app.declared.shapes.size(); ++i) {
        if (app.declared.shapes[i].rules && !is_ready(waiting.of_executors(app.uid, i))) {
            return false;
        }
    }
    return is_ready(waiting.of(app.uid));
}

std::string DomainPlacer::expect_executors(const Application& app) {
    for (std::size_t i = 0; i < app.declared.shapes.size(); ++i) {
        const auto& expected = app.declared.shapes[i].rules;
        if (!expected) {
            continue;
        }
        std::string problem = model_.pod_rules.waiting().wait_for_executors(
            app.uid, i, expected->rules, model_.pods.at(app.uid).pod.namespace_name);
        if (!problem.empty()) {
            return executors_problem + problem;
        }
    }
    return {};
}

core::Placement DomainPlacer::place(const Application& app) {
    std::optional<core::Placement> placement;
    placer_.try_domains(app, [&](const core::PlacementRequest& request) {
        placement = place(app, request);
        return std::holds_alternative<core::Plan>(*placement);
    });
    return placement ? *std::move(placement)
                     : placer_.place(app, core::View::free, model_.fit_cache.planner);
}

core::Placement DomainPlacer::place(const Application& app, const core::PlacementRequest& plain) {
    core::RuledRequest request;
    request.policy = plain.policy;
    request.scores = plain.scores;
    request.pod_scoring = placer_.pod_scoring_of(app);
    const core::Pod& driver = model_.pods.at(app.uid).pod;
    request.driver.emplace(core::RuledPart{*plain.driver, 1, incoming(driver)});
    for (std::size_t i = 0; i < plain.executors.size(); ++i) {
        const core::ShapeCount& part = plain.executors[i];
        request.executors.push_back({part.shape, part.count});
        if (const auto& expected = app.declared.shapes[i].rules) {
            request.executors.back().pod.emplace(core::IncomingPod{
                model_.pod_rules.waiting().of_executors(app.uid, i),
                driver.namespace_name,
                expected->labels,
                model_.cluster.shapes().constraints(part.shape)});
        }
    }
    core::Planner& planner = model_.fit_cache.planner;
    const std::uint64_t scanned_before = planner.groups_scanned();
    const std::uint64_t ranked_before = planner.nodes_ranked();
    core::DomainPlanner ruled(planner, model_.cluster, model_.pod_rules.rules());
    ++step_.counters.placements;
    core::Placement placement = ruled.place(request);
    const auto scanned = static_cast<std::int64_t>(planner.groups_scanned() - scanned_before);
    const auto ranked = static_cast<std::int64_t>(planner.nodes_ranked() - ranked_before);
    step_.work_left -= work_per_attempt + scanned * work_per_group_scanned +
                       ranked * work_per_node_ranked + ruled.nodes_asked() * work_per_node_asked;
    return placement;
}

core::ShapeId DomainPlacer::restricted_shape(const core::Pod& pod) {
    core::Cluster& cluster = model_.cluster;
    step_.work_left -= static_cast<std::int64_t>(cluster.nodes().count()) * work_per_node_asked;
    const core::ShapeId shape = cluster.intern_shape(pod.requests, pod.constraints);
    core::AllowedNodes allowed = model_.pod_rules.rules().allowed(
        incoming(pod), cluster.shapes().eligible(shape), cluster);
    std::vector<core::ReasonCount> reasons = core::reasons_of(allowed);
    const core::ShapeId restricted =
        cluster.restrict_shape(shape, std::move(allowed.nodes), std::move(reasons));
    cluster.release_shape(shape);
    return restricted;
}

std::optional<core::Rejection> DomainPlacer::find_rejection(core::ShapeId restricted) {
    core::PlacementRequest request;
    request.executors = {{restricted, 1}};
    auto placement = model_.fit_cache.planner.place(model_.cluster, request);
    auto* const rejection = std::get_if<core::Rejection>(&placement);
    return rejection == nullptr ? std::nullopt : std::optional(std::move(*rejection));
}

std::vector<std::string_view> DomainPlacer::reasons_by_position(const core::Pod& pod) const {
    std::vector<std::string_view> texts;
    if (!is_ready(pod)) {
        return texts;
    }
    for (const auto& reason :
         model_.pod_rules.rules().reasons_by_position(incoming(pod), model_.cluster)) {
        texts.push_back(reason ? core::describe(*reason) : std::string_view());
    }
    return texts;
}

}  // namespace gang
