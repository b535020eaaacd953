#include "gang/life/gang_life.hpp"

#include "core/filter/filters.hpp"
#include "core/value/pod.hpp"
#include "gang/decision.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/explain.hpp"
#include "gang/model/group/max_wait.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gang {

void GangLife::driver_waits(Application& app, PodEntry& entry) {
    if (std::exchange(entry.declares_anew, false)) {
        learn_anew(app, entry);
    }
    if (entry.is_change) {
        if (app.group.empty()) {
            model_.gangs.set_held(app, asks_hold(entry.pod));
            follow_group(app, entry);
        } else {
            model_.gangs.choose_queue(app, entry);
        }
    }
    if (model_.gangs.awaits_group(app)) {
        model_.worklist.dirty_groups.insert(*model_.groups.find_driver_group(app.uid));
    }
    if (entry.is_change || !app.declared.driver_shape) {
        model_.shapes.set_driver(
            app,
            driver_request(entry.pod, model_.reader.declaration_of(entry.pod)),
            entry.pod.constraints);
    }
    if (app.declared.conf_needed) {
        model_.conf_asker.want(app.uid, step_.now_ms);
    }
    if (entry.pod.gated || entry.is_unasked) {
        model_.gangs.stop_waiting(app);
    } else if (model_.waiting.insert(app, entry.retry->code != ReasonCode::none)) {
        model_.worklist.queue_changed = true;
    }
    if (entry.retry->code != ReasonCode::none) {
        model_.worklist.queue_changed = true;  // the new state may lift a pause
    }
}

void GangLife::driver_is_bound(Application& app, PodEntry& entry, bool behind_fence) {
    model_.shapes.set_driver(app, entry.pod);
    const bool assumed_here = app.phase == Phase::assumed && app.assumed_node == entry.node();
    model_.gangs.stop_waiting(app);
    app.declared.conf.reset();
    const std::string* text = core::find_value(entry.pod.annotations, reservation_annotation);
    if (assumed_here) {
        confirm(app, entry);
    }
    if (app.published.is_unproven && !app.declared.conf_needed) {
        declarations_.want_declaration(app);  // its pod was not whole before, perhaps
    }
    if (leadership_.is_rewritten_by_another(app, text)) {
        model_.worklist.to_adopt.insert(app.rank());
    } else if (
        app.published.reserved && model_.term.leads &&
        !model_.worklist.to_adopt.contains(app.rank())) {
        publisher_.observe(app, text);
    }
    if (assumed_here) {
        return;
    }
    if (app.phase == Phase::assumed) {
        model_.ledger.drop(app);  // somebody else was faster, with another node
    }
    const bool is_change = app.phase != Phase::running ||
                           (!model_.term.leads && text && *text != app.published.annotation);
    if (!is_change) {
        return;
    }
    if (app.phase != Phase::running) {
        take_choices(app, model_.reader.declaration_of(entry.pod));
        app.phase = Phase::running;
        // A restart must not begin the wait for a driver that never runs anew.
        const bool is_said = entry.pod.scheduled && entry.pod.scheduled->since > 0;
        app.bound_ms =
            is_said ? std::min(entry.pod.scheduled->since * 1000, step_.now_ms) : step_.now_ms;
        stuck_.expect_running(app);
    }
    // Behind the fence nobody but us binds drivers with a reservation: what appears now bound was
    // bound by somebody else, and the text it brings is worth nothing.
    if (!behind_fence) {
        model_.worklist.to_adopt.insert(app.rank());
    }
    model_.worklist.dirty_gangs.insert(app.uid);
}

/// What the driver says is new, or has changed: until it is bound, its last word counts.
void GangLife::learn_anew(Application& app, const PodEntry& entry) {
    app.set_problem(entry.pod.problem);
    model_.shapes.release_all(app);
    app.declared.conf_needed = model_.reader.is_spark_driver(entry.pod);
    model_.waiting.changed(app);
    app.declared.group_needed =
        !app.declared.conf_needed && model_.reader.is_sized_by_group(entry.pod);
    if (app.declared.group_needed) {
        look_at_group(app);
    } else if (!app.declared.conf_needed) {
        set_sizes(app, nullptr);
    }
}

void GangLife::look_at_group(Application& app) {
    const PodGroup* const group = model_.groups.group_of_driver(app.uid);
    const bool is_known = group != nullptr && group->object;
    app.declared.group_needed = group != nullptr && !is_known;
    if (app.declared.group_needed) {
        model_.groups.want(*model_.groups.find_driver_group(app.uid), step_.now_ms);
    } else if (
        is_known &&
        (!app.declared.conf_needed || group->object->min_resources != core::Resources{})) {
        model_.shapes.release_all(app);
        set_sizes(app, nullptr);
    }
}

void GangLife::follow_group(Application& app, const PodEntry& entry) {
    const PodGroup* const group = model_.groups.group_of_driver(app.uid);
    model_.gangs.choose_queue(app, entry);
    model_.gangs.set_max_wait(app, max_wait_ms_of(group, entry.pod));
    const bool says_priority = group != nullptr && group->object && group->object->priority;
    const std::int32_t priority = says_priority ? *group->object->priority : entry.pod.priority;
    if (std::exchange(app.priority, priority) != priority) {
        model_.waiting.changed(app);
        model_.worklist.queue_changed = true;
    }
}

/// Of a gang that runs they are no part of its reservation: its driver is asked again.
void GangLife::take_choices(Application& app, const Declaration& declaration) {
    app.declared.packing = declaration.packing;
    model_.shapes.set_topology(app, declaration.topology);
}

/// A claim that is made for each executor is known by its class alone, and one that has a name of
/// its own for each is not known at all.
void GangLife::expect_claims(
    const core::Pod& driver, const spark::ExecutorShape& from, GangShape& shape) {
    std::vector<ForeseenClaim> claims;
    for (const spark::VolumeClaim& claim : from.claims) {
        if (claim.made && !claim.made->storage_class.empty()) {
            claims.push_back({claim.made->storage_class, true, claim.made->bytes});
        } else if (claim.is_shared()) {
            claims.push_back({claim.claim_name, false, 0});
        }
    }
    const core::FilterSet left_out = model_.reader.profiles().left_out(driver.scheduler_name);
    if (claims.empty() || left_out.contains(core::FilterId::volume_binding)) {
        return;
    }
    model_.claims.expect(driver, claims, step_.now_ms);
    shape.claims = std::move(claims);
}

void GangLife::set_sizes(Application& app, const spark::Conf* conf) {
    const core::Pod& driver = model_.pods.at(app.uid).pod;
    const Declaration declaration = model_.reader.declaration_of(driver);
    const PodGroup* const group = model_.groups.group_of_driver(app.uid);
    GangSize size = model_.reader.size_of(
        driver, conf, group != nullptr && group->object ? &*group->object : nullptr);
    app.declared.conf_needed = false;
    model_.conf_asker.forget(app.uid);
    if (!model_.shares.is_active()) {
        app.declared.queue = model_.texts.keep(declaration.queue);
    }
    take_choices(app, declaration);
    app.milestones.make().sized_ms = step_.now_ms;
    size.notes.insert(size.notes.end(), size.warnings.begin(), size.warnings.end());
    if (app.declared.diagnostics.is_made() || !size.notes.empty()) {
        app.declared.diagnostics.make().notes = std::move(size.notes);
        app.declared.diagnostics.make().warnings = std::move(size.warnings);
    }
    app.declared.source = model_.texts.keep(size.source);
    model_.waiting.changed(app);
    model_.worklist.queue_changed = true;
    if (!size.problem.empty()) {
        app.set_problem(std::move(size.problem));
        return;
    }
    for (const spark::ExecutorShape& shape : size.executors) {
        GangShape added{shape.profile, shape.count, shape.max, {}};
        added.min = static_cast<std::int32_t>(std::min<std::int64_t>(shape.min, all_slots));
        const bool spreads = model_.reader.profiles().spreads_alike(driver.scheduler_name);
        if (shape.rules || spreads) {
            core::Boxed<core::PodRules> rules;
            if (shape.rules) {
                rules = *shape.rules;
                core::leave_out(model_.reader.profiles().left_out(driver.scheduler_name), rules);
            }
            if (spreads) {
                core::add_default_spread(rules, shape.labels);
            }
            if (rules) {
                added.rules = ExecutorRules{*rules, shape.labels};
            }
        }
        if (app.phase == Phase::waiting) {
            expect_claims(driver, shape, added);
        }
        if (model_.quotas.is_on()) {
            added.limits = core::ExecutorLimits{shape.containers, shape.priority_class_name};
        }
        model_.shapes.add(app, std::move(added), shape.requests, shape.constraints);
    }
}

void GangLife::set_members(
    Application& app,
    const std::string& source,
    std::vector<MemberShape> shapes,
    std::vector<std::string> warnings,
    const std::string& topology_key) {
    const Declaration declaration = model_.reader.declaration_of(model_.pods.at(app.uid).pod);
    if (!model_.shares.is_active()) {
        app.declared.queue = model_.texts.keep(declaration.queue);
    }
    take_choices(app, declaration);
    set_topology(app, topology_key);
    app.milestones.make().sized_ms = step_.now_ms;
    app.declared.source = model_.texts.keep(source);
    app.set_problem(
        shapes.size() > reservation_shapes_max
            ? source + " has pods of " + std::to_string(shapes.size()) +
                  " kinds beside the first, " + std::to_string(reservation_shapes_max) + " at most"
            : declaration.problem);
    if (!warnings.empty()) {
        app.declared.diagnostics.make().notes = warnings;
        app.declared.diagnostics.make().warnings = std::move(warnings);
    }
    model_.waiting.changed(app);
    model_.worklist.queue_changed = true;
    for (MemberShape& member : shapes) {
        model_.shapes.add(app, std::move(member.shape), member.requests, member.constraints);
    }
}

void GangLife::set_topology(Application& app, const std::string& topology_key) {
    if (!topology_key.empty() && !app.declared.topology) {
        model_.shapes.set_topology(app, DeclaredTopology{topology_key});
    }
}

void GangLife::ask_for_confs() {
    for (const std::string& uid : model_.conf_asker.due(step_.now_ms)) {
        const core::Pod& pod = model_.pods.at(uid).pod;
        const std::string* version = core::find_value(pod.labels, "spark-version");
        step_.decisions.emplace_back(FetchSparkConf{
            ref_of(pod),
            version == nullptr ? std::string() : *version,
            *pod.spark_properties,
            pod.executor_template ? std::optional(*pod.executor_template) : std::nullopt});
    }
}

void GangLife::confirm(Application& app, PodEntry& entry) {
    app.phase = Phase::running;
    app.published.reserved = true;
    app.bound_ms = step_.now_ms;
    publisher_.stored(app, app.published.text_generation);
    app.milestones.make().driver_bound_ms = step_.now_ms;
    owners_.recheck_application(app);
    stuck_.expect_running(app);
    model_.worklist.dirty_gangs.insert(app.uid);
    model_.worklist.to_check.insert(app.uid);
    entry.retry.reset();
    report_bound(entry);
}

void GangLife::report_bound(const PodEntry& entry) {
    if (Application* gang = model_.gangs.find_owner(entry)) {
        note_executor_bound(*gang);
        return;  // never one event per executor
    }
    if (!model_.term.leads) {
        return;
    }
    const Application* app = model_.gangs.find(entry.pod.uid);
    status_reporter_.event(entry.pod, false, "Scheduled", bound_text(entry, app));
}

void GangLife::note_executor_bound(Application& gang) const {
    Milestones& seen = gang.milestones.make();
    ++seen.executors_bound;
    if (seen.first_executor_ms == 0) {
        seen.first_executor_ms = step_.now_ms;
    }
    const bool all = gang.count(SlotState::bound) == gang.slots.size();
    if (all && !gang.slots.empty() && seen.all_executors_ms == 0) {
        seen.all_executors_ms = step_.now_ms;
    }
}

void GangLife::end(Application& app) {
    if (app.phase == Phase::ended) {
        return;
    }
    handover_.hand_over(app);
    app.milestones.make().ended_ms = step_.now_ms;
    model_.gangs.stop_waiting(app);
    app.phase = Phase::ended;
    model_.conf_asker.forget(app.uid);
    declarations_.forget_declaration(app);
    model_.worklist.forget(app.rank());
    model_.ledger.drop(app);
    owners_.recheck_application(app);
    if (!app.group.empty()) {
        model_.worklist.dirty_groups.insert(app.group);
    }
    model_.worklist.dirty_gangs.insert(app.uid);  // executors that still wait are told
}

}  // namespace gang
