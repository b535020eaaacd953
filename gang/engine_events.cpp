// The picture: what nodes, pods and relists say. Nothing is decided here.

#include "gang/declare/gang_size.hpp"
#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gang {
namespace {

/// Pods only ever go forward: bound, deleting and ended are for good. What says otherwise is an
/// older state that comes late.
bool is_older(const core::Pod& known, const core::Pod& update) {
    return (!known.node_name.empty() && update.node_name.empty()) ||
           (known.deleting && !update.deleting) ||
           (core::is_terminal(known) && !core::is_terminal(update));
}

/// Of a node's label; what is no whole number costs nothing.
std::int64_t read_cost(const std::string* text) {
    std::int64_t cost = 0;
    if (text == nullptr) {
        return cost;
    }
    const char* end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, cost);
    return error == std::errc{} && stopped == end ? cost : 0;
}

bool has_label(const core::Pod& pod, std::string_view key, std::string_view value) {
    const std::string* found = core::find_value(pod.labels, key);
    return found != nullptr && *found == value;
}

}  // namespace

bool Engine::is_ours(const core::Pod& pod) const {
    const auto& names = schema_.scheduler_names;
    return std::find(names.begin(), names.end(), pod.scheduler_name) != names.end();
}

bool Engine::reads_confs() const {
    return schema_.gang.discovery == config::Discovery::automatic ||
           schema_.gang.discovery == config::Discovery::spark_conf;
}

bool Engine::reads_declarations() const {
    return schema_.gang.discovery == config::Discovery::automatic ||
           schema_.gang.discovery == config::Discovery::annotations;
}

/// Made by Spark's cluster mode: its gang is in its conf.
bool Engine::is_spark_driver(const core::Pod& pod) const {
    return reads_confs() && pod.spark_properties && has_label(pod, "spark-role", "driver");
}

bool Engine::is_driver(const core::Pod& pod) const {
    return is_spark_driver(pod) || (reads_declarations() && declares_gang(pod));
}

bool Engine::is_executor(const core::Pod& pod) const {
    return reads_declarations() ? role_of(pod) == Role::executor
                                : reads_confs() && has_label(pod, "spark-role", "executor");
}

void Engine::on(const NodeUpserted& event) {
    core::Node node = event.node;
    node.cost = read_cost(core::find_value(node.labels, schema_.nodes.cost_label));
    cluster_model_.upsert_node(node);
}

void Engine::on(const NodeDeleted& event) {
    cluster_model_.remove_node(event.name);
}

// A list may be broken off and begun again, so this is a state and not a count.
void Engine::on(const RelistBegun& event) {
    (event.kind == Kind::pods ? pods_list_ : nodes_list_) = List::under_way;
}

void Engine::on(const RelistEnded& event) {
    (event.kind == Kind::pods ? pods_list_ : nodes_list_) = List::complete;
}

void Engine::on(const PodUpserted& event) {
    if (!is_ours(event.pod)) {
        cluster_model_.upsert_other_pod(event.pod);
        observe_executor_elsewhere(event.pod);
        return;
    }
    const auto known = pods_.find(event.pod.uid);
    if (!known) {
        PodEntry& entry = pods_.add(event.pod.uid);
        entry.pod = event.pod;
        pods_.share_constraints(entry.pod);
        entry.annotated_slot = read_slot_annotation(entry.pod);
        entry.profile = profile_of(entry.pod);
        // What was there before us has waited before, too; the server's clock is all that tells.
        const bool came_now = pods_list_ == List::complete;
        entry.seen_ms = came_now ? now_ms_ : std::min(event.pod.created * 1000, now_ms_);
        take_role(entry);
        observe(entry);
        compact_if_settled(entry);
        return;
    }
    if (is_no_op(*known, event.pod)) {
        return;
    }
    PodEntry& entry = pods_.expand(*known);
    if (!is_older(entry.pod, event.pod)) {
        take_state(entry, event.pod);
        observe(entry);
    }
    compact_if_settled(entry);
}

/// The next state of a pod that is known.
void Engine::take_state(PodEntry& entry, const core::Pod& update) {
    core::Pod& pod = entry.pod;
    entry.is_change = !core::is_same_but_version(pod, update);
    if (!entry.is_change) {
        pod.resource_version = update.resource_version;
        promote(entry);
        return;
    }
    entry.declares_anew = entry.declares_anew || says_other(pod, update);
    const bool was_terminal = core::is_terminal(pod);
    const std::int64_t created = pod.created;
    auto properties = std::move(pod.spark_properties);
    pod = update;
    pods_.share_constraints(pod);
    pod.created = created;  // ranks are made of it
    entry.annotated_slot = read_slot_annotation(pod);
    entry.profile = profile_of(pod);
    promote(entry);
    if (entry.is_driver && !pod.spark_properties) {
        pod.spark_properties = std::move(properties);  // it is still asked for by it
    }
    if (!was_terminal && core::is_terminal(pod)) {
        observe_end(entry);
    }
}

/// Bound, and nothing of it is awaited but its end: it need not be kept whole. An executor is whose
/// driver may still turn out to be another.
void Engine::compact_if_settled(PodEntry& entry) {
    const core::Pod& pod = entry.pod;
    const bool is_bound = !pod.node_name.empty() && !pod.deleting && !pod.gated &&
                          !entry.bind_in_flight && !entry.gone && pod.problem.empty() &&
                          entry.retry->code == ReasonCode::none;
    const Application* app = find_app(pod.uid);
    const bool is_settled =
        is_bound && (entry.is_driver ? app == nullptr || !awaits_declaration(*app, pod)
                                     : app == nullptr && !worklist_.dirty_pods.contains(pod.uid) &&
                                           !has_unknown_driver(entry));
    if (is_settled) {
        pods_.compact(entry.id);
    }
}

/// An update without effect, a kubelet's mostly: what it says of a compacted pod is known, or
/// changes nothing.
bool Engine::is_no_op(PodId id, const core::Pod& update) {
    if (!pods_.is_compacted(id)) {
        return false;
    }
    if (!pods_.is_driver(id)) {
        return pods_.is_known(id, update);
    }
    const Application* app = find_app(update.uid);
    if (app == nullptr || !is_no_op_of_driver(*app, update) || !pods_.is_known(id, update)) {
        return false;
    }
    cluster_model_.check_if_overcommitted(update.node_name);
    return true;
}

/// Whether observe_driver() would find nothing in it that the gang does not know, if the driver's
/// pod is known.
bool Engine::is_no_op_of_driver(const Application& app, const core::Pod& update) const {
    const std::string* text = core::find_value(update.annotations, reservation_annotation);
    const bool is_text_known = text == nullptr ? !app.reserved
                                               : *text == app.annotation && app.is_shown &&
                                                     app.stored >= app.text_generation;
    return app.phase == Phase::running && is_text_known &&
           (app.driver_runs || update.phase != core::PodPhase::running) && app.driver_shape &&
           cluster_.constraints(*app.driver_shape) == update.constraints;
}

/// Our own word, sealed, on a pod that is bound: it was a driver when it was admitted, whatever its
/// labels say by now.
bool Engine::was_admitted(const core::Pod& pod) const {
    return schema_.is_sealed() && reads_gangs() && !pod.node_name.empty() &&
           core::find_value(pod.annotations, reservation_annotation) != nullptr;
}

void Engine::take_role(PodEntry& entry) {
    entry.is_driver = is_driver(entry.pod) || was_admitted(entry.pod);
    entry.hand_made = entry.is_driver && !entry.pod.spark_properties;
    entry.declares_anew = entry.is_driver;
    entry.is_executor = !entry.is_driver && is_executor(entry.pod);
    const core::OwnerReference* controller = core::find_controller(entry.pod);
    if (entry.is_executor && controller != nullptr) {
        pods_.join(entry, controller->uid);
    }
    note_application(entry);
}

/// Labels may come later than the pod: until it is bound, a pod may still turn out to be a driver.
/// So may one that another leader knew, and has bound, as one.
void Engine::promote(PodEntry& entry) {
    if (!entry.is_driver && was_admitted(entry.pod)) {
        application_ids_.remove(entry.application_key, entry.id);
        leave_owner(entry);
        entry.application_key = {};
        entry.owner = {};
        erase_app(entry.pod.uid);
        take_role(entry);
        return;
    }
    if (entry.is_driver || !entry.declares_anew || !entry.is_bindable() || entry.bind_in_flight ||
        !entry.owner.empty() || !entry.application_key.empty() || !is_driver(entry.pod)) {
        return;
    }
    erase_app(entry.pod.uid);
    take_role(entry);
}

void Engine::observe(PodEntry& entry) {
    const core::Pod& pod = entry.pod;
    const bool was_in_flight = entry.bind_in_flight;
    const bool behind_fence = is_behind_fence();
    if (!pod.node_name.empty()) {
        entry.bind_in_flight = false;
        entry.retry.reset();
        // Somebody else's node: our own guess must not be allocated as well.
        entry.assumed_node = {};
    }
    if (!entry.node().empty() || core::is_terminal(pod) || pod.deleting) {
        status_reporter_.forget(pod.uid);
        fence_.drop(pod.uid);
    } else {
        observe_fencing_token(entry);
    }
    ledger_.settle(entry);
    if (entry.is_driver) {
        observe_driver(entry, behind_fence);
    } else {
        observe_member(entry);
    }
    cluster_model_.check_if_overcommitted(pod.node_name);
    if (!entry.is_driver && was_in_flight && !pod.node_name.empty()) {
        report_bound(entry);
    }
}

void Engine::observe_driver(PodEntry& entry, bool behind_fence) {
    Application& app = ensure_app(entry, true);
    if (app.phase == Phase::ended) {
        return;
    }
    if (core::is_terminal(entry.pod) || entry.pod.deleting) {
        end(app);
    } else if (!entry.pod.node_name.empty()) {
        driver_is_bound(app, entry, behind_fence);
        if (entry.pod.phase == core::PodPhase::running && !std::exchange(app.driver_runs, true)) {
            worklist_.dirty_gangs.insert(app.uid);  // from now on its executors are waited for
        }
    } else if (app.phase == Phase::waiting) {
        driver_waits(app, entry);
    }
}

void Engine::driver_waits(Application& app, PodEntry& entry) {
    if (std::exchange(entry.declares_anew, false)) {
        learn_anew(app, entry);
    }
    if (entry.is_change || !app.driver_shape) {
        set_driver_shape(
            app, driver_request(entry.pod, declaration_of(entry.pod)), entry.pod.constraints);
    }
    if (app.conf_needed) {
        asker_.want(app.uid, now_ms_);
    }
    if (entry.pod.gated) {
        stop_waiting(app);
    } else if (waiting_.insert(app, entry.retry->code != ReasonCode::none)) {
        queue_changed_ = true;
    }
    if (entry.retry->code != ReasonCode::none) {
        queue_changed_ = true;  // the new state may lift a pause
    }
}

void Engine::driver_is_bound(Application& app, PodEntry& entry, bool behind_fence) {
    set_driver_shape(app, entry.pod);
    const bool assumed_here = app.phase == Phase::assumed && app.assumed_node == entry.node();
    stop_waiting(app);
    app.conf.reset();
    const std::string* text = core::find_value(entry.pod.annotations, reservation_annotation);
    if (assumed_here) {
        confirm(app, entry);
    }
    if (app.is_unproven && !app.conf_needed) {
        want_declaration(app);  // its pod was not whole before, perhaps
    }
    if (is_rewritten_by_another(app, text)) {
        worklist_.to_adopt.insert(app.rank());
    } else if (app.reserved && term_.leads && !worklist_.to_adopt.contains(app.rank())) {
        observe_reservation(app, text);
    }
    if (assumed_here) {
        return;
    }
    if (app.phase == Phase::assumed) {
        ledger_.drop(app);  // somebody else was faster, with another node
    }
    const bool is_change =
        app.phase != Phase::running || (!term_.leads && text && *text != app.annotation);
    if (!is_change) {
        return;
    }
    if (app.phase != Phase::running) {
        app.phase = Phase::running;
        // A restart must not begin the wait for a driver that never runs anew.
        const bool is_said = entry.pod.scheduled && entry.pod.scheduled->since > 0;
        app.bound_ms = is_said ? std::min(entry.pod.scheduled->since * 1000, now_ms_) : now_ms_;
        stuck_due_.add(app.bound_ms + schema_.gang.never_running_after_ms, texts_.keep(app.uid));
    }
    // Behind the fence nobody but us binds drivers with a reservation: what appears now bound was
    // bound by somebody else, and the text it brings is worth nothing.
    if (!behind_fence) {
        worklist_.to_adopt.insert(app.rank());
    }
    worklist_.dirty_gangs.insert(app.uid);
}

void Engine::observe_member(PodEntry& entry) {
    follow_slot_annotation(entry);
    Application* owner = find_owner(entry);
    note_failure(entry, owner);
    if (entry.slot >= 0) {
        Application& gang = *owner;
        if (!entry.holds_capacity() ||
            gang.slots[static_cast<std::size_t>(entry.slot)].node != entry.node()) {
            ledger_.release(gang, entry);
            ledger_.settle(entry);
            worklist_.to_check.insert(gang.uid);
            worklist_.dirty_gangs.insert(gang.uid);
        } else {
            ledger_.assign(gang, static_cast<std::size_t>(entry.slot), entry);
        }
    }
    // Only the API server's word counts here: a surplus executor on its way gets no slot.
    if (owner != nullptr && entry.slot < 0 && entry.holds_capacity() &&
        !entry.pod.node_name.empty()) {
        if (owner->reserved) {
            assign_bound(*owner, entry);
        } else {
            settled_capacity_ = 0;  // fewer of its executors are missing than before
        }
    }
    if (entry.is_bindable() || is_queued(entry, owner)) {
        worklist_.dirty_pods.insert(entry.pod.uid);
    } else {
        worklist_.dirty_pods.erase(entry.pod.uid);
    }
}

/// It waits for a slot or for its turn, or has been sent where its turn led.
bool Engine::is_queued(const PodEntry& entry, const Application* owner) const {
    return find_app(entry.pod.uid) != nullptr ||
           (owner != nullptr && !owner->pending->empty() && owner->pending->contains(entry.rank()));
}

void Engine::on(const PodDeleted& event) {
    const auto known = pods_.find(event.uid);
    if (!known) {
        cluster_model_.remove_other_pod(event.uid);
        executors_elsewhere_.erase(event.uid);
        return;
    }
    forget_pod(pods_.expand(*known));
    pods_.erase(*known);
    forget_if_unused(event.uid);
}

void Engine::forget_pod(PodEntry& entry) {
    const std::string uid = entry.pod.uid;
    if (entry.holds_capacity()) {
        cluster_model_.lift_quarantine(entry.node());
    }
    if (Application* app = find_app(uid); app != nullptr && app->is_driver) {
        end(*app);
    } else if (app != nullptr) {
        erase_app(uid);
    }
    Application* owner = find_owner(entry);
    if (entry.slot >= 0) {
        ledger_.release(*owner, entry);
        worklist_.to_check.insert(owner->uid);
        worklist_.dirty_gangs.insert(owner->uid);
    }
    if (owner != nullptr) {
        owner->remove_pending(entry.rank());
    }
    application_ids_.remove(entry.application_key, entry.id);
    leave_owner(entry);
    cluster_.remove_pod(uid);
    status_reporter_.forget(uid);
    fence_.drop(uid);
    awaited_.forget(uid);
    worklist_.dirty_pods.erase(uid);
}

void Engine::leave_owner(PodEntry& entry) {
    if (pods_.leave(entry)) {
        forget_if_unused(entry.owner);
    }
}

}  // namespace gang
