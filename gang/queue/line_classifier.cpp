#include "gang/queue/line_classifier.hpp"

#include "gang/model/waiting_line.hpp"
#include "gang/model/work.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace gang {

/// Gangs that cannot be placed whatever room there is are of no class: they are told why.
void LineClassifier::run() {
    const Line unclassified = model_.waiting.take_unclassified();
    for (Application* const next : unclassified) {
        Application& app = *next;
        if (step_.work_left <= 0) {
            model_.waiting.changed(app);
            continue;
        }
        step_.work_left -= work_per_attempt;
        expect_executors(app);
        PodEntry& entry = model_.pods.at(app.uid);
        const bool has_obstacle =
            !app.declared.diagnostics->problem.empty() || app.declared.conf_needed ||
            model_.gangs.awaits_group(app) || !app.declared.driver_shape ||
            app.declared.queue_problem.is_made() || app.declared.is_held ||
            quota_.is_stopped(app) || model_.find_claim_obstacle(app, entry.pod);
        if (has_obstacle) {
            model_.quotas.rest(app);
        }
        if (has_obstacle || !keeps_to_namespace(app, entry)) {
            status_.report_warnings(app, entry);
            status_.report_obstacle(app, entry);
            refresh_.request();  // those behind it are one fewer
            continue;
        }
        called_.prepare(app, entry);
        EquivalenceKey key{
            app.is_surplus,
            placer_.order_of(app),
            placer_.wish_of(app),
            {*app.declared.driver_shape},
            {}};
        std::int64_t size = 0;
        for (const GangShape& shape : app.declared.shapes) {
            key.shapes.push_back(shape.id);
            key.counts.push_back(shape.count);
            size += shape.count;
        }
        if (key.counts.size() < 2) {
            key.counts.clear();
        }
        if (app.declared.min_resources) {
            key.min_resources.push_back(*app.declared.min_resources);
        }
        max_waits_.look_at(app);
        quota_.place(app, key);
        model_.waiting.classify(app, std::move(key), size);
    }
}

/// Quotas of its namespace let its executors in.
bool LineClassifier::keeps_to_namespace(const Application& app, const PodEntry& entry) {
    model_.quotas.want(app, entry.pod, step_.now_ms);
    return !model_.find_quota_obstacle(app, entry.pod);
}

/// Rules that are new are counted at the beginning of a Tick.
void LineClassifier::expect_executors(Application& app) {
    const std::size_t before = model_.pod_rules.waiting().size();
    std::string problem = domain_placer_.expect_executors(app);
    if (!problem.empty() && app.declared.diagnostics->problem.empty()) {
        app.set_problem(std::move(problem));
    }
    if (model_.pod_rules.waiting().size() != before) {
        step_.wake_at(step_.now_ms);
    }
}

}  // namespace gang
