#include "gang/sim/api/requests.hpp"

#include "gang/sim/base/call.hpp"
#include "gang/sim/base/clock.hpp"
#include "gang/sim/world.hpp"

#include <string>
#include <utility>

namespace gang::sim {
namespace {

/// Evictions that a PodDisruptionBudget refuses.
constexpr int budget_percent = 10;

/// By name, as a URL does it; nobody: there is none.
std::uint32_t find_pod_id(const World& world, const PodRef& pod) {
    const auto found = world.store.pod_by_name.find(pod.namespace_name + "/" + pod.name);
    return found == world.store.pod_by_name.end() ? nobody : found->second;
}

void bind(World& world, Call& call) {
    const std::uint32_t id = find_pod_id(world, call.pod);
    const core::Pod* pod = world.store.find_pod(id);
    if (pod == nullptr) {
        call.answer.status = 404;
        return;
    }
    const bool is_refused = pod->uid != call.pod.uid || pod->deleting || pod->gated ||
                            !pod->node_name.empty() ||
                            (!call.version.empty() && pod->resource_version != call.version);
    call.answer.status = is_refused ? 409 : 201;
    if (is_refused) {
        return;
    }
    world.writes.change_pod(id, call.author, [&](core::Pod& bound) {
        bound.node_name = call.node;
        bound.scheduled =
            core::ScheduledCondition{true, "", "", (unix_begin_ms + world.now_ms) / 1'000};
        merge_annotations(bound, call.annotations);
    });
}

void patch_status(World& world, Call& call) {
    const std::uint32_t id = find_pod_id(world, call.pod);
    const core::Pod* pod = world.store.find_pod(id);
    if (pod == nullptr) {
        call.answer.status = 404;
        return;
    }
    if (pod->uid != call.pod.uid) {
        call.answer.status = 422;
        return;
    }
    if (!call.version.empty() && pod->resource_version != call.version) {
        call.answer.status = 409;
        return;
    }
    core::Pod changed = *pod;
    if (call.has_condition) {
        changed.scheduled = core::ScheduledCondition{false, call.reason, call.message, 0};
    }
    merge_annotations(changed, call.annotations);
    // A patch that changes nothing moves nothing.
    if (!(changed == *pod)) {
        world.writes.change_pod(
            id, call.author, [&changed](core::Pod& after) { after = std::move(changed); });
    }
    call.answer.status = 200;
    const core::Pod& now = *world.store.find_pod(id);
    call.answer.pod.exists = true;
    call.answer.pod.uid = now.uid;
    call.answer.pod.resource_version = now.resource_version;
    call.answer.pod.node = now.node_name;
}

/// A pod that has not run yet, or ends already, is no affair of its budget.
void evict(World& world, Call& call) {
    const std::uint32_t id = find_pod_id(world, call.pod);
    const core::Pod* pod = world.store.find_pod(id);
    if (pod == nullptr) {
        call.answer.status = 404;
        return;
    }
    if (pod->uid != call.pod.uid) {
        call.answer.status = 409;
        call.answer.message = "Precondition failed: UID in precondition: " + call.pod.uid +
                              ", UID in object meta: " + pod->uid;
        return;
    }
    const bool is_disruption = !pod->deleting && pod->phase == core::PodPhase::running;
    if (is_disruption && world.random.percent(budget_percent)) {
        call.answer.status = 429;
        call.answer.message = "Cannot evict pod as it would violate the pod's disruption budget.";
        return;
    }
    call.answer.status = 201;
    if (!pod->deleting) {
        world.writes.delete_pod(id, call.author, world.random.between(0, 5'000));
    }
}

void read_pod(World& world, Call& call) {
    const core::Pod* pod = world.store.find_pod(find_pod_id(world, call.pod));
    call.answer.status = pod == nullptr ? 404 : 200;
    if (pod != nullptr) {
        call.answer.pod = {
            true, pod->uid, pod->resource_version, pod->node_name, pod->deleting, pod->gated};
    }
}

void read_config_map(World& world, Call& call) {
    call.answer.conf = world.cluster.applications.find_conf(call.pod);
    call.answer.status = call.answer.conf == nobody ? 404 : 200;
}

void write_lease(World& world, Call& call) {
    const auto& current = world.store.lease();
    if (call.operation == Operation::get_lease) {
        call.answer.status = current ? 200 : 404;
        call.answer.lease = current;
        return;
    }
    if (call.operation == Operation::create_lease && current) {
        call.answer.status = 409;
        return;
    }
    if (call.operation == Operation::update_lease) {
        // A PUT that names the uid of an object that is gone is a conflict, too.
        if (!current || current->resource_version != call.lease.resource_version) {
            call.answer.status = 409;
            return;
        }
    }
    if (call.lease.holder.empty()) {
        ++(call.lease.settled ? world.record.counts.settled : world.record.counts.released);
    }
    world.writes.set_lease(call.lease);
    call.answer.status = call.operation == Operation::create_lease ? 201 : 200;
    call.answer.lease = world.store.lease();
}

}  // namespace

void carry_out(World& world, Call& call) {
    switch (call.operation) {
        case Operation::list:
            return world.cluster.api.lists.list(call);
        case Operation::watch:
            return world.cluster.api.streams.open(call);
        case Operation::bind:
            return bind(world, call);
        case Operation::patch_status:
            return patch_status(world, call);
        case Operation::evict:
            return evict(world, call);
        case Operation::get_pod:
            return read_pod(world, call);
        case Operation::get_config_map:
            return read_config_map(world, call);
        case Operation::get_group:
            return world.cluster.group_jobs.read_object(call);
        case Operation::write_group_status:
            return world.cluster.group_jobs.write_status(call);
        case Operation::get_claim:
            return world.cluster.volumes.read(call);
        case Operation::select_node:
            return world.cluster.volumes.select_node(call);
        case Operation::list_quotas:
            return world.cluster.namespace_quotas.read(call);
        case Operation::write_demand:
            return world.cluster.autoscaler.write(call);
        case Operation::delete_demand:
            return world.cluster.autoscaler.remove(call);
        case Operation::list_demand:
            return world.cluster.autoscaler.list(call);
        case Operation::get_lease:
        case Operation::create_lease:
        case Operation::update_lease:
            return write_lease(world, call);
        case Operation::watch_lease:
            call.answer.status = 200;
            return;
    }
}

}  // namespace gang::sim
