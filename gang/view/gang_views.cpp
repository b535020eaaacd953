#include "gang/view/gang_views.hpp"

#include "core/value/resources.hpp"
#include "gang/model/cluster/fit_cache.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/report/gang_needs.hpp"
#include "gang/report/messages.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/slots/crash_loop_back_off.hpp"
#include "gang/view/room_holders.hpp"

#include <cstddef>
#include <map>
#include <utility>

namespace gang {

std::vector<GangView> GangViews::gangs() const {
    FitCache cache;
    MessageContext context{cache, 0, true};
    std::vector<GangView> views;
    // Places were found one by one, and those ahead may have gone since. Shown are places in the
    // line as it is now; with queues each has its own.
    std::map<std::string, std::int32_t> last_places;
    for (const Application* app : model_.waiting) {
        views.push_back(view_of(*app, context));
        GangView& view = views.back();
        view.position = view.position > 0 ? ++last_places[view.queue] : 0;
    }
    std::map<Rank, GangView> others;
    for (const auto& [uid, app] : model_.gangs.all()) {
        if (!WaitingLine::contains(app)) {
            others.emplace(app.rank(), view_of(app, context));
        }
    }
    owners_.for_each_waiting_ownerless(
        [&](const PodEntry& entry) { others.emplace(entry.rank(), view_of_ownerless(entry)); });
    for (const auto& [key, group] : model_.groups.all()) {
        for (const PodId id : group.members) {
            const PodEntry* const entry =
                model_.pods.is_compacted(id) ? nullptr : &model_.pods.at(id);
            if (auto view = entry == nullptr ? std::nullopt : view_of_member(*entry)) {
                others.emplace(entry->rank(), *std::move(view));
            }
        }
    }
    for (auto& [rank, view] : others) {
        views.push_back(std::move(view));
    }
    return views;
}

std::optional<Explanation> GangViews::explain(std::string_view pod_or_app) const {
    FitCache cache;
    MessageContext context{cache, 0, true};
    const auto entry = find_pod(pod_or_app);
    if (!entry) {
        const Application* const gone = find_without_driver(pod_or_app);
        return gone != nullptr ? std::optional(explain_gang(*gone, context)) : std::nullopt;
    }
    const Application* own = model_.gangs.find(entry->pod.uid);
    const Application* owner = model_.gangs.find_owner(*entry);
    const Application* app = owner != nullptr ? owner : own;
    if (app == nullptr) {
        auto view = owners_.is_waiting_ownerless(*entry) ? std::optional(view_of_ownerless(*entry))
                                                         : view_of_member(*entry);
        return view ? std::optional(explain_waiting(*entry, *std::move(view))) : std::nullopt;
    }
    Explanation out = explain_gang(*app, context);
    if (app->phase == Phase::running && app->group.empty() && out.gang.message.empty()) {
        out.gang.message = "bound to " + model_.pods[model_.pods.id_of(app->uid)].node();
    }
    out.is_executor = owner != nullptr;
    add_notes(*app, *entry, context, out.notes);
    return out;
}

/// What is known without the pod that is asked about.
Explanation GangViews::explain_gang(const Application& app, MessageContext& context) const {
    Explanation out;
    out.gang = view_of(app, context);
    out.milestones = *app.milestones;
    out.driver = app.declared.driver_shape ? model_.cluster.resources(*app.declared.driver_shape)
                                           : core::Resources{};
    if (!app.declared.shapes.empty()) {
        out.executor = model_.cluster.resources(app.declared.shapes.front().id);
    }
    std::map<std::string_view, std::int32_t> per_node;
    for (const Slot& slot : app.slots) {
        if (slot.state != SlotState::unplaced) {
            ++per_node[slot.node.str()];
        }
    }
    out.slots_per_node.assign(per_node.begin(), per_node.end());
    out.notes = app.declared.diagnostics->notes;
    return out;
}

GangView GangViews::view_of(const Application& app, MessageContext& context) const {
    GangView view;
    view.namespace_name = app.namespace_name;
    view.driver = app.name;
    view.driver_uid = app.uid;
    view.application = application_name(app);
    if (const auto driver = app.is_driver ? model_.pods.find(app.uid) : std::nullopt) {
        view.app_name = model_.pods[*driver].app_name();
    }
    view.queue = model_.shares.is_active() ? app.declared.queue.str() : std::string();
    view.state = state_of(app);
    view.code = model_.waiting.code_of(app);
    // The conf has come, and nobody has looked at the gang with its size yet.
    if (view.code == ReasonCode::waiting_for_spark_conf && !app.declared.conf_needed) {
        view.code = ReasonCode::none;
    }
    if (view.code != ReasonCode::none) {
        view.message =
            messages_.message_of(app, model_.gangs.find(refresh_.head()), context).sentence;
    }
    if (app.phase == Phase::running && app.health.reported_unplaced) {
        const std::size_t unplaced = app.count(SlotState::unplaced);
        view.code = ReasonCode::waiting_for_capacity;
        view.message = "no room now for " + std::to_string(unplaced) + " of " +
                       std::to_string(app.slots.size()) + " slots";
    }
    const QueueEntry* const queue_entry = model_.waiting.find_entry(app);
    view.position = queue_entry != nullptr ? queue_entry->position : 0;
    view.waiting_since_ms = app.waiting_since_ms;
    add_times_of(app, view);
    GangNeeds needs = needs_of(model_.cluster, app);
    view.executors = static_cast<std::int32_t>(needs.executors);
    view.needs = std::move(needs.total);
    const SlotNumbers slots = slot_numbers(app);
    view.slots_open = slots.open;
    view.slots_assumed = slots.assumed;
    view.slots_bound = slots.bound;
    return view;
}

/// What backfill knows of its start or its end.
void GangViews::add_times_of(const Application& app, GangView& view) const {
    const Outlook* const outlook =
        app.phase == Phase::waiting ? model_.outlooks.find(app.uid) : nullptr;
    if (outlook != nullptr) {
        view.start_ms = outlook->start_ms;
        view.start_spread_ms = outlook->start_ms > 0 ? outlook->spread_ms : 0;
        view.planned_ms = outlook->planned_ms;
        view.bypasses = outlook->bypasses;
    }
    const Run* const run = app.phase == Phase::running ? model_.run_times.find(app.uid) : nullptr;
    const auto expected = run != nullptr ? model_.run_times.expected(*run) : std::nullopt;
    if (expected && run->start_ms > 0) {
        view.end_ms = run->start_ms + expected->median_ms;
        view.is_overdue = run->is_overdue;
    }
}

GangState GangViews::state_of(const Application& app) const {
    switch (app.phase) {
        case Phase::assumed:
            return GangState::admitted;
        case Phase::running:
            return app.health.reported_unplaced ? GangState::degraded : GangState::running;
        case Phase::ended:
            return GangState::ended;
        case Phase::waiting:
            break;
    }
    const QueueEntry* const queue_entry = model_.waiting.find_entry(app);
    if (!app.declared.diagnostics->problem.empty() || app.declared.queue_problem.is_made() ||
        (queue_entry != nullptr &&
         ((queue_entry->is_infeasible && queue_entry->code != ReasonCode::waiting_for_nodes) ||
          queue_entry->code == ReasonCode::exceeds_quota))) {
        return GangState::parked;
    }
    return app.declared.conf_needed ? GangState::waiting_for_conf : GangState::waiting;
}

std::string GangViews::application_name(const Application& app) const {
    if (const PodGroup* group = app.group.empty() ? nullptr : model_.groups.find(app.group.str())) {
        return group->name;
    }
    const auto driver = app.is_driver ? model_.pods.find(app.uid) : std::nullopt;
    const std::string& name = driver ? model_.pods[*driver].application() : app.name;
    return name.empty() ? app.name : name;
}

SlotNumbers GangViews::slot_numbers(const Application& app) {
    const auto count = [&app](SlotState state) {
        return static_cast<std::int32_t>(app.count(state));
    };
    return {
        count(SlotState::open),
        count(SlotState::assumed),
        count(SlotState::bound) + count(SlotState::draining),
        count(SlotState::unplaced)};
}

/// An executor whose driver is not there, or not admitted (executor_owners.hpp).
GangView GangViews::view_of_ownerless(const PodEntry& entry) const {
    return view_of_waiting(entry, ownerless_message(model_.cluster.nodes().count(), entry.pod));
}

/// A member of a pod group that is no gang yet. Nothing: it is something else.
std::optional<GangView> GangViews::view_of_member(const PodEntry& entry) const {
    const PodGroup* const group =
        entry.group.empty() ? nullptr : model_.groups.find(entry.group.str());
    if (group == nullptr || !entry.is_bindable() || !entry.owner.empty() ||
        model_.gangs.find(entry.pod.uid) != nullptr) {
        return std::nullopt;
    }
    return view_of_waiting(entry, former_.why_waiting(*group));
}

/// A pod that is no gang's yet, and is shown as one of its own.
GangView GangViews::view_of_waiting(const PodEntry& entry, StatusMessage message) const {
    GangView view;
    view.namespace_name = entry.pod.namespace_name;
    view.driver = entry.pod.name;
    view.driver_uid = entry.pod.uid;
    view.application = entry.pod.name;
    view.state = state_of_ownerless(entry);
    view.code = message.code;
    view.message = std::move(message.sentence);
    view.waiting_since_ms = entry.pod.created * 1000;
    view.needs = entry.pod.requests;
    return view;
}

GangState GangViews::state_of_ownerless(const PodEntry& entry) {
    return entry.pod.problem.empty() ? GangState::waiting : GangState::parked;
}

/// A uid, namespace/name, a pod's name, an application's id or its name, in this order. Of several
/// pods with one name the first created is meant: say namespace/name to be exact. Applications are
/// often called alike: a name that several have names none.
std::optional<PodEntry> GangViews::find_pod(std::string_view question) const {
    if (const auto id = model_.pods.find(question)) {
        return model_.pods.copy_of(*id);
    }
    constexpr int by_app_name = 1;
    constexpr int by_application = 2;
    std::optional<PodEntry> best;
    int best_match = 0;
    int so_called = 0;
    if (question.empty()) {
        return best;
    }
    const auto consider = [&](PodId id, int match) {
        if (match == 0 || match < best_match) {
            return;
        }
        PodEntry entry = model_.pods.copy_of(id);
        if (match > best_match || entry.rank() < best->rank()) {
            best = std::move(entry);
            best_match = match;
        }
    };
    model_.pods.for_each([&](PodId id) {
        const int match = model_.pods[id].match_name(question);
        consider(id, match > 0 ? by_application + match : 0);
    });
    model_.pods.for_each([&](PodId id) {
        if (!model_.pods[id].is_driver()) {
            return;
        }
        if (model_.pods[id].application() == question) {
            consider(id, by_application);
        } else if (model_.pods[id].app_name() == question) {
            consider(id, by_app_name);
            ++so_called;
        }
    });
    return best_match == by_app_name && so_called > 1 ? std::nullopt : best;
}

/// A gang is shown while executors of it are left, also when its driver's pod is gone. By uid,
/// namespace/name or name; of several the first in line. Nothing: there is none, or its pod is
/// there.
const Application* GangViews::find_without_driver(std::string_view question) const {
    const Application* first = nullptr;
    for (const auto& [uid, app] : model_.gangs.all()) {
        const bool is_meant = uid == question || app.name == question ||
                              app.namespace_name.str() + "/" + app.name == question;
        if (is_meant && !model_.pods.find(uid) &&
            (first == nullptr || app.rank() < first->rank())) {
            first = &app;
        }
    }
    return first;
}

Explanation GangViews::explain_waiting(const PodEntry& entry, GangView view) const {
    Explanation out;
    out.gang = std::move(view);
    out.driver = entry.pod.requests;
    add_retry_note(entry, out.notes);
    return out;
}

/// Why an executor that is not bound is not.
std::string GangViews::member_note(
    const Application& app, const PodEntry& asked, MessageContext& context) const {
    const std::string pod = app.group.empty() ? "this executor" : "this pod";
    if (app.phase == Phase::ended) {
        return pod + " is not bound: its driver has ended";
    }
    const Application* lone = model_.gangs.find(asked.pod.uid);
    if (lone == nullptr) {
        return pod + " asks " + core::describe(asked.pod.requests) +
               " and waits for a slot of its gang";
    }
    std::string text = pod +
                       " is one more than its gang has slots: it is placed in what "
                       "nobody has reserved, after the gangs that came before it, and holds up "
                       "none of those that came after it";
    if (model_.waiting.code_of(*lone) != ReasonCode::none) {
        text += "; " +
                messages_.message_of(*lone, model_.gangs.find(refresh_.head()), context).sentence;
    }
    return text;
}

void GangViews::add_notes(
    const Application& app,
    const PodEntry& asked,
    MessageContext& context,
    std::vector<std::string>& notes) const {
    if (asked.is_unasked && asked.node().empty()) {
        notes.emplace_back("kube-scheduler does not ask where this pod may go, or not any more");
    }
    if (app.phase == Phase::running && !app.published.reserved) {
        notes.emplace_back(
            "the driver was bound without a reservation: its executors are placed one by one");
    }
    if (app.health.stuck && !app.health.driver_runs) {
        notes.emplace_back("the driver is bound but has never run");
    }
    if (!app.pending_releases->empty()) {
        notes.push_back(
            "room for " + std::to_string(app.pending_releases->size()) +
            " moved slots is kept until the new reservation is written");
    }
    if (crash_backoff_until_ms(app) > step_.now_ms) {
        notes.emplace_back(
            "its executors fail as fast as they are started: the next ones are bound after a "
            "pause");
    }
    if (app.phase == Phase::running && app.health.missing > 0) {
        notes.push_back(
            std::to_string(app.health.missing) +
            " slots wait for executors that Spark has not created");
    }
    if (asked.pod.uid != app.uid && asked.is_bindable()) {
        notes.push_back(member_note(app, asked, context));
    }
    add_retry_note(asked, notes);
    if (const core::Rejection* shortage = messages_.find_shortage(app, context)) {
        for (std::string& note : RoomHolders(model_, app, *shortage).notes()) {
            notes.push_back(std::move(note));
        }
    }
}

void GangViews::add_retry_note(const PodEntry& entry, std::vector<std::string>& notes) {
    if (entry.retry->code != ReasonCode::none) {
        notes.push_back("the last bind was not carried out: " + entry.retry->message);
    }
}

}  // namespace gang
