#include "gang/sim/plane/fault_injector.hpp"

#include "core/value/exclusive.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/reservation/format/seal.hpp"
#include "gang/sim/plane/pod_rules.hpp"
#include "gang/sim/scheduler_schema.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gang::sim {
namespace {

constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;
const Author admin{Actor::admin, nobody, 0, 0, 0, 0};
const Author tenant{Actor::tenant, nobody, 0, 0, 0, 0};

}  // namespace

void FaultInjector::begin() {
    for (std::size_t i = 0; i < fault_count; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (comes_by_itself(fault) && world_.faults.rate(fault) > 0) {
            plan_next(fault);
        }
    }
}

void FaultInjector::plan_next(Fault fault) {
    const std::int64_t mean_ms = world_.faults.rate(fault);
    world_.queue.plan(
        world_.now_ms + world_.random.between(1, 2 * mean_ms),
        Happening::strike,
        static_cast<std::uint32_t>(fault));
}

void FaultInjector::plan_end(
    Fault fault, std::uint64_t what, std::int64_t low_ms, std::int64_t high_ms) {
    world_.queue.plan(
        world_.now_ms + world_.random.long_tail(low_ms, high_ms),
        Happening::strike_ends,
        static_cast<std::uint32_t>(fault),
        what);
}

void FaultInjector::strike(Fault fault) {
    if (world_.faults.is_calm()) {
        return;
    }
    if (happen(fault)) {
        world_.faults.count(fault);
        world_.record.say([fault] { return "mishap " + std::string(to_string(fault)); });
    }
    plan_next(fault);
}

bool FaultInjector::happen(Fault fault) {
    if (fault <= Fault::token_expired) {
        return happen_to_servers(fault);
    }
    if (fault == Fault::foreign_pod) {
        return bind_foreign_pod();
    }
    if (fault <= Fault::foreign_pod) {
        return happen_to_node(fault);
    }
    if (fault <= Fault::conf_removed) {
        return happen_to_application(fault);
    }
    if (fault == Fault::slot_forged) {
        return forge_slot();
    }
    if (fault == Fault::terminated) {
        return terminate_replicas();
    }
    return fault >= Fault::lease_deleted ? happen_to_lease(fault) : happen_to_replica(fault);
}

bool FaultInjector::happen_to_servers(Fault fault) {
    Random& random = world_.random;
    switch (fault) {
        case Fault::cache_lags:
            world_.cluster.api.caches.lag(random.long_tail(500, 60'000));
            return true;
        case Fault::server_down:
            world_.cluster.api.take_down(random.long_tail(500, 30'000));
            return true;
        case Fault::store_pauses:
            world_.cluster.api.outages.pause_store(random.long_tail(200, 15'000));
            return true;
        case Fault::compaction:
            world_.cluster.api.compact();
            return true;
        case Fault::rights_lost:
            world_.cluster.api.outages.lose_rights(403, random.long_tail(500, 20'000));
            return true;
        case Fault::token_expired:
            world_.cluster.api.outages.lose_rights(401, random.long_tail(500, 10'000));
            return true;
        default:
            return false;
    }
}

std::optional<NodeId> FaultInjector::any_node() {
    const auto id = static_cast<NodeId>(world_.random.below(world_.store.nodes.size()));
    return world_.store.nodes[id] ? std::optional(id) : std::nullopt;
}

bool FaultInjector::happen_to_node(Fault fault) {
    const auto id = any_node();
    if (!id) {
        return false;
    }
    switch (fault) {
        case Fault::node_removed:
            world_.writes.remove_node(*id, admin);
            plan_end(fault, *id, 1'000, 120'000);
            return true;
        case Fault::node_replaced:
            world_.writes.remove_node(*id, admin);
            plan_end(fault, *id, 1, 500);
            return true;
        case Fault::node_cordoned:
            world_.writes.change_node(*id, admin, [](core::Node& node) { node.unschedulable = true; });
            break;
        case Fault::node_tainted:
            world_.writes.change_node(*id, admin, [](core::Node& node) {
                node.taints = {{"drain", "soon", core::TaintEffect::no_schedule}};
            });
            break;
        case Fault::node_not_ready:
            world_.writes.change_node(*id, admin, [](core::Node& node) { node.ready = false; });
            break;
        default:  // node_shrinks
            world_.writes.change_node(*id, admin, [this](core::Node& node) {
                node.allocatable.cpu_milli =
                    node.allocatable.cpu_milli * world_.random.between(40, 95) / 100;
            });
            break;
    }
    plan_end(fault, *id, 500, 120'000);
    return true;
}

void FaultInjector::restore_node(NodeId node) {
    const core::Node original = world_.writes.original_nodes()[node];
    if (world_.store.find_node(node) == nullptr) {
        if (!world_.cluster.autoscaler.is_bought(node)) {  // of these another one comes, if at all
            world_.writes.create_node(node, admin);
        }
        return;
    }
    world_.writes.change_node(node, admin, [&original](core::Node& now) {
        core::Node after = original;
        after.uid = now.uid;
        after.resource_version = now.resource_version;
        now = after;
    });
}

void FaultInjector::end(Fault fault, std::uint64_t what) {
    if (fault == Fault::clock_runs_wrong) {
        Replica& replica = world_.replicas[what];
        replica.clock.set_rate(world_.now_ms, 1'000);
        return;
    }
    restore_node(static_cast<NodeId>(what));
}

bool FaultInjector::bind_foreign_pod() {
    const auto id = any_node();
    if (!id) {
        return false;
    }
    core::Pod pod;
    pod.namespace_name = "t9";
    pod.name = "f" + std::to_string(++foreign_pods_);
    pod.scheduler_name = "default-scheduler";
    pod.created = (unix_begin_ms + world_.now_ms) / 1'000;
    pod.requests = {
        world_.random.between(1, 20) * 100, world_.random.between(1, 4) * gibibyte / 4, 0, {}};
    if (world_.plan.port_percent > 0 && world_.random.percent(world_.plan.port_percent)) {
        core::add_host_ports(pod.requests, {host_port});
    }
    if (world_.plan.has_cards && world_.random.percent(30)) {
        ask_for_units(pod.requests, draw_card_units(world_.writes.original_nodes(), world_.random));
    }
    if (world_.plan.rule_percent > 0 && world_.random.percent(world_.plan.rule_percent)) {
        give_foreign_rules(pod, world_.random);
    }
    // It fits by what runs there; reservations it knows nothing of.
    if (!world_.checkers.fits_beside_pods(*id, pod.requests)) {
        return false;
    }
    pod.node_name = "n" + std::to_string(*id);
    world_.writes.create_pod(std::move(pod), {Actor::foreign});
    return true;
}

std::optional<PodId> FaultInjector::any_executor() {
    const auto application = world_.cluster.applications.any_live();
    if (!application) {
        return std::nullopt;
    }
    const auto& executors = world_.cluster.applications.at(*application).executors;
    if (executors.empty()) {
        return std::nullopt;
    }
    return executors[world_.random.below(executors.size())];
}

bool FaultInjector::happen_to_application(Fault fault) {
    Random& random = world_.random;
    if (fault == Fault::executor_deleted || fault == Fault::pod_evicted) {
        const auto executor = any_executor();
        if (!executor) {
            return false;
        }
        const bool is_long = fault == Fault::pod_evicted;
        world_.writes.delete_pod(*executor, tenant, is_long ? random.between(1'000, 30'000) : 500);
        return true;
    }
    const auto id = world_.cluster.applications.any_live();
    if (!id) {
        return false;
    }
    Application& one = world_.cluster.applications.at(*id);
    switch (fault) {
        case Fault::executor_storm:
            one.storm = random.between(3, 30);
            return true;
        case Fault::conf_replaced:
            world_.cluster.applications.replace_conf(*id);
            return true;
        case Fault::conf_removed:
            world_.cluster.applications.remove_conf(*id);
            return true;
        case Fault::namespace_deleted: {
            const std::string name = one.tenant;
            for (PodId pod = 0; pod < world_.store.pods.size(); ++pod) {
                const core::Pod* found = world_.store.find_pod(pod);
                if (found != nullptr && found->namespace_name == name) {
                    world_.writes.delete_pod(pod, admin, random.between(100, 10'000));
                }
            }
            return true;
        }
        default:
            return happen_to_driver(fault, one.driver);
    }
}

bool FaultInjector::happen_to_driver(Fault fault, PodId id) {
    const core::Pod* driver = world_.store.find_pod(id);
    if (driver == nullptr) {
        return false;
    }
    const ApplicationId application = world_.cluster.applications.find(id);
    switch (fault) {
        case Fault::driver_fails:
            if (driver->phase != core::PodPhase::running) {
                return false;
            }
            world_.cluster.applications.end(application, core::PodPhase::failed);
            return true;
        case Fault::driver_deleted:
            world_.writes.delete_pod(id, tenant, world_.random.between(100, 10'000));
            return true;
        case Fault::labels_edited:
            world_.writes.change_pod(id, tenant, [this](core::Pod& pod) {
                pod.labels = {
                    {"edited", std::to_string(world_.random.below(1'000))},
                    {"spark-app-selector", "spark-1"},
                    {"spark-role", world_.random.percent(50) ? "driver" : "executor"}};
            });
            return true;
        default:  // reservation_edited
            edit_reservation(id, application);
            return true;
    }
}

namespace {

const std::string reservation_key(reservation_annotation);
const std::string slot_key(slot_annotation);
const std::string seal_key(seal_annotation);

void remove_annotation(core::Pod& pod, const std::string& key) {
    std::erase_if(pod.annotations, [&key](const auto& entry) { return entry.first == key; });
}

/// What another pod says in this annotation, and the seal that it has.
core::StringMap copied(const core::Pod& from, const std::string& key) {
    core::StringMap out;
    for (const std::string& wanted : {key, seal_key}) {
        if (const std::string* found = core::find_value(from.annotations, wanted)) {
            out.emplace_back(wanted, *found);
        }
    }
    return out;
}

}  // namespace

/// Far more than it has, nonsense, nothing, another gang's, its own of before, or a broken seal.
void FaultInjector::edit_reservation(PodId id, ApplicationId application) {
    Application& one = world_.cluster.applications.at(application);
    one.was_tampered = true;
    const std::string forged =
        "v1 generation=9 epoch=1 queue=default profile=x anchor=" + world_.store.find_pod(id)->uid +
        ";shape profile=0 max=500 cpu=1 memory=1 nodes=n0:400";
    const auto other = world_.cluster.applications.any_live();
    const core::Pod* another =
        other ? world_.store.find_pod(world_.cluster.applications.at(*other).driver) : nullptr;
    const std::int64_t kind = world_.random.between(0, 5);
    world_.writes.change_pod(id, tenant, [&](core::Pod& pod) {
        if (kind == 0) {
            merge_annotations(pod, {{reservation_key, forged}});
        } else if (kind == 1) {
            merge_annotations(pod, {{reservation_key, "garbage"}});
        } else if (kind == 2) {
            remove_annotation(pod, reservation_key);
        } else if (kind == 3 && another != nullptr) {
            merge_annotations(pod, copied(*another, reservation_key));
        } else if (kind == 4) {
            merge_annotations(pod, one.first_texts);
        } else {
            merge_annotations(pod, {{seal_key, "v1 0123"}});
        }
    });
}

/// A pod that is nobody's executor says to be in a gang's slot, or an executor says another one.
bool FaultInjector::forge_slot() {
    const auto live = world_.cluster.applications.any_live();
    if (!live) {
        return false;
    }
    const Application& one = world_.cluster.applications.at(*live);
    const core::Pod* driver = world_.store.find_pod(one.driver);
    if (driver == nullptr) {
        return false;
    }
    core::StringMap forged = {
        {slot_key, driver->uid + "/" + std::to_string(world_.random.below(3))}};
    for (const PodId id : one.executors) {
        const core::Pod* executor = world_.store.find_pod(id);
        if (executor != nullptr && world_.random.percent(50)) {
            forged = copied(*executor, slot_key);
        }
    }
    if (!one.executors.empty() && world_.random.percent(40)) {
        const PodId id = one.executors[world_.random.below(one.executors.size())];
        const core::Pod* executor = world_.store.find_pod(id);
        // Without a key its own slot, written in advance, is the scheduler's word by its looks.
        if (executor == nullptr || (executor->node_name.empty() && !world_.plan.has_key)) {
            return false;
        }
        world_.writes.change_pod(id, tenant, [&](core::Pod& pod) {
            remove_annotation(pod, world_.random.percent(50) ? slot_key : seal_key);
            merge_annotations(pod, forged);
        });
        return true;
    }
    core::Pod stranger;
    stranger.namespace_name = one.tenant;
    stranger.name = "s" + std::to_string(strangers_.size());
    stranger.scheduler_name = "gang-scheduler";
    stranger.created = (unix_begin_ms + world_.now_ms) / 1'000;
    stranger.labels = {
        {"spark-app-selector", "spark-" + std::to_string(*live)},
        {"spark-exec-resourceprofile-id", "0"},
        {"spark-role", "executor"}};
    stranger.requests = {one.cpu_milli, one.memory_mib * 1024 * 1024, 0, {}};
    stranger.annotations = forged;
    if (!world_.cluster.namespace_quotas.admits(stranger)) {
        return false;
    }
    strangers_.push_back(world_.writes.create_pod(std::move(stranger), tenant));
    return true;
}

bool FaultInjector::happen_to_replica(Fault fault) {
    Random& random = world_.random;
    const std::size_t which = random.below(world_.replicas.size());
    Replica& replica = world_.replicas[which];
    switch (fault) {
        case Fault::crash:
            replica.crash(random.long_tail(50, 20'000));
            return true;
        case Fault::crash_storm:
            for (Replica& each : world_.replicas) {
                each.crash(random.long_tail(10, 5'000));
            }
            return true;
        case Fault::pause:
            replica.pause(random.long_tail(500, 120'000));
            return true;
        case Fault::clock_jumps:
            replica.clock.jump(random.between(-3'600'000, 3'600'000));
            return true;
        case Fault::clock_runs_wrong:
            replica.clock.set_rate(world_.now_ms, random.between(500, 2'000));
            world_.checker_suite.clock_was_wrong(static_cast<std::uint32_t>(which));
            plan_end(fault, which, 1'000, 60'000);
            return true;
        default:  // config_changed
            replica.schema.gang.missing_executors_then =
                random.percent(50) ? config::UnusedThen::keep : config::UnusedThen::release;
            replica.schema.gang.missing_executors_after_ms = random.between(20'000, 600'000);
            replica.schema.nodes.headroom_cpu_milli = random.percent(70) ? 0 : 100;
            replica.crash(random.long_tail(50, 5'000));
            return true;
    }
}

/// SIGTERM to one, or to all one after the other.
bool FaultInjector::terminate_replicas() {
    Random& random = world_.random;
    const bool is_rollout = random.percent(40);
    const std::int64_t gap_ms = random.long_tail(200, 20'000);
    const auto one = static_cast<std::uint32_t>(random.below(world_.replicas.size()));
    std::int64_t after_ms = 0;
    for (std::uint32_t i = 0; i < world_.replicas.size(); ++i) {
        if (world_.replicas[i].is_running() && (is_rollout || i == one)) {
            const std::uint32_t life = world_.replicas[i].life();
            world_.queue.plan(world_.now_ms + after_ms, Happening::replica_is_told, i, life);
            after_ms += gap_ms;
        }
    }
    return is_rollout || world_.replicas[one].is_running();
}

bool FaultInjector::happen_to_lease(Fault fault) {
    if (!world_.store.lease()) {
        return false;
    }
    world_.checker_suite.lease_was_touched();
    if (fault == Fault::lease_deleted) {
        world_.writes.set_lease(std::nullopt);
        return true;
    }
    k8s::protocol::Lease forged = *world_.store.lease();
    forged.holder = "somebody";
    world_.writes.set_lease(forged);
    return true;
}

void FaultInjector::heal() {
    for (const PodId stranger : strangers_) {  // some would fit on no node
        if (world_.store.find_pod(stranger) != nullptr) {
            world_.writes.delete_pod(stranger, tenant, 0);
        }
    }
    for (NodeId node = 0; node < world_.store.nodes.size(); ++node) {
        restore_node(node);
    }
    const config::Schema schema = original_schema(world_.plan);
    for (Replica& replica : world_.replicas) {
        replica.clock.set_rate(world_.now_ms, 1'000);
        replica.pause(0);
        if (!(replica.schema == schema)) {
            replica.schema = schema;
            replica.crash(100);
        }
    }
    world_.cluster.api.heal();
    world_.cluster.applications.calm_down();
}

}  // namespace gang::sim
