// Gangs begin, learn their size, and end.

#include "gang/declare/gang_size.hpp"
#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/keys.hpp"
#include "gang/engine.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {

Application* Engine::find_app(const std::string& uid) {
    return app_index_.find(uid);
}

const Application* Engine::find_app(const std::string& uid) const {
    return app_index_.find(uid);
}

/// The gang of an executor: its controller is a driver of ours in its own namespace. Labels alone
/// never make a member.
const Application* Engine::find_owner(const PodEntry& entry) const {
    const Application* app = entry.owner.empty() ? nullptr : find_app(entry.owner);
    return app != nullptr && app->is_driver && app->namespace_name == entry.pod.namespace_name
               ? app
               : nullptr;
}

Application* Engine::find_owner(const PodEntry& entry) {
    return const_cast<Application*>(std::as_const(*this).find_owner(entry));
}

Application& Engine::ensure_app(const PodEntry& entry, bool is_driver) {
    if (Application* known = find_app(entry.pod.uid)) {
        return *known;
    }
    auto added = apps_.extract(apps_.try_emplace(entry.pod.uid).first);
    Application& app = added.mapped();
    app.uid = entry.pod.uid;
    app.namespace_name = texts_.keep(entry.pod.namespace_name);
    app.queue = texts_.keep(Declaration{}.queue);
    app.name = entry.pod.name;
    app.created = entry.pod.created;
    app.is_driver = is_driver;
    app.is_surplus = entry.is_executor;
    app.waiting_since_ms = entry.pod.created * 1000;
    app.conf_needed = is_driver && is_spark_driver(entry.pod);
    app.set_problem(entry.pod.problem);
    added.key() = app.uid;  // which lives as long as it
    apps_.insert(std::move(added));
    app_index_.insert(app);
    return app;
}

/// A number that is given back may come to mean another shape. While others hold it, and pods come
/// and go all the time, what is known of it stays.
void Engine::release_shape(core::ShapeId shape) {
    if (!cluster_.release_shape(shape)) {
        return;
    }
    for (Memo& memo : memos_) {
        memo.if_open.erase(shape);
        std::erase_if(memo.gangs, [shape](const auto& known) {
            return std::any_of(known.first.begin(), known.first.end(), [shape](const auto& part) {
                return part.first == shape;
            });
        });
    }
}

void Engine::release_shapes(Application& app) {
    for (const GangShape& shape : app.shapes) {
        release_shape(shape.id);
    }
    app.shapes.clear();
    waiting_.changed(app);
}

void Engine::set_driver_shape(
    Application& app, const core::Resources& requests, const core::Constraints& constraints) {
    if (app.driver_shape && cluster_.resources(*app.driver_shape) == requests &&
        cluster_.constraints(*app.driver_shape) == constraints) {
        return;
    }
    const core::ShapeId shape = cluster_.intern_shape(requests, constraints);
    if (app.driver_shape) {
        release_shape(*app.driver_shape);
    }
    app.driver_shape = shape;
    waiting_.changed(app);
    queue_changed_ = true;
}

void Engine::add_shape(
    Application& app,
    GangShape shape,
    const core::Resources& requests,
    const core::Constraints& constraints) {
    shape.id = cluster_.intern_shape(requests, constraints);
    app.shapes.push_back(shape);
}

Declaration Engine::declaration_of(const core::Pod& pod) const {
    return reads_declarations() ? read_declaration(pod) : Declaration{};
}

/// Whether the pod may mean another gang than it did.
bool Engine::says_other(const core::Pod& before, const core::Pod& now) const {
    return reads_declarations() &&
           (before.labels != now.labels || before.annotations != now.annotations) &&
           (declares_gang(before) || declares_gang(now));
}

/// What the driver says is new, or has changed: until it is bound, its last word counts.
void Engine::learn_anew(Application& app, const PodEntry& entry) {
    app.set_problem(entry.pod.problem);
    release_shapes(app);
    app.conf_needed = is_spark_driver(entry.pod);
    waiting_.changed(app);
    if (!app.conf_needed) {
        set_sizes(app, nullptr);
    }
}

spark::Derivation Engine::derive(const spark::Conf& conf, const core::Pod& driver) const {
    spark::Derivation derived = spark::derive(conf, driver, limits());
    // Of a static application nobody has said that it may not ask for more one day.
    const auto dynamic =
        spark::ConfView(conf.properties).boolean_or(spark::keys::dynamic_enabled, false);
    for (spark::ExecutorShape& shape : derived.executors) {
        shape.max = dynamic && *dynamic ? shape.max : spark::unlimited_executors;
    }
    return derived;
}

spark::Limits Engine::limits() const {
    return {schema_.gang.max_gang_size, schema_.gang.dynamic_allocation, schema_.scheduler_names};
}

/// `conf` is nullptr when there is none, or none that can be read.
void Engine::set_sizes(Application& app, const spark::Conf* conf) {
    const core::Pod& driver = pods_.at(app.uid).pod;
    const Declaration declaration = declaration_of(driver);
    GangSize size = size_of(driver, conf);
    app.conf_needed = false;
    asker_.forget(app.uid);
    app.queue = texts_.keep(declaration.queue);
    app.packing = declaration.packing;
    app.milestones.make().sized_ms = now_ms_;
    size.notes.insert(size.notes.end(), size.warnings.begin(), size.warnings.end());
    if (app.diagnostics.is_made() || !size.notes.empty()) {
        app.diagnostics.make().notes = std::move(size.notes);
        app.diagnostics.make().warnings = std::move(size.warnings);
    }
    app.source = texts_.keep(size.source);
    waiting_.changed(app);
    queue_changed_ = true;
    if (!size.problem.empty()) {
        app.set_problem(std::move(size.problem));
        return;
    }
    for (const spark::ExecutorShape& shape : size.executors) {
        add_shape(
            app, {shape.profile, shape.count, shape.max, {}}, shape.requests, shape.constraints);
    }
}

/// One event for all that is doubtful about a gang, the first time somebody who may write looks.
void Engine::report_warnings(Application& app, const PodEntry& entry) {
    if (app.diagnostics->warnings.empty()) {
        return;
    }
    std::string text;
    for (const std::string& warning : std::exchange(app.diagnostics.make().warnings, {})) {
        text += (text.empty() ? "" : "; ") + warning;
    }
    status_reporter_.event(entry.pod, true, "DeclarationMismatch", std::move(text));
}

/// Of a pod that starts no gang: to be told once, each pod for itself, as its other events are.
/// What the group's other pods say is not remembered, and events are limited as a whole.
void Engine::note_unread(Application& app, const core::Pod& pod) const {
    if (!reads_declarations()) {
        return;
    }
    auto warnings = unread_warnings(pod, "the pod is scheduled by itself");
    if (!warnings.empty()) {
        app.diagnostics.make().notes = warnings;
        app.diagnostics.make().warnings = std::move(warnings);
    }
}

void Engine::stop_waiting(Application& app) {
    queue_changed_ = waiting_.erase(app) || queue_changed_;
    const bool is_over = app.phase != Phase::waiting || !pods_.at(app.uid).node().empty();
    if (is_over && !app.is_unproven) {
        asker_.forget(app.uid);
    }
}

void Engine::confirm(Application& app, PodEntry& entry) {
    app.phase = Phase::running;
    app.reserved = true;
    app.bound_ms = now_ms_;
    reservation_stored(app, app.text_generation);
    app.milestones.make().driver_bound_ms = now_ms_;
    recheck_application(app);
    stuck_due_.add(now_ms_ + schema_.gang.never_running_after_ms, texts_.keep(app.uid));
    worklist_.dirty_gangs.insert(app.uid);
    worklist_.to_check.insert(app.uid);
    entry.retry.reset();
    report_bound(entry);
}

void Engine::report_bound(const PodEntry& entry) {
    if (Application* gang = find_owner(entry)) {
        note_executor_bound(*gang);
        return;  // never one event per executor
    }
    if (!term_.leads) {
        return;
    }
    const Application* app = find_app(entry.pod.uid);
    status_reporter_.event(entry.pod, false, "Scheduled", bound_text(entry, app));
}

void Engine::note_executor_bound(Application& gang) const {
    Milestones& seen = gang.milestones.make();
    ++seen.executors_bound;
    if (seen.first_executor_ms == 0) {
        seen.first_executor_ms = now_ms_;
    }
    const bool all = gang.count(SlotState::bound) == gang.slots.size();
    if (all && !gang.slots.empty() && seen.all_executors_ms == 0) {
        seen.all_executors_ms = now_ms_;
    }
}

void Engine::end(Application& app) {
    if (app.phase == Phase::ended) {
        return;
    }
    app.milestones.make().ended_ms = now_ms_;
    stop_waiting(app);
    app.phase = Phase::ended;
    asker_.forget(app.uid);
    forget_declaration(app);
    worklist_.forget(app.rank());
    ledger_.drop(app);
    recheck_application(app);
    worklist_.dirty_gangs.insert(app.uid);  // executors that still wait are told
}

void Engine::erase_app(const std::string& uid) {
    const auto it = apps_.find(uid);
    if (it == apps_.end()) {
        return;
    }
    Application& app = it->second;
    ledger_.drop(app);
    waiting_.erase(app);
    queue_changed_ = true;
    asker_.forget(uid);
    worklist_.dirty_gangs.erase(uid);
    release_shapes(app);
    if (app.driver_shape) {
        release_shape(*app.driver_shape);
    }
    app_index_.erase(app);
    apps_.erase(it);
}

/// An ended gang is remembered while executors of it exist, for they must not be bound.
void Engine::forget_if_unused(const std::string& uid) {
    const Application* app = find_app(uid);
    if (app != nullptr && !pods_.contains(uid) && pods_.members_of(uid).empty()) {
        erase_app(uid);
    }
}

}  // namespace gang
