#include "gang/sim/event_loop.hpp"

#include "gang/sim/checkers/liveness.hpp"
#include "gang/sim/scheduler_schema.hpp"
#include "gang/sim/world.hpp"

#include <string>

namespace gang::sim {
namespace {

constexpr std::int64_t inspection_gap_ms = 2'000;

}  // namespace

void EventLoop::begin() {
    const Plan& plan = world_.plan;
    EventQueue& queue = world_.queue;
    Random& random = world_.random;
    world_.record.say([&plan] { return std::string(plan.has_key ? "sealed" : "without a key"); });
    for (NodeId id = 0; id < static_cast<NodeId>(plan.nodes); ++id) {
        world_.writes.add_node(draw_node(plan, id, random), {Actor::admin});
    }
    for (std::uint32_t i = 0; i < world_.replicas.size(); ++i) {
        queue.plan(random.between(0, 3'000), Happening::replica_starts, i);
    }
    queue.plan(random.between(1, 2'000), Happening::submission);
    queue.plan(inspection_gap_ms, Happening::inspection);
    queue.plan(plan.chaos_ms, Happening::calm);
    const std::int64_t for_all_ms = plan.calm_ms_per_application * plan.applications;
    queue.plan(plan.chaos_ms + plan.calm_ms_max + for_all_ms, Happening::end);
    world_.cluster.begin();
    if (plan.has_queues) {
        for (std::uint32_t file = 1; file <= other_files; ++file) {
            queue.plan(plan.chaos_ms * file / (other_files + 1), Happening::file_changes, file);
        }
        queue.plan(plan.chaos_ms, Happening::file_changes);
    }
}

void EventLoop::run() {
    const auto& violations = world_.checkers.violations();
    begin();
    while (!is_over_ && !world_.queue.empty() && violations.empty()) {
        if (is_for_later(world_.queue.top())) {
            continue;
        }
        const Planned planned = world_.queue.take();
        world_.now_ms = planned.time_ms;
        world_.record.happened(planned);
        const std::uint32_t replica = replica_of(planned);
        happen(planned);
        if (replica < world_.replicas.size()) {
            world_.replicas[replica].end_if_asked();
        }
    }
    if (violations.empty()) {
        check_liveness(world_);
    }
}

/// Whom it concerns; nobody: the cluster itself.
std::uint32_t EventLoop::replica_of(const Planned& planned) const {
    switch (planned.what) {
        case Happening::call_answered:
        case Happening::call_times_out:
            return world_.cluster.api.calls.replica_of(planned.a);
        case Happening::stream_delivers:
        case Happening::stream_silent:
            return world_.cluster.api.streams.replica_of(planned.a);
        case Happening::watcher_pause:
            return planned.a / 2;
        case Happening::lease_seen:
        case Happening::replica_turn:
        case Happening::replica_wakes:
        case Happening::replica_is_told:
        case Happening::drain_ends:
        case Happening::pods_listed:
        case Happening::elector_wakes:
        case Happening::writer_wakes:
        case Happening::volumes_wake:
        case Happening::demand_wakes:
            return planned.a;
        default:
            return nobody;
    }
}

/// A process that is stopped hears of it when it goes on, in the same order.
bool EventLoop::is_for_later(const Planned& planned) {
    const std::uint32_t replica = replica_of(planned);
    if (replica == nobody || world_.replicas[replica].paused_until_ms() <= planned.time_ms) {
        return false;
    }
    const Planned moved = world_.queue.take();
    world_.queue.plan(world_.replicas[replica].paused_until_ms(), moved.what, moved.a, moved.b);
    return true;
}

/// Nobody, if the process for which it was planned has ended.
template <typename Tell>
void EventLoop::tell(std::uint32_t replica, std::uint64_t life, Tell to_process) {
    if (world_.replicas[replica].lives(life)) {
        to_process(world_.replicas[replica].process());
    }
}

void EventLoop::happen(const Planned& planned) {
    SimulatedCluster& cluster = world_.cluster;
    const std::uint32_t who = planned.a;
    // Of a happening that names a life and something else.
    const auto serial = static_cast<std::uint32_t>(planned.b);
    const std::uint64_t life = planned.b >> 32U;
    switch (planned.what) {
        case Happening::call_arrives:
            return cluster.api.calls.arrive(who);
        case Happening::call_answered:
            return cluster.api.calls.answered(who);
        case Happening::call_times_out:
            return cluster.api.calls.timed_out(who);
        case Happening::cache_advances:
            return cluster.api.caches.advance(who);
        case Happening::stream_delivers:
            return cluster.api.streams.deliver(who);
        case Happening::stream_silent:
            return cluster.api.streams.look_for_silence(who, planned.b);
        case Happening::lease_seen:
            return tell(who, life, [&](Process& process) {
                process.elector.seen(world_.store.lease_states[serial]);
            });
        case Happening::replica_starts:
            return world_.replicas[who].start();
        case Happening::replica_turn:
            return tell(who, planned.b, [](Process& process) { process.turn(); });
        case Happening::replica_wakes:
            return tell(who, planned.b, [](Process& process) { process.wakeups.turn(); });
        case Happening::watcher_pause:
            return tell(who / 2, life, [&](Process& process) {
                process.watches.of(who % 2 == 1).pause_over(serial);
            });
        case Happening::elector_wakes:
            return tell(who, life, [&](Process& process) { process.elector.wakes(serial); });
        case Happening::writer_wakes:
            return tell(who, life, [&](Process& process) { process.writer.wakes(serial); });
        case Happening::kubelet_admits:
            return cluster.kubelets.admit(who);
        case Happening::kubelet_ends:
            return cluster.kubelets.end(who);
        case Happening::application_acts:
            return cluster.applications.act(who);
        case Happening::config_map_made:
            if (cluster.applications.at(who).phase != Application::Phase::ended) {
                cluster.applications.make_conf(who);
            }
            return;
        case Happening::owner_is_gone:
            return cluster.kubelets.collect(who);
        case Happening::strike:
            return cluster.fault_injector.strike(static_cast<Fault>(who));
        case Happening::strike_ends:
            return cluster.fault_injector.end(static_cast<Fault>(who), planned.b);
        case Happening::submission:
            return cluster.submissions.submit();
        case Happening::inspection:
            return inspect();
        case Happening::calm:
            return calm_down();
        case Happening::end:
            is_over_ = true;
            return;
        case Happening::replica_is_told:
            return tell(who, planned.b, [](Process& process) { process.terminate(); });
        case Happening::drain_ends:
            return tell(who, planned.b, [](Process& process) { process.writer.cut_off(); });
        case Happening::pods_listed:
            return tell(who, planned.b, [](Process& process) { process.clients.pods.wakes(); });
        case Happening::file_changes:
            return change_file(who);
        case Happening::group_acts:
            return cluster.group_jobs.act(who);
        case Happening::group_object_made:
            return cluster.group_jobs.make_object(who);
        case Happening::group_mishap:
            return cluster.group_jobs.mishap();
        case Happening::volume_made:
            return cluster.volumes.make(who);
        case Happening::volume_mishap:
            return cluster.volumes.mishap();
        case Happening::volumes_wake:
            return tell(
                who, life, [&](Process& process) { process.clients.volumes.wakes(serial); });
        case Happening::quota_synced:
            return cluster.namespace_quotas.sync(who);
        case Happening::quota_mishap:
            return cluster.namespace_quotas.mishap();
        case Happening::demand_wakes:
            return tell(who, planned.b, [](Process& process) { process.clients.demand.wakes(); });
        case Happening::autoscaler_scans:
            return cluster.autoscaler.scan();
        case Happening::node_bought:
            return cluster.autoscaler.node_comes(who);
        case Happening::node_ready:
            return cluster.autoscaler.node_is_ready(who);
    }
}

/// Of all replicas at once; those that are down begin with it.
void EventLoop::change_file(std::uint32_t file) {
    world_.record.say([file] { return "file " + std::to_string(file); });
    const config::Schema said = schema_of_file(world_.plan, file);
    for (Replica& replica : world_.replicas) {
        replica.schema.queues = said.queues;
        replica.schema.placement = said.placement;
        replica.schema.fair_share = said.fair_share;
        if (replica.is_running()) {
            replica.process().push_answer(ConfigChanged{replica.schema});
        }
    }
}

void EventLoop::calm_down() {
    world_.faults.stop(world_.now_ms);
    world_.cluster.calm_down();
    world_.record.say([] { return std::string("calm"); });
}

void EventLoop::inspect() {
    ++world_.record.counts.inspections;
    world_.checker_suite.quiescence.inspect();
    is_over_ = world_.faults.is_calm() && all_is_done(world_);
    world_.queue.plan(world_.now_ms + inspection_gap_ms, Happening::inspection);
}

}  // namespace gang::sim
