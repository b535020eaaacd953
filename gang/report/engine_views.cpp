// What is shown of gangs: values copied out of the state, and sentences made for the asker. Nothing
// of that is kept: a question changes nothing, not even how long the next answer takes.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>
#include <map>

namespace gang {

std::size_t Engine::remembered() const {
    return pods_.size() + pods_.owner_count() + application_ids_.size() + apps_.size() +
           waiting_.size() + awaited_.size() + worklist_.size() + to_rebuild_.size() +
           declarations_.size() + unverified_.size() + stuck_due_.size() + retry_due_.size() +
           missing_due_.size() + crash_backoff_due_.size() + executors_elsewhere_.size() +
           fence_.size() + gangs_to_fence_.size() + cluster_.allocation_count() +
           asker_.remembered() + status_reporter_.remembered();
}

GangState Engine::state_of(const Application& app) const {
    switch (app.phase) {
        case Phase::assumed:
            return GangState::admitted;
        case Phase::running:
            return app.reported_unplaced ? GangState::degraded : GangState::running;
        case Phase::ended:
            return GangState::ended;
        case Phase::waiting:
            break;
    }
    const QueueEntry* const queue_entry = waiting_.find_entry(app);
    if (!app.diagnostics->problem.empty() ||
        (queue_entry != nullptr && queue_entry->is_infeasible)) {
        return GangState::parked;
    }
    return app.conf_needed ? GangState::waiting_for_conf : GangState::waiting;
}

std::string Engine::application_name(const Application& app) const {
    const auto driver = app.is_driver ? pods_.find(app.uid) : std::nullopt;
    const std::string& name = driver ? pods_.application(*driver) : app.name;
    return name.empty() ? app.name : name;
}

Engine::SlotNumbers Engine::slot_numbers(const Application& app) {
    const auto count = [&app](SlotState state) {
        return static_cast<std::int32_t>(app.count(state));
    };
    return {
        count(SlotState::open),
        count(SlotState::assumed),
        count(SlotState::bound) + count(SlotState::draining),
        count(SlotState::unplaced)};
}

GangView Engine::view_of(const Application& app, MessageContext& context) const {
    GangView view;
    view.namespace_name = app.namespace_name;
    view.driver = app.name;
    view.driver_uid = app.uid;
    view.application = application_name(app);
    view.state = state_of(app);
    view.code = code_of(app);
    if (view.code != ReasonCode::none) {
        view.message = message_of(app, find_app(refreshed_head_), context).sentence;
    }
    if (app.phase == Phase::running && app.reported_unplaced) {
        const std::size_t unplaced = app.count(SlotState::unplaced);
        view.code = ReasonCode::waiting_for_capacity;
        view.message = "no room now for " + std::to_string(unplaced) + " of " +
                       std::to_string(app.slots.size()) + " slots";
    }
    const QueueEntry* const queue_entry = waiting_.find_entry(app);
    view.position = queue_entry != nullptr ? queue_entry->position : 0;
    view.waiting_since_ms = app.waiting_since_ms;
    if (app.driver_shape) {
        core::add_times(view.needs, cluster_.resources(*app.driver_shape), 1);
    }
    for (const GangShape& shape : app.shapes) {
        view.executors += static_cast<std::int32_t>(shape.count);
        core::add_times(view.needs, cluster_.resources(shape.id), shape.count);
    }
    const SlotNumbers slots = slot_numbers(app);
    view.slots_open = slots.open;
    view.slots_assumed = slots.assumed;
    view.slots_bound = slots.bound;
    return view;
}

std::vector<GangView> Engine::gangs() const {
    core::Planner planner;
    Memos memos;
    Placed placed;
    MessageContext context{planner, memos, placed};
    std::vector<GangView> views;
    for (const Application* app : waiting_) {
        views.push_back(view_of(*app, context));
    }
    std::map<Rank, GangView> others;
    for (const auto& [uid, app] : apps_) {
        if (!WaitingLine::contains(app)) {
            others.emplace(app.rank(), view_of(app, context));
        }
    }
    for_each_waiting_ownerless(
        [&](const PodEntry& entry) { others.emplace(entry.rank(), view_of_ownerless(entry)); });
    for (auto& [rank, view] : others) {
        views.push_back(std::move(view));
    }
    return views;
}

GangState Engine::state_of_ownerless(const PodEntry& entry) {
    return entry.pod.problem.empty() ? GangState::waiting : GangState::parked;
}

/// An executor whose driver is not there, or not admitted (engine_allocators.cpp): it is no gang,
/// and is shown as one of its own.
GangView Engine::view_of_ownerless(const PodEntry& entry) const {
    StatusMessage message = ownerless_message(cluster_.node_count(), entry.pod);
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

/// A uid, namespace/name, a pod's name or an application's id, in this order. Of several with one
/// name the first created is meant: say namespace/name to be exact.
std::optional<PodEntry> Engine::find_pod(std::string_view question) const {
    if (const auto id = pods_.find(question)) {
        return pods_.copy_of(*id);
    }
    std::optional<PodEntry> best;
    int best_match = 0;
    const auto consider = [&](PodId id, int match) {
        if (match == 0 || match < best_match) {
            return;
        }
        PodEntry entry = pods_.copy_of(id);
        if (match > best_match || entry.rank() < best->rank()) {
            best = std::move(entry);
            best_match = match;
        }
    };
    pods_.for_each([&](PodId id) { consider(id, pods_.match_name(id, question)); });
    pods_.for_each([&](PodId id) {
        if (pods_.is_driver(id) && pods_.application(id) == question) {
            consider(id, 1);
        }
    });
    return best;
}

std::optional<Explanation> Engine::explain(std::string_view pod_or_app) const {
    const auto entry = find_pod(pod_or_app);
    if (!entry) {
        return std::nullopt;
    }
    const Application* own = find_app(entry->pod.uid);
    const Application* owner = find_owner(*entry);
    const Application* app = owner != nullptr ? owner : own;
    if (app == nullptr) {
        return is_waiting_ownerless(*entry) ? std::optional(explain_ownerless(*entry))
                                            : std::nullopt;
    }
    core::Planner planner;
    Memos memos;
    Placed placed;
    MessageContext context{planner, memos, placed};
    Explanation out;
    out.gang = view_of(*app, context);
    out.milestones = *app->milestones;
    out.is_executor = owner != nullptr;
    out.driver = app->driver_shape ? cluster_.resources(*app->driver_shape) : core::Resources{};
    if (!app->shapes.empty()) {
        out.executor = cluster_.resources(app->shapes.front().id);
    }
    std::map<std::string_view, std::int32_t> per_node;
    for (const Slot& slot : app->slots) {
        if (slot.state != SlotState::unplaced) {
            ++per_node[slot.node.str()];
        }
    }
    out.slots_per_node.assign(per_node.begin(), per_node.end());
    out.notes = app->diagnostics->notes;
    add_notes(*app, *entry, context, out.notes);
    return out;
}

Explanation Engine::explain_ownerless(const PodEntry& entry) const {
    Explanation out;
    out.gang = view_of_ownerless(entry);
    out.driver = entry.pod.requests;
    add_retry_note(entry, out.notes);
    return out;
}

void Engine::add_retry_note(const PodEntry& entry, std::vector<std::string>& notes) {
    if (entry.retry->code != ReasonCode::none) {
        notes.push_back("the last bind was not carried out: " + entry.retry->message);
    }
}

/// Why an executor that is not bound is not.
std::string Engine::member_note(
    const Application& app, const PodEntry& asked, MessageContext& context) const {
    if (app.phase == Phase::ended) {
        return "this executor is not bound: its driver has ended";
    }
    const Application* lone = find_app(asked.pod.uid);
    if (lone == nullptr) {
        return "this executor asks " + core::describe(asked.pod.requests) +
               " and waits for a slot of its gang";
    }
    std::string text =
        "this executor is one more than its gang has slots: it is placed in what "
        "nobody has reserved, after the gangs that came before it, and holds up "
        "none of those that came after it";
    if (code_of(*lone) != ReasonCode::none) {
        text += "; " + message_of(*lone, find_app(refreshed_head_), context).sentence;
    }
    return text;
}

void Engine::add_notes(
    const Application& app,
    const PodEntry& asked,
    MessageContext& context,
    std::vector<std::string>& notes) const {
    if (app.phase == Phase::running && !app.reserved) {
        notes.emplace_back(
            "the driver was bound without a reservation: its executors are placed one by one");
    }
    if (app.stuck) {
        notes.emplace_back("the driver is bound but has never run");
    }
    if (!app.pending_releases->empty()) {
        notes.push_back(
            "room for " + std::to_string(app.pending_releases->size()) +
            " moved slots is kept until the new reservation is written");
    }
    if (crash_backoff_until_ms(app) > now_ms_) {
        notes.emplace_back(
            "its executors fail as fast as they are started: the next ones are bound after a "
            "pause");
    }
    if (app.phase == Phase::running && app.missing > 0) {
        notes.push_back(
            std::to_string(app.missing) + " slots wait for executors that Spark has not created");
    }
    if (asked.pod.uid != app.uid && asked.is_bindable()) {
        notes.push_back(member_note(app, asked, context));
    }
    add_retry_note(asked, notes);
}

}  // namespace gang
