#include "gang/sim/world.hpp"

#include "config/queues/queue_name.hpp"
#include "core/value/exclusive.hpp"
#include "gang/sim/plane/pod_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;
constexpr std::int64_t inspection_gap_ms = 2'000;
/// In a world with queues: how often the schedulers' file is another one during the faults.
constexpr std::uint32_t other_files = 3;
constexpr std::uint64_t log_kept =
    4'000;  ///< changes of pods; a watch that is further behind gets 410

/// No tenant of this world can compute it, which is all that a code has to be here.
Seal::Code code_of(std::uint64_t seed) {
    return [seed](std::string_view message) {
        Digest digest;
        digest.add(seed);
        digest.add(message);
        return std::to_string(digest.value());
    };
}

}  // namespace

void merge_annotations(core::Pod& pod, const core::StringMap& annotations) {
    for (const auto& [key, value] : annotations) {
        const auto at = std::lower_bound(
            pod.annotations.begin(),
            pod.annotations.end(),
            key,
            [](const auto& entry, const std::string& wanted) { return entry.first < wanted; });
        if (at != pod.annotations.end() && at->first == key) {
            at->second = value;
        } else {
            pod.annotations.emplace(at, key, value);
        }
    }
}

World::World(const Plan& with, Trace to)
    : plan(with),
      seal(plan.has_key ? Seal({code_of(plan.seed)}) : Seal()),
      trace(std::move(to)),
      random(plan.seed),
      faults(plan.rates, random),
      servers(*this),
      applications(*this),
      group_jobs(*this),
      volumes(*this),
      namespace_quotas(*this),
      autoscaler(*this),
      kubelets(*this),
      fault_injector(*this),
      checkers(*this),
      decision_checker(*this),
      group_checker(*this),
      card_checker(*this),
      volume_checker(*this),
      quota_checker(*this),
      demand_checker(*this) {
    store.lease_states.emplace_back();
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(plan.replicas); ++i) {
        replicas.emplace_back(*this, i);
    }
}

core::Node World::original_node(NodeId id) const {
    return originals_[id];
}

config::Schema World::schema_of_file(std::uint32_t file) const {
    config::Schema schema;
    schema.seal_key_file = plan.has_key ? "key" : "";
    if (plan.has_queues) {
        add_queues(schema, file);
    }
    schema.quota.preflight = plan.has_quotas;
    if (plan.has_autoscaler) {
        schema.autoscaling.mode = plan.asks_once ? config::AutoscalingMode::provisioning_request
                                                 : config::AutoscalingMode::capacity_buffer;
    }
    if (plan.has_backfill) {
        Random drawn(plan.seed ^ 0xBACF111BACF111ULL);
        schema.backfill.mode = drawn.percent(50) ? config::BackfillMode::easy
                                                 : config::BackfillMode::conservative;
        schema.backfill.max_bypass = drawn.percent(50) ? 100 : drawn.between(1, 4);
        for (config::Queue& said : schema.queues) {
            if (drawn.percent(30)) {
                said.backfill = drawn.percent(50) ? config::BackfillMode::off
                                                  : config::BackfillMode::conservative;
            }
        }
    }
    return schema;
}

/// A queue for most tenants, by their namespace, and one for the others. No limit is below what the
/// largest gang asks for, or it would never end.
void World::add_queues(config::Schema& schema, std::uint32_t file) const {
    Random drawn(plan.seed ^ 0x0E0E0E0E0E0E0E0EULL ^ (std::uint64_t{file} << 32U));
    const std::int64_t largest_milli = std::max(
        1'000 + 3'000 * plan.gang_max,
        plan.group_percent > 0 ? GroupJobs::largest_cpu_milli(plan.gang_max) : 0);
    const auto draw_limit = [&] {
        return config::ResourceAmounts{{"cpu", largest_milli + 1'000 * drawn.between(0, 6)}};
    };
    config::Queue root;
    root.name = config::root_queue;
    if (drawn.percent(30)) {
        root.limit = {{"cpu", 2 * largest_milli}};
    }
    schema.queues.push_back(root);
    for (int tenant = 1; tenant <= plan.tenants; ++tenant) {
        config::Queue made;
        made.name = config::full_queue_name("t" + std::to_string(tenant));
        if (drawn.percent(20)) {
            continue;
        }
        if (file > 0 && drawn.percent(15)) {
            made.state = config::QueueState::stopped;
        }
        made.weight = drawn.between(1, 5);
        const std::int64_t order = drawn.between(1, 100);
        made.order = order <= 40   ? config::QueueOrder::priority
                     : order <= 55 ? config::QueueOrder::fair
                                   : config::QueueOrder::fifo;
        if (drawn.percent(60)) {
            made.limit = draw_limit();
        }
        if (drawn.percent(20)) {
            made.user_limit = draw_limit();
        }
        if (drawn.percent(30)) {
            made.max_gangs = drawn.between(1, 4);
        }
        if (drawn.percent(30)) {
            made.guarantee = {{"cpu", 1'000 * drawn.between(1, 4)}};
        }
        schema.queues.push_back(std::move(made));
    }
    Random of_waiting(plan.seed ^ 0x0D0D0D0D0D0D0D0DULL ^ (std::uint64_t{file} << 32U));
    for (config::Queue& made : schema.queues) {
        // A step of priority is worth from seconds to minutes.
        const bool ages = of_waiting.percent(50);
        const std::int64_t points = of_waiting.between(10'000, 400'000);
        made.aging_per_hour = ages && made.order == config::QueueOrder::priority ? points : 0;
        const std::int64_t wait_ms = 1'000 * of_waiting.between(5, 120);
        made.max_wait_ms = of_waiting.percent(40) ? wait_ms : 0;
        made.is_max_wait_strict = of_waiting.percent(30);
    }
    Random of_history(plan.seed ^ 0x0A0A0A0A0A0A0A0AULL ^ (std::uint64_t{file} << 32U));
    if (of_history.percent(40)) {
        schema.fair_share.usage_half_life_ms = 1'000 * of_history.between(10, 600);
    }
    Random of_preemption(plan.seed ^ 0x0F0F0F0F0F0F0F0FULL);
    if (of_preemption.percent(50)) {
        for (config::Queue& made : schema.queues) {
            made.preemption.is_reclaimable = of_preemption.percent(60);
            if (made.order == config::QueueOrder::priority) {
                made.preemption.within_queue = config::PreemptionWithin::lower_priority;
            }
        }
        schema.preemption.across_queues = of_preemption.percent(30);
        schema.preemption.max_victims_per_minute = of_preemption.between(1, 10);
    }
    schema.placement = {
        {config::PlacementRule::Kind::annotation, {}},
        {config::PlacementRule::Kind::namespace_name, {}},
        {config::PlacementRule::Kind::fixed, std::string(config::default_queue)}};
}

std::int32_t World::draw_priority() {
    return plan.has_queues ? static_cast<std::int32_t>(random.between(-1, 1)) * 1'000 : 0;
}

void World::begin() {
    say([this] { return std::string(plan.has_key ? "sealed" : "without a key"); });
    for (NodeId id = 0; id < static_cast<NodeId>(plan.nodes); ++id) {
        core::Node node;
        node.name = "n" + std::to_string(id);
        node.allocatable.cpu_milli = 1'000 * random.between(1, plan.node_cpu_max);
        node.allocatable.memory_bytes = gibibyte * random.between(2, 4 * plan.node_cpu_max);
        node.pods = random.percent(85) ? 110 : random.between(2, 8);
        node.ready = true;
        if (plan.pool_percent > 0) {
            node.labels = {{std::string(pool_label), random.percent(50) ? "a" : "b"}};
        }
        if (plan.gpu_percent > 0 && random.percent(plan.gpu_percent)) {
            node.allocatable.extended = {{std::string(gpu_resource), random.between(1, 8)}};
        }
        if (plan.has_cards) {
            give_cards(node, random);
        }
        if (plan.rule_percent > 0) {
            label_topology(node, id, random);
        }
        originals_.push_back(node);
        create_node(id, {Actor::admin});
    }
    for (std::uint32_t i = 0; i < replicas.size(); ++i) {
        queue.plan(random.between(0, 3'000), Happening::replica_starts, i);
    }
    queue.plan(random.between(1, 2'000), Happening::submission);
    queue.plan(inspection_gap_ms, Happening::inspection);
    queue.plan(plan.chaos_ms, Happening::calm);
    const std::int64_t for_all_ms = plan.calm_ms_per_application * plan.applications;
    queue.plan(plan.chaos_ms + plan.calm_ms_max + for_all_ms, Happening::end);
    fault_injector.begin();
    group_jobs.begin();
    volumes.begin();
    namespace_quotas.begin();
    autoscaler.begin();
    if (plan.has_queues) {
        for (std::uint32_t file = 1; file <= other_files; ++file) {
            queue.plan(
                plan.chaos_ms * file / (other_files + 1), Happening::file_changes, file);
        }
        queue.plan(plan.chaos_ms, Happening::file_changes);
    }
}

void World::run() {
    begin();
    while (!is_over_ && !queue.empty() && checkers.violations().empty()) {
        if (is_for_later(queue.top())) {
            continue;
        }
        const Planned planned = queue.take();
        now_ms = planned.time_ms;
        ++counts.happenings;
        digest.add(
            static_cast<std::uint64_t>(now_ms) << 8U | static_cast<std::uint64_t>(planned.what));
        digest.add((std::uint64_t{planned.a} << 32U) ^ planned.b);
        const std::uint32_t replica = replica_of(planned);
        happen(planned);
        if (replica < replicas.size()) {
            replicas[replica].end_if_asked();
        }
    }
    if (checkers.violations().empty()) {
        checkers.at_the_end();
    }
}

/// Whom it concerns; nobody: the cluster itself.
std::uint32_t World::replica_of(const Planned& planned) const {
    switch (planned.what) {
        case Happening::call_answered:
        case Happening::call_times_out:
            return servers.replica_of_call(planned.a);
        case Happening::stream_delivers:
        case Happening::stream_silent:
            return servers.replica_of_stream(planned.a);
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
bool World::is_for_later(const Planned& planned) {
    const std::uint32_t replica = replica_of(planned);
    if (replica == nobody || replicas[replica].paused_until_ms() <= planned.time_ms) {
        return false;
    }
    const Planned moved = queue.take();
    queue.plan(replicas[replica].paused_until_ms(), moved.what, moved.a, moved.b);
    return true;
}

void World::happen(const Planned& planned) {
    const auto serial = static_cast<std::uint32_t>(planned.b);
    const std::uint64_t life = planned.b >> 32U;
    switch (planned.what) {
        case Happening::call_arrives:
            return servers.arrive(planned.a);
        case Happening::call_answered:
            if (servers.take_answer(planned.a)) {
                servers.hand_over(planned.a);
            }
            return;
        case Happening::call_times_out:
            if (servers.take_timeout(planned.a)) {
                servers.hand_over(planned.a);
            }
            return;
        case Happening::cache_advances:
            return servers.advance(planned.a);
        case Happening::stream_delivers:
            return servers.deliver(planned.a);
        case Happening::stream_silent:
            return servers.look_for_silence(planned.a, planned.b);
        case Happening::lease_seen:
            if (replicas[planned.a].lives(life)) {
                replicas[planned.a].process().elector.seen(store.lease_states[serial]);
            }
            return;
        case Happening::replica_starts:
            return replicas[planned.a].start();
        case Happening::replica_turn:
            if (replicas[planned.a].lives(planned.b)) {
                replicas[planned.a].process().turn();
            }
            return;
        case Happening::replica_wakes:
            if (replicas[planned.a].lives(planned.b)) {
                replicas[planned.a].process().wakes();
            }
            return;
        case Happening::watcher_pause:
            if (replicas[planned.a / 2].lives(life)) {
                Process& process = replicas[planned.a / 2].process();
                (planned.a % 2 == 1 ? process.nodes : process.pods).pause_over(serial);
            }
            return;
        case Happening::elector_wakes:
            if (replicas[planned.a].lives(life)) {
                replicas[planned.a].process().elector.wakes(serial);
            }
            return;
        case Happening::writer_wakes:
            if (replicas[planned.a].lives(life)) {
                replicas[planned.a].process().writer.wakes(serial);
            }
            return;
        case Happening::kubelet_admits:
            return kubelets.admit(planned.a);
        case Happening::kubelet_ends:
            return kubelets.end(planned.a);
        case Happening::application_acts:
            return applications.act(planned.a);
        case Happening::config_map_made:
            if (applications.at(planned.a).phase != Application::Phase::ended) {
                applications.make_conf(planned.a);
            }
            return;
        case Happening::owner_is_gone:
            return kubelets.collect(planned.a);
        case Happening::strike:
            return fault_injector.strike(static_cast<Fault>(planned.a));
        case Happening::strike_ends:
            return fault_injector.end(static_cast<Fault>(planned.a), planned.b);
        case Happening::submission:
            return submit();
        case Happening::inspection:
            return inspect();
        case Happening::calm:
            return calm_down();
        case Happening::end:
            is_over_ = true;
            return;
        case Happening::replica_is_told:
            if (replicas[planned.a].lives(planned.b)) {
                replicas[planned.a].process().terminate();
            }
            return;
        case Happening::drain_ends:
            if (replicas[planned.a].lives(planned.b)) {
                replicas[planned.a].process().drain_ends();
            }
            return;
        case Happening::pods_listed:
            if (replicas[planned.a].lives(planned.b)) {
                replicas[planned.a].process().pods_listed();
            }
            return;
        case Happening::file_changes:
            return change_file(planned.a);
        case Happening::group_acts:
            return group_jobs.act(planned.a);
        case Happening::group_object_made:
            return group_jobs.make_object(planned.a);
        case Happening::group_mishap:
            return group_jobs.mishap();
        case Happening::volume_made:
            return volumes.make(planned.a);
        case Happening::volume_mishap:
            return volumes.mishap();
        case Happening::volumes_wake:
            if (replicas[planned.a].lives(life)) {
                replicas[planned.a].process().volumes.wakes(serial);
            }
            return;
        case Happening::quota_synced:
            return namespace_quotas.sync(planned.a);
        case Happening::quota_mishap:
            return namespace_quotas.mishap();
        case Happening::demand_wakes:
            if (replicas[planned.a].lives(planned.b)) {
                replicas[planned.a].process().demand.wakes();
            }
            return;
        case Happening::autoscaler_scans:
            return autoscaler.scan();
        case Happening::node_bought:
            return autoscaler.node_comes(planned.a);
        case Happening::node_ready:
            return autoscaler.node_is_ready(planned.a);
    }
}

void World::submit() {
    if (is_calm) {
        return;
    }
    if (plan.group_percent > 0 && random.percent(plan.group_percent)) {
        group_jobs.submit();
        ++submitted_;
    } else if (random.percent(plan.lone_percent)) {
        submit_lone_pods();
    } else {
        applications.submit();
        ++submitted_;
    }
    if (submitted_ < plan.applications) {
        queue.plan(now_ms + random.between(1, 2 * plan.submission_gap_ms), Happening::submission);
    }
}

/// One; or some that are alike in what they ask of others, as a Deployment makes them.
void World::submit_lone_pods() {
    core::Pod pod;
    pod.namespace_name = "t1";
    pod.scheduler_name = "gang-scheduler";
    pod.created = (unix_begin_ms + now_ms) / 1'000;
    pod.requests = {random.between(1, 10) * 100, gibibyte / 4, 0, {}};
    if (plan.port_percent > 0 && random.percent(plan.port_percent)) {
        core::add_host_ports(pod.requests, {host_port});
    }
    const bool wants_card = plan.has_cards && random.percent(50);
    if (wants_card) {
        ask_for_units(pod.requests, draw_card_units(originals_, random));
    }
    std::int64_t count = 1;
    // Rules between pods may want it elsewhere than the cards are: it would wait for ever.
    if (!wants_card && plan.rule_percent > 0 && random.percent(plan.rule_percent)) {
        give_lone_rules(pod, random);
        count = random.between(1, 6);
    }
    pod.priority = draw_priority();
    for (std::int64_t i = 0; i < count; ++i) {
        pod.name = "l" + std::to_string(++lone_pods_);
        volumes.give_claims(pod);
        if (namespace_quotas.admits(pod)) {
            create_pod(pod, {Actor::tenant});
        }
    }
}

/// Of all replicas at once; those that are down begin with it.
void World::change_file(std::uint32_t file) {
    say([file] { return "file " + std::to_string(file); });
    const config::Schema said = schema_of_file(file);
    for (Replica& replica : replicas) {
        replica.schema.queues = said.queues;
        replica.schema.placement = said.placement;
        replica.schema.fair_share = said.fair_share;
        if (replica.is_running()) {
            replica.process().push_answer(ConfigChanged{replica.schema});
        }
    }
}

void World::calm_down() {
    is_calm = true;
    calm_ms = now_ms;
    faults.stop();
    fault_injector.heal();
    group_jobs.calm_down();
    namespace_quotas.calm_down();
    autoscaler.calm_down();
    say([] { return std::string("calm"); });
}

void World::inspect() {
    ++counts.inspections;
    checkers.inspect();
    is_over_ = is_calm && checkers.all_is_done();
    queue.plan(now_ms + inspection_gap_ms, Happening::inspection);
}

PodId World::create_pod(core::Pod pod, const Author& author) {
    const auto id = static_cast<PodId>(store.pods.size());
    pod.uid = "p" + std::to_string(id);
    store.pod_by_name[full_name(pod)] = id;
    store.pods.emplace_back(std::move(pod));
    pod_is_changed(id, author, Change::added);
    return id;
}

void World::pod_is_changed(PodId id, const Author& author, Change change) {
    const std::uint64_t revision = ++store.revision;
    ++counts.commits;
    core::Pod& pod = *store.pods[id];
    pod.resource_version = std::to_string(revision);
    store.pod_log.add(Entry<core::Pod>{revision, change, id, pod});
    if (store.pod_log.end() - store.pod_log.begin() > log_kept) {
        store.pod_log.forget_before(store.pod_log.end() - log_kept / 2);
    }
    const Entry<core::Pod> entry = store.pod_log.at(store.pod_log.end() - 1);
    say([&] {
        return fmt::format(
            "{} {} {} node={} phase={} deleting={}",
            revision,
            change == Change::added     ? "pod+"
            : change == Change::deleted ? "pod-"
                                        : "pod",
            full_name(pod) + "/" + pod.uid,
            pod.node_name,
            static_cast<int>(pod.phase),
            pod.deleting);
    });
    if (change == Change::deleted) {
        store.pod_by_name.erase(full_name(pod));
        store.pods[id].reset();
    }
    servers.pod_changed();
    checkers.pod_changed(entry, author);
    if (plan.has_cards) {
        card_checker.pod_changed(entry, author);
    }
    if (plan.has_volumes) {
        volume_checker.pod_changed(entry, author);
    }
    decision_checker.pod_changed(entry, author);
    kubelets.pod_changed(entry);
    applications.pod_changed(entry);
    group_jobs.pod_changed(entry);
    namespace_quotas.pod_changed(entry);
    group_checker.pod_changed(entry, author);
}

void World::remove_pod(PodId id, const Author& author) {
    pod_is_changed(id, author, Change::deleted);
}

void World::delete_pod(PodId id, const Author& author, std::int64_t grace_ms) {
    const core::Pod* pod = store.find_pod(id);
    if (pod == nullptr) {
        return;
    }
    if (pod->node_name.empty() || core::is_terminal(*pod)) {
        return remove_pod(id, author);
    }
    if (pod->deleting) {
        return;
    }
    change_pod(id, author, [](core::Pod& marked) { marked.deleting = true; });
    queue.plan(now_ms + std::max<std::int64_t>(grace_ms, 1), Happening::kubelet_ends, id);
}

void World::create_node(NodeId id, const Author& author) {
    if (id >= store.nodes.size()) {
        store.nodes.resize(id + 1);
    }
    store.nodes[id] = originals_[id];
    store.nodes[id]->uid = "u" + std::to_string(++node_lives_);
    node_is_changed(id, author, Change::added);
}

void World::node_is_changed(NodeId id, const Author& author, Change change) {
    const std::uint64_t revision = ++store.revision;
    ++counts.commits;
    core::Node& node = *store.nodes[id];
    node.resource_version = std::to_string(revision);
    store.node_log.add(Entry<core::Node>{revision, change, id, node});
    const Entry<core::Node> entry = store.node_log.at(store.node_log.end() - 1);
    say([&] {
        return fmt::format(
            "{} node {} change={} ready={} cordoned={} cpu={}",
            revision,
            node.name,
            static_cast<int>(change),
            node.ready,
            node.unschedulable,
            node.allocatable.cpu_milli);
    });
    if (change == Change::deleted) {
        store.nodes[id].reset();
    }
    servers.node_changed();
    checkers.node_changed(entry, author);
    if (change == Change::deleted) {
        kubelets.node_removed(id);
    }
}

NodeId World::add_node(core::Node node) {
    const auto id = static_cast<NodeId>(originals_.size());
    node.name = "n" + std::to_string(id);
    originals_.push_back(std::move(node));
    create_node(id, {Actor::controller});
    return id;
}

void World::remove_node(NodeId id, const Author& author) {
    node_is_changed(id, author, Change::deleted);
}

void World::set_lease(std::optional<k8s::protocol::Lease> lease) {
    ++store.revision;
    if (lease) {
        lease->resource_version = std::to_string(store.revision);
    }
    store.lease_states.push_back(std::move(lease));
    const auto number = static_cast<std::uint64_t>(store.lease_states.size() - 1);
    for (std::uint32_t i = 0; i < replicas.size(); ++i) {
        if (replicas[i].is_running() && replicas[i].process().elector.is_following()) {
            queue.plan(
                now_ms + random.between(1, plan.latency_ms_max),
                Happening::lease_seen,
                i,
                (std::uint64_t{replicas[i].life()} << 32U) | number);
        }
    }
}

void World::report(const std::string& text) {
    trace(fmt::format("{:>9.3f} {}", static_cast<double>(now_ms) / 1'000, text));
}

void World::clock_was_wrong(std::uint32_t replica) {
    checkers.clock_was_wrong(replica);
    decision_checker.clock_was_wrong(replica);
}

void World::lease_was_touched() {
    checkers.lease_was_touched();
    decision_checker.lease_was_touched();
}

void World::trace_decision(std::uint32_t replica, const Decision& decision) {
    if (const auto* bind = std::get_if<BindPod>(&decision)) {
        report(fmt::format("r{} decides: bind {} -> {}", replica, bind->pod.uid, bind->node));
        for (const auto& [key, value] : bind->annotations) {
            report(fmt::format("      {}={}", key, value));
        }
    } else if (const auto* update = std::get_if<UpdateReservation>(&decision)) {
        for (const auto& [key, value] : update->annotations) {
            report(
                fmt::format("r{} decides: {} of {} = {}", replica, key, update->driver.uid, value));
        }
    } else if (const auto* condition = std::get_if<SetCondition>(&decision)) {
        report(fmt::format(
            "r{} decides: condition {} {} fence={}",
            replica,
            condition->pod.uid,
            condition->message,
            condition->fence));
    } else if (const auto* evict = std::get_if<EvictPod>(&decision)) {
        report(fmt::format("r{} decides: evict {}", replica, evict->pod.uid));
    } else if (const auto* status = std::get_if<WriteGroupStatus>(&decision)) {
        report(fmt::format(
            "r{} decides: status of group {}: {} {}",
            replica,
            status->name,
            word(status->status.phase),
            status->status.message));
    } else if (const auto* down = std::get_if<StepDown>(&decision)) {
        report(fmt::format("r{} steps down: {}", replica, down->why));
    }
}

}  // namespace gang::sim
