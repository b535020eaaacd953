#include "gang/life/pod_events.hpp"

#include "core/filter/filter_names.hpp"
#include "core/filter/filters.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/model/group/group_records.hpp"
#include "gang/model/ledger.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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

/// For what its profile does not ask, and kubelets do: that is no fault of the node. Their reasons
/// are the filters' names.
bool was_to_be_refused(const core::Pod& pod) {
    const core::FilterName* const reason = core::find_filter_name(pod.failure);
    return reason != nullptr && reason->filters.without(pod.constraints->left_out).empty();
}

}  // namespace

void PodEvents::on(const PodUpserted& event) {
    if (!is_ours(event.pod)) {
        if (event.pod.claims && model_.volume_counts.is_counting()) {
            core::Pod pod = event.pod;
            keep_volumes(pod);
            model_.cluster_model.upsert_other_pod(pod);
        } else {
            model_.cluster_model.upsert_other_pod(event.pod);
        }
        const bool holds = !event.pod.node_name.empty() && !core::is_terminal(event.pod);
        model_.claims.note(
            event.pod, holds ? Claims::Mount::holds : Claims::Mount::none, step_.now_ms);
        elsewhere_.observe(event.pod);
        return;
    }
    const core::FilterSet left_out = model_.reader.profiles().left_out(event.pod.scheduler_name);
    const bool drops_images = !event.pod.constraints->images.empty() &&
                              !model_.reader.profiles().asks_images(event.pod.scheduler_name);
    const bool spreads =
        event.pod.node_name.empty() && model_.reader.profiles().spreads_alike(event.pod.scheduler_name);
    if (left_out.empty() && !event.pod.claims && !model_.gpus.is_on() && !drops_images &&
        !spreads) {
        take(event.pod);
        return;
    }
    core::Pod pod = event.pod;
    model_.gpus.read(pod);
    if (!left_out.empty()) {
        core::leave_out(left_out, pod.requests, pod.constraints.edit());
        core::leave_out(left_out, pod.rules);
        core::leave_out(left_out, pod.claims);
    }
    if (drops_images) {
        pod.constraints.edit().images.clear();
    }
    if (spreads) {
        core::add_default_spread(pod.rules, pod.labels);
    }
    if (pod.claims && pod.node_name.empty()) {
        pod.constraints.edit().volumes = model_.claim_queries.nodes_of(pod);
    }
    if (pod.claims) {
        keep_volumes(pod);
    }
    take(pod);
}

/// What is known of what the pod has attached is no part of what the API server shows of it.
void PodEvents::keep_volumes(core::Pod& pod) const {
    const auto keep = [&pod](const core::Resources& known) {
        for (const core::ExtendedResource& entry : known.extended) {
            // Those of its own disks are there.
            if ((core::is_volume_limit(entry.name) || core::is_volume(entry.name)) &&
                pod.requests.extended_amount(entry.name) == 0) {
                pod.requests.extended.push_back(entry);
            }
        }
        std::sort(pod.requests.extended.begin(), pod.requests.extended.end());
    };
    if (const auto known = model_.pods.find(pod.uid)) {
        keep(model_.pods[*known].requests());
    } else if (const auto counted = model_.cluster.pods().find(pod.uid)) {
        keep(model_.cluster.allocations().resources_of(*counted));
    } else if (pod.node_name.empty()) {
        auto volumes = model_.volume_counts.limited(model_.claim_queries.volumes_of(pod));
        if (model_.reader.is_executor(pod)) {
            const core::OwnerReference* const controller = core::find_controller(pod);
            model_.own_volumes(
                controller == nullptr ? nullptr : model_.gangs.find(controller->uid), volumes);
        }
        core::add_volumes(pod.requests, volumes);
    }
}

/// Of pods that kube-scheduler places labels tell, which can be edited: what was ours stays ours,
/// and what becomes ours is nobody else's any more.
bool PodEvents::is_ours(const core::Pod& pod) {
    if (!model_.reader.names_extender(pod)) {
        return model_.reader.is_ours(pod);
    }
    if (model_.pods.find(pod.uid)) {
        return true;
    }
    const bool is_ours = model_.reader.is_ours(pod);
    if (is_ours) {
        forget_other(pod.uid);
    }
    return is_ours;
}

void PodEvents::forget_other(const std::string& uid) {
    model_.cluster_model.remove_other_pod(uid);
    model_.claims.forget(uid);
    elsewhere_.forget(uid);
}

void PodEvents::asked(PodEntry& entry) {
    entry.is_unasked = false;
    observe(entry);
}

void PodEvents::unasked(PodEntry& entry) {
    entry.is_unasked = true;
    observe(entry);
}

/// One of ours, with the constraints that its profile makes of them.
void PodEvents::take(const core::Pod& pod) {
    const auto known = model_.pods.find(pod.uid);
    if (!known) {
        PodEntry& entry = model_.pods.add(pod.uid);
        entry.pod = pod;
        model_.recent_constraints.share(entry.pod);
        read_slot(entry, model_.texts);
        entry.profile = profile_of(entry.pod);
        entry.is_unasked = model_.reader.names_extender(pod);
        // What was there before us has waited before, too; the server's clock is all that tells.
        const bool came_now = model_.pods_list == ListState::complete;
        entry.seen_ms = came_now ? step_.now_ms : std::min(pod.created * 1000, step_.now_ms);
        roles_.take(entry);
        observe(entry);
        warn_of_gpus(entry);
        compaction_.compact_if_settled(entry);
        return;
    }
    if (is_no_op(*known, pod)) {
        if (const std::string& group = model_.pods[*known].group(); !group.empty()) {
            model_.worklist.group_statuses.insert(group);  // it may run by now
        } else if (model_.pods[*known].is_driver()) {
            model_.groups.set_driver_group(pod, model_.reader.group_of_driver(pod));
        }
        roles_.note_driver_group(*known);
        model_.pod_rules.placed().place(pod, pod.node_name);  // its labels may be others
        return;
    }
    PodEntry& entry = model_.pods.expand(*known);
    if (!is_older(entry.pod, pod)) {
        take_state(entry, pod);
        observe(entry);
    }
    compaction_.compact_if_settled(entry);
}

/// What it wishes of GPUs counts for nothing here.
void PodEvents::warn_of_gpus(const PodEntry& entry) {
    if (model_.gpus.is_on() || !entry.is_bindable() ||
        !core::wishes_gpus(entry.pod.labels, entry.pod.annotations)) {
        return;
    }
    status_reporter_.event(
        entry.pod,
        true,
        "GpuWishIgnored",
        "its genius/ labels count for nothing: the configuration names no gpuMetrics");
}

void PodEvents::on(const PodDeleted& event) {
    const auto known = model_.pods.find(event.uid);
    if (!known) {
        forget_other(event.uid);
        return;
    }
    forget_pod(model_.pods.expand(*known));
    model_.pods.erase(*known);
    model_.gangs.forget_if_unused(event.uid);
}

/// The next state of a pod that is known.
void PodEvents::take_state(PodEntry& entry, const core::Pod& update) {
    core::Pod& pod = entry.pod;
    entry.is_change = !core::is_same_but_version(pod, update);
    if (!entry.is_change) {
        pod.resource_version = update.resource_version;
        roles_.promote(entry, leadership_.is_behind_fence());
        return;
    }
    entry.declares_anew = entry.declares_anew || model_.reader.says_other(pod, update);
    const bool was_terminal = core::is_terminal(pod);
    const std::int64_t created = pod.created;
    auto properties = std::move(pod.spark_properties);
    pod = update;
    model_.recent_constraints.share(pod);
    pod.created = created;  // ranks are made of it
    read_slot(entry, model_.texts);
    if (entry.group.empty()) {
        entry.profile = profile_of(pod);
    }
    roles_.name_driver_group(entry);
    roles_.promote(entry, leadership_.is_behind_fence());
    if (entry.is_driver && !pod.spark_properties) {
        pod.spark_properties = std::move(properties);  // it is still asked for by it
    }
    if (!was_terminal && core::is_terminal(pod)) {
        observe_end(entry);
    }
}

/// An update without effect, a kubelet's mostly: what it says of a compacted pod is known, or
/// changes nothing.
bool PodEvents::is_no_op(PodId id, const core::Pod& update) {
    if (!model_.pods.is_compacted(id)) {
        return false;
    }
    if (!model_.pods[id].is_driver()) {
        return model_.pods.is_known(id, update);
    }
    const Application* app = model_.gangs.find(update.uid);
    if (app == nullptr || !is_no_op_of_driver(*app, update) || !model_.pods.is_known(id, update)) {
        return false;
    }
    model_.cluster_model.check_if_overcommitted(update.node_name);
    return true;
}

/// Whether observe_driver() would find nothing in it that the gang does not know, if the driver's
/// pod is known.
bool PodEvents::is_no_op_of_driver(const Application& app, const core::Pod& update) const {
    const std::string* text = core::find_value(update.annotations, reservation_annotation);
    const bool is_text_known = text == nullptr
                                   ? !app.published.reserved
                                   : *text == app.published.annotation && app.published.is_shown &&
                                         app.published.stored >= app.published.text_generation;
    return app.phase == Phase::running && is_text_known &&
           (app.health.driver_runs || update.phase != core::PodPhase::running) &&
           app.declared.driver_shape &&
           model_.cluster.shapes().constraints(*app.declared.driver_shape) == update.constraints;
}

void PodEvents::observe(PodEntry& entry) {
    const core::Pod& pod = entry.pod;
    const bool was_in_flight = entry.bind_in_flight;
    const bool behind_fence = leadership_.is_behind_fence();
    if (!pod.node_name.empty()) {
        entry.bind_in_flight = false;
        entry.retry.reset();
        // Somebody else's node: our own guess must not be allocated as well.
        entry.assumed_node = {};
    }
    if (!entry.node().empty() || core::is_terminal(pod) || pod.deleting) {
        status_reporter_.forget(pod.uid);
        leadership_.fence().drop(pod.uid);
        leadership_.observe_reservation(pod);
    } else {
        leadership_.observe_fencing_token(entry);
    }
    model_.ledger.pod_allocations().settle(entry);
    model_.note_placement(entry, step_.now_ms);
    if (!entry.group.empty() && entry.is_change) {
        model_.worklist.dirty_groups.insert(entry.group);
    }
    if (entry.is_change) {
        roles_.note_driver_group(entry.id);
    }
    if (entry.is_driver) {
        observe_driver(entry, behind_fence);
    } else {
        observe_member(entry);
    }
    model_.cluster_model.check_if_overcommitted(pod.node_name);
    if (!entry.is_driver && was_in_flight && !pod.node_name.empty()) {
        life_.report_bound(entry);
    }
}

/// What the end of a pod says of its node.
void PodEvents::observe_end(const PodEntry& entry) {
    const std::string& node = entry.pod.node_name;
    if (!core::is_refused_by_kubelet(entry.pod)) {
        model_.cluster_model.lift_quarantine(node);
        return;
    }
    ++step_.counters.kubelet_rejections;
    if (was_to_be_refused(entry.pod)) {
        return;
    }
    const bool is_port = core::is_refused_host_port(entry.pod);
    step_.wake_at(model_.cluster_model.refused(node, is_port, step_.now_ms));
}

void PodEvents::observe_driver(PodEntry& entry, bool behind_fence) {
    Application& app = model_.gangs.ensure(entry, true);
    if (app.phase == Phase::ended) {
        return;
    }
    if (awaits_adoption(app, entry, behind_fence)) {
        model_.shapes.set_driver(app, entry.pod);
        model_.gangs.stop_waiting(app);
        app.phase = Phase::running;
        app.bound_ms = step_.now_ms;
        model_.worklist.to_adopt.insert(app.rank());
        return;
    }
    if (core::is_terminal(entry.pod) || entry.pod.deleting) {
        life_.end(app);
    } else if (!entry.pod.node_name.empty()) {
        life_.driver_is_bound(app, entry, behind_fence);
        if (entry.pod.phase == core::PodPhase::running &&
            !std::exchange(app.health.driver_runs, true)) {
            model_.worklist.dirty_gangs.insert(
                app.uid);  // from now on its executors are waited for
        }
    } else if (app.phase == Phase::waiting) {
        life_.driver_waits(app, entry);
    }
}

/// The anchor of a group has ended before anybody here knew its gang: what it bears is read, and
/// another member goes on with it.
bool PodEvents::awaits_adoption(
    const Application& app, const PodEntry& entry, bool behind_fence) const {
    const bool is_over = core::is_terminal(entry.pod) || entry.pod.deleting;
    return is_over && !entry.group.empty() && !behind_fence &&
           model_.reader.was_admitted(entry.pod) &&
           (app.phase == Phase::waiting || model_.worklist.to_adopt.contains(app.rank()));
}

void PodEvents::observe_member(PodEntry& entry) {
    owners_.follow_slot_annotation(entry);
    owners_.follow_group(entry);
    Application* owner = model_.gangs.find_owner(entry);
    back_off_.note_failure(entry, owner);
    if (entry.slot >= 0) {
        Application& gang = *owner;
        if (entry.pod.phase == core::PodPhase::succeeded && !entry.group.empty() &&
            model_.term.leads) {
            model_.worklist.done_slots.emplace_back(gang.uid, entry.slot);
        }
        if (!entry.holds_capacity() ||
            gang.slots[static_cast<std::size_t>(entry.slot)].node != entry.node()) {
            model_.ledger.release(gang, entry);
            model_.ledger.pod_allocations().settle(entry);
            assigner_.slot_opened(gang);
            model_.worklist.to_check.insert(gang.uid);
            model_.worklist.dirty_gangs.insert(gang.uid);
        } else {
            model_.ledger.assign(gang, static_cast<std::size_t>(entry.slot), entry);
        }
    }
    // Only the API server's word counts here: a surplus executor on its way gets no slot.
    if (owner != nullptr && entry.slot < 0 && entry.holds_capacity() &&
        !entry.pod.node_name.empty()) {
        if (owner->published.reserved) {
            assigner_.assign_bound(*owner, entry);
        } else {
            model_.wanted.settled_capacity = 0;  // fewer of its executors are missing than before
        }
    }
    if (entry.is_bindable() || is_queued(entry, owner)) {
        model_.worklist.dirty_pods.insert(entry.pod.uid);
    } else {
        model_.worklist.dirty_pods.erase(entry.pod.uid);
    }
}

/// It waits for a slot or for its turn, or has been sent where its turn led.
bool PodEvents::is_queued(const PodEntry& entry, const Application* owner) const {
    return model_.gangs.find(entry.pod.uid) != nullptr ||
           (owner != nullptr && !owner->pending->empty() && owner->pending->contains(entry.rank()));
}

void PodEvents::forget_pod(PodEntry& entry) {
    const std::string uid = entry.pod.uid;
    if (entry.holds_capacity()) {
        model_.cluster_model.lift_quarantine(entry.node());
    }
    if (Application* app = model_.gangs.find(uid); app != nullptr && app->is_driver) {
        model_.ledger.pod_allocations().forget(entry);
        life_.end(*app);
    } else if (app != nullptr) {
        model_.gangs.erase(uid);
    }
    Application* owner = model_.gangs.find_owner(entry);
    const bool was_in_slot = entry.slot >= 0;
    const core::Text owner_uid = entry.owner;
    if (was_in_slot) {
        model_.ledger.release(*owner, entry);
        model_.worklist.to_check.insert(owner->uid);
        model_.worklist.dirty_gangs.insert(owner->uid);
    }
    if (owner != nullptr) {
        owner->remove_pending(entry.rank());
    }
    model_.application_ids.remove(entry.application_key, entry.id);
    roles_.note_driver_group(entry.id);
    if (const std::string* named = model_.groups.find_driver_group(uid)) {
        const std::string group = *named;
        model_.groups.set_driver_group(entry.pod, std::nullopt);
        if (model_.groups.find(group) == nullptr) {
            model_.worklist.dirty_groups.erase(group);
            model_.worklist.group_statuses.erase(group);
        }
    }
    if (!entry.group.empty()) {
        model_.groups.leave(entry);
        if (model_.groups.find(entry.group.str()) != nullptr) {
            model_.worklist.dirty_groups.insert(entry.group);
        } else {
            model_.worklist.dirty_groups.erase(entry.group);
            model_.worklist.group_statuses.erase(entry.group);
        }
    }
    model_.gangs.leave_owner(entry);
    if (Application* const gang = was_in_slot ? model_.gangs.find(owner_uid.str()) : nullptr) {
        assigner_.slot_opened(*gang);
    }
    model_.pod_rules.placed().remove(uid);
    model_.pod_rules.waiting().stop(uid);
    model_.pod_rules.waiting().stop_for_executors(uid);
    model_.claims.forget(uid);
    model_.claims.forget_executors(uid);
    model_.ledger.pod_allocations().forget(entry);
    status_reporter_.forget(uid);
    leadership_.fence().drop(uid);
    model_.awaited_answers.forget(uid);
    model_.worklist.dirty_pods.erase(uid);
}

}  // namespace gang
