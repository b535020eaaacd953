#include "gang/sim/checkers/decisions/order_checker.hpp"

#include "config/queues/backfill_modes.hpp"
#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/sim/checkers/decisions/drivers.hpp"
#include "gang/sim/checkers/decisions/shown_view.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

/// A node whose kubelet has refused a pod is not used for a while
/// (gang/model/cluster/node_quarantine.hpp).
constexpr std::int64_t quarantine_ms = 60'000;

const Application& application_of(World& world, PodId driver) {
    return world.cluster.applications.at(world.cluster.applications.find(driver));
}

std::string pool_of(World& world, PodId driver) {
    const bool is_known = world.cluster.applications.find(driver) != nobody;
    return is_known ? application_of(world, driver).pool : std::string();
}

bool share_nodes(const std::string& pool, const std::string& other) {
    return pool.empty() || other.empty() || pool == other;
}

// Who waits for a port alone is in nobody's way who wants none; whether it does is not said.
bool may_want_port(World& world, PodId driver) {
    return world.cluster.applications.find(driver) != nobody &&
           application_of(world, driver).has_port;
}

/// Without executors a gang wants none.
bool wants_port(World& world, PodId driver) {
    if (!may_want_port(world, driver)) {
        return false;
    }
    const auto& ever = application_of(world, driver).ever;
    return std::find(ever.begin(), ever.end(), 0) == ever.end();
}

/// Beside what its queue, and those above it, hold already; where users have limits, that is not
/// said.
bool has_quota(
    const std::vector<QueueView>& queues, const std::string& queue, const Application& one) {
    const std::int64_t most = *std::max_element(one.ever.begin(), one.ever.end());
    const std::int64_t needs = one.driver_cpu_milli + most * one.cpu_milli;
    return std::all_of(queues.begin(), queues.end(), [&](const QueueView& view) {
        const bool is_charged = queue == view.name || queue.starts_with(view.name + ".");
        return !is_charged ||
               (view.user_limit.empty() && !view.is_stopped &&
                (!view.max_gangs || view.running < *view.max_gangs) &&
                (view.limit.empty() || view.usage.cpu_milli + needs <= view.limit.front().amount));
    });
}

/// By its clock, which may have been wrong.
Standing standing(
    World& world,
    const Process& process,
    const ShownView& view,
    const std::string& queue,
    PodId id) {
    const core::Pod& pod = view.pods.at(id);
    const ApplicationId application = world.cluster.applications.find(id);
    Standing made = standing_of(
        words_of(view.file, queue),
        pod.created,
        pod.priority,
        application == nobody ? 0 : world.cluster.applications.at(application).max_wait_s,
        pod.uid,
        process.time.unix_ms());
    if (view.clock_wrong_ms >= 0 && made.due != Standing::Due::not_yet) {
        made.due = Standing::Due::maybe;
    }
    return made;
}

}  // namespace

void OrderChecker::process_started(std::uint32_t replica) {
    if (replica >= passed_.size()) {
        passed_.resize(replica + 1);
    }
    passed_[replica].clear();
}

/// A gang that cannot be placed is in nobody's way, and those behind a blocked head are told so
/// only at the next look at all. So here is what it could have, of what the process was shown:
/// every usable node's room beside the pods of others and the headroom.
bool OrderChecker::could_fit(std::uint32_t replica, const ShownView& view, PodId driver) const {
    const Application& one =
        world_.cluster.applications.at(world_.cluster.applications.find(driver));
    if (one.rules.must_be_in_one_zone() || one.has_volumes) {
        return false;  // which zone it could have, and which volumes are where, is not asked here
    }
    const config::Nodes& kept = world_.replicas[replica].schema.nodes;
    std::map<std::string, Amount> taken;
    for (const auto& [id, pod] : view.pods) {
        const bool is_foreign = world_.cluster.applications.find(id) == nobody;
        if (is_foreign && !pod.node_name.empty() && !core::is_terminal(pod)) {
            taken[pod.node_name].add(amount_of(pod.requests), 1);
        }
    }
    const Amount unit{
        one.cpu_milli, one.memory_mib * 1024 * 1024, 1, one.gpus, one.has_port ? 1 : 0};
    const core::Resources& wanted = view.pods.at(driver).requests;
    const auto times = [&unit](const Amount& free) {
        std::int64_t count = std::min(
            {free.cpu_milli / unit.cpu_milli, free.memory_bytes / unit.memory_bytes, free.pods});
        if (unit.gpus > 0) {
            count = std::min(count, free.gpus / unit.gpus);
        }
        if (unit.ports > 0) {
            count = std::min(count, free.ports);
        }
        return std::max<std::int64_t>(0, count);
    };
    std::int64_t executors = 0;
    std::int64_t least_loss = -1;
    for (const auto& [name, node] : view.nodes) {
        const auto refused = view.refused_ms.find(name);
        const bool is_quarantined =
            refused != view.refused_ms.end() && world_.now_ms - refused->second < quarantine_ms;
        if (!node.ready || node.unschedulable || !node.taints.empty() || is_quarantined ||
            !is_in_pool(node, one.pool)) {
            continue;
        }
        Amount free{
            node.allocatable.cpu_milli - kept.headroom_cpu_milli,
            node.allocatable.memory_bytes - kept.headroom_memory_bytes,
            node.pods,
            node.allocatable.extended_amount(gpu_resource),
            1};
        free.add(taken[name], -1);
        // Of which card others have units is not asked here.
        const std::int64_t by_cards = one.card_units == 0 ? free.pods
                                      : taken[name].units > 0
                                          ? 0
                                          : times_on_cards(node, one.card_units);
        const std::int64_t alone = std::min(times(free), by_cards);
        executors += alone;
        free.add({wanted.cpu_milli, wanted.memory_bytes, 1}, -1);
        if (free.cpu_milli >= 0 && free.memory_bytes >= 0 && free.pods >= 0) {
            const std::int64_t loss = alone - std::min(times(free), by_cards);
            least_loss = least_loss < 0 ? loss : std::min(least_loss, loss);
        }
    }
    return least_loss >= 0 && executors - least_loss >= one.declared;
}

void OrderChecker::count_overdue(const Standing& admitted) {
    if (admitted.due == Standing::Due::overdue) {
        ++world_.record.counts.overdue_started;
        world_.record.counts.overdue_strict_started += admitted.is_strict ? 1 : 0;
    }
}

/// With backfill, and not more often than the file says.
bool OrderChecker::may_be_passed(std::uint32_t replica, const GangView& gang) {
    const config::Schema& schema = world_.replicas[replica].schema;
    if (config::backfill_of(schema, gang.queue) == config::BackfillMode::off) {
        return false;
    }
    std::int64_t& passed = passed_[replica][gang.driver_uid];
    ++passed;
    if (passed > schema.backfill.max_bypass) {
        world_.checkers.violated(
            "bypass",
            fmt::format(
                "{} has been passed {} times, {} at most",
                gang.driver,
                passed,
                schema.backfill.max_bypass));
    }
    return true;
}

/// Gangs for one pool are in nobody's way who is for the other one; all others that wait for room
/// are in the way of all. Executors without a slot are in nobody's way. Nor is a gang that
/// rules between pods kept waiting, though others have taken its room since, in the same step.
void OrderChecker::check(
    std::uint32_t replica, const Process& process, const ShownView& view, const BindPod& bind) {
    const PodId driver = number_of(bind.pod.uid);
    // Nodes that come are for those who were asked for.
    if (world_.plan.has_autoscaler && world_.checker_suite.demand.is_asked(replica, bind.pod.uid)) {
        return;
    }
    const std::vector<GangView> gangs = process.scheduler.gangs();
    // With queues: those of the same queue, and of any whom nobody is to pass. Which queue has its
    // turn is held against the definition in tests/gang/shares.
    std::string queue;
    for (const GangView& gang : gangs) {
        queue = gang.driver_uid == bind.pod.uid ? gang.queue : queue;
    }
    const Standing own = standing(world_, process, view, queue, driver);
    count_overdue(own);
    // Who others were evicted for goes first, whoever could be placed meanwhile.
    const std::vector<config::Queue>& said = view.file.queues;
    const bool has_evictions = std::any_of(said.begin(), said.end(), [](const config::Queue& one) {
        return one.preemption != config::QueuePreemption{};
    });
    const std::vector<QueueView> queues = process.scheduler.queues();
    for (const GangView& gang : gangs) {
        const auto other = view.pods.find(number_of(gang.driver_uid));
        const bool waits =
            gang.state == GangState::waiting && (gang.code == ReasonCode::waiting_for_capacity ||
                                                 gang.code == ReasonCode::waiting_for_nodes ||
                                                 gang.code == ReasonCode::waiting_in_queue);
        if (!waits || other == view.pods.end() || !is_driver(world_, other->first) ||
            was_tampered(world_, other->first) ||
            !share_nodes(pool_of(world_, other->first), pool_of(world_, driver)) ||
            is_reached_by_rules(other->second, view.pods)) {
            continue;
        }
        const Standing standing_of_other =
            standing(world_, process, view, gang.queue, other->first);
        const bool is_strict = is_passed_by_none(standing_of_other, own);
        const bool is_before =
            is_strict ||
            (gang.queue == queue && !has_evictions && goes_first(standing_of_other, own) &&
             (!may_want_port(world_, other->first) || wants_port(world_, driver)));
        if (!is_before || !could_fit(replica, view, other->first)) {
            continue;
        }
        // In a queue by creation who waits for quota is told so, and others wait for it.
        const bool is_by_creation = own.order == config::QueueOrder::fifo && !is_strict;
        if ((!is_by_creation &&
             !has_quota(queues, gang.queue, application_of(world_, other->first))) ||
            (!is_strict && may_be_passed(replica, gang))) {
            continue;
        }
        // Its queue keeps its order: those before it in there may wait for quota.
        const bool is_kept_by_queue =
            std::any_of(gangs.begin(), gangs.end(), [&](const GangView& before) {
                return before.queue == gang.queue && before.code == ReasonCode::waiting_for_quota &&
                       goes_first(
                           standing(
                               world_, process, view, before.queue, number_of(before.driver_uid)),
                           standing_of_other);
            });
        if (is_strict && is_kept_by_queue) {
            continue;
        }
        world_.checkers.violated(
            is_strict ? "overdue" : "fifo",
            fmt::format(
                "r{} admits {} while {}, which goes first, waits: {}",
                replica,
                bind.pod.name,
                gang.driver,
                gang.message));
        return;
    }
}

}  // namespace gang::sim
