#include "gang/sim/checkers/decision_checker.hpp"

#include "config/queues/backfill_modes.hpp"
#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

/// As long a leader waits for confs at most (gang/model/leadership_term.hpp), less a little for the
/// fence.
constexpr std::int64_t first_plan_ms = 1'900;
/// A node whose kubelet has refused a pod is not used for a while
/// (gang/model/cluster/node_quarantine.hpp).
constexpr std::int64_t quarantine_ms = 60'000;

constexpr std::int64_t slots_read_max = 1'000'000;

using Rank = std::pair<std::int64_t, std::string>;

Rank rank_of(const core::Pod& pod) {
    return {pod.created, pod.uid};
}

bool is_waiting(const core::Pod& pod) {
    return pod.node_name.empty() && !core::is_terminal(pod) && !pod.deleting && !pod.gated;
}

bool share_nodes(const std::string& pool, const std::string& other) {
    return pool.empty() || other.empty() || pool == other;
}

}  // namespace

void DecisionChecker::process_started(std::uint32_t replica) {
    if (replica >= views_.size()) {
        views_.resize(replica + 1);
    }
    views_[replica] = {};
    rules_.process_started(replica);
    views_[replica].headroom_cpu_milli = world_.replicas[replica].schema.nodes.headroom_cpu_milli;
    views_[replica].file = world_.replicas[replica].schema;
}

void DecisionChecker::event_applied(std::uint32_t replica, const Event& event) {
    View& view = views_[replica];
    rules_.event_applied(replica, event);
    if (const auto* upserted = std::get_if<PodUpserted>(&event)) {
        view.pods[number_of(upserted->pod.uid)] = upserted->pod;
        if (core::is_refused_by_kubelet(upserted->pod)) {
            view.refused_ms[upserted->pod.node_name] = world_.now_ms;
        }
    } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
        view.pods.erase(number_of(deleted->uid));
    } else if (const auto* node = std::get_if<NodeUpserted>(&event)) {
        view.nodes[node->node.name] = node->node;
    } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
        view.nodes.erase(gone->name);
    } else if (const auto* found = std::get_if<SparkConfFound>(&event)) {
        view.confs.insert(number_of(found->driver_uid));
    } else if (const auto* missing = std::get_if<SparkConfMissing>(&event)) {
        view.confs.insert(number_of(missing->driver_uid));
    } else if (const auto* changed = std::get_if<ConfigChanged>(&event)) {
        view.file = *changed->config;
    } else if (std::holds_alternative<LeadershipGained>(event)) {
        view.leads_since_ms = world_.now_ms;
    }
}

bool DecisionChecker::is_driver(PodId pod) const {
    const ApplicationId application = world_.applications.find(pod);
    return application != nobody && world_.applications.at(application).driver == pod;
}

bool DecisionChecker::was_tampered(PodId driver) const {
    const core::Pod* pod = world_.store.find_pod(driver);
    const ApplicationId application = world_.applications.find(driver);
    return pod == nullptr || application == nobody ||
           world_.applications.at(application).was_tampered ||
           world_.applications.at(application).conf_was_edited ||
           core::find_value(pod->labels, "edited") != nullptr;
}

void DecisionChecker::decided(std::uint32_t replica, const Process& process, const BindPod& bind) {
    const auto shown = views_[replica].pods.find(number_of(bind.pod.uid));
    const bool is_there = shown != views_[replica].pods.end();
    if (!is_there || !is_waiting(shown->second)) {
        world_.checkers.violated(
            "bind-only-ours",
            fmt::format("r{} binds {}, which it saw is not to be bound", replica, bind.pod.name));
        return;
    }
    if (bind.resource_version.empty() || bind.pod.uid.empty()) {
        world_.checkers.violated(
            "preconditions", fmt::format("r{} binds {} in any state", replica, bind.pod.name));
    }
    rules_.decided(replica, views_[replica].pods, views_[replica].nodes, bind);
    if (world_.plan.has_queues) {
        check_quota(replica, process, bind);
    }
    if (bind.starts_gang) {
        check_order(replica, process, bind);
        check_first_plan(replica, process, shown->second);
    }
}

/// Another pod of its group, which bore the reservation, has ended by itself: the rest of that gang
/// is one victim.
void DecisionChecker::count_with_ended_anchor(View& view, PodId member) const {
    for (const PodId other : world_.group_jobs.pods_of(world_.group_jobs.find(member))) {
        const auto shown = view.pods.find(other);
        if (shown != view.pods.end() && core::is_terminal(shown->second) &&
            world_.checkers.capacity_model().find_gang(other) != nullptr) {
            view.evicted.insert(shown->second.uid);
        }
    }
}

/// Another pod of its group, which bears the reservation, has been asked to go or is going.
bool DecisionChecker::goes_with_anchor(const View& view, PodId member) const {
    const auto& pods = world_.group_jobs.pods_of(world_.group_jobs.find(member));
    return std::any_of(pods.begin(), pods.end(), [&](PodId other) {
        const auto shown = view.pods.find(other);
        return other != member && world_.checkers.capacity_model().find_gang(other) != nullptr &&
               (shown == view.pods.end() || shown->second.deleting ||
                view.evicted.contains(shown->second.uid));
    });
}

/// Its gang can do with less than it has, and what it is to keep stands in its reservation, as that
/// was shown. (A tenant may have changed that.)
bool DecisionChecker::keeps_minimum(const core::Pod& driver) const {
    const std::string* const text = core::find_value(driver.annotations, reservation_annotation);
    const auto read = decode_reservation(text == nullptr ? "" : *text, slots_read_max);
    if (!read) {
        return was_tampered(number_of(driver.uid));
    }
    return std::any_of(read->shapes.begin(), read->shapes.end(), [](const ReservedShape& shape) {
        std::int64_t count = shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            count += slots;
        }
        return shape.min && count >= *shape.min;
    });
}

void DecisionChecker::evicts(
    std::uint32_t replica, const Process& process, const EvictPod& decision) {
    View& view = views_[replica];
    const auto wrong = [&](const char* what) {
        world_.checkers.violated(
            "eviction", fmt::format("r{} evicts {}: {}", replica, decision.pod.name, what));
    };
    ++world_.counts.evictions;
    const auto shown = view.pods.find(number_of(decision.pod.uid));
    // The answer to a bind may be there before the watch shows it.
    const core::Pod* const stored = world_.store.find_pod(number_of(decision.pod.uid));
    if (shown == view.pods.end() ||
        (shown->second.node_name.empty() && (stored == nullptr || stored->node_name.empty()))) {
        return wrong("it was not shown on a node");
    }
    const core::Pod& pod = shown->second.node_name.empty() ? *stored : shown->second;
    const ApplicationId application = world_.applications.find(shown->first);
    const std::string* const slot = core::find_value(pod.annotations, slot_annotation);
    const bool is_driver_pod = is_driver(shown->first);
    // Not every executor names its driver as its owner.
    const auto driver = application == nobody || is_driver_pod
                            ? view.pods.end()
                            : view.pods.find(world_.applications.at(application).driver);
    const bool is_of_ended = application != nobody && !is_driver_pod &&
                             (driver == view.pods.end() || driver->second.deleting ||
                              view.evicted.contains(driver->second.uid));
    if (is_of_ended) {
        return;
    }
    const bool is_of_group = world_.group_jobs.find(shown->first) != nobody;
    if (is_of_group && goes_with_anchor(view, shown->first)) {
        return;
    }
    // The others go for a gang that waits.
    const std::vector<GangView> gangs = process.scheduler.gangs();
    if (std::none_of(gangs.begin(), gangs.end(), [](const GangView& gang) {
            return gang.code == ReasonCode::waiting_for_preemption;
        })) {
        wrong("for nobody");
    }
    const bool is_in_slot =
        !is_driver_pod && !is_of_group && slot != nullptr && *slot != surplus_slot;
    if (is_in_slot && (driver == view.pods.end() || !keeps_minimum(driver->second))) {
        wrong("a part of a gang that stays");
    }
    if (is_driver_pod || is_of_group) {
        view.evicted.insert(decision.pod.uid);
    }
    if (is_of_group) {
        count_with_ended_anchor(view, shown->first);
    }
    const std::int64_t now_ms = process.unix_ms();
    view.victims_ms.push_back(now_ms);
    while (view.victims_ms.front() <= now_ms - 60'000) {
        view.victims_ms.pop_front();
    }
    if (static_cast<std::int64_t>(view.victims_ms.size()) >
        world_.replicas[replica].schema.preemption.max_victims_per_minute) {
        wrong("one too many in a minute");
    }
}

/// A gang that cannot be placed is in nobody's way, and those behind a blocked head are told so
/// only at the next look at all. So here is what it could have, of what the process was shown:
/// every usable node's room beside the pods of others and the headroom.
bool DecisionChecker::could_fit(std::uint32_t replica, PodId driver) const {
    const View& view = views_[replica];
    const Application& one = world_.applications.at(world_.applications.find(driver));
    if (one.rules.must_be_in_one_zone() || one.has_volumes) {
        return false;  // which zone it could have, and which volumes are where, is not asked here
    }
    const config::Nodes& kept = world_.replicas[replica].schema.nodes;
    std::map<std::string, Amount> taken;
    for (const auto& [id, pod] : view.pods) {
        const bool is_foreign = world_.applications.find(id) == nobody;
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
        const std::int64_t by_cards = one.card_units == 0     ? free.pods
                                      : taken[name].units > 0 ? 0
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

/// Beside what its queue, and those above it, hold already; where users have limits, that is not said.
bool DecisionChecker::has_quota(
    const std::vector<QueueView>& queues, const std::string& queue, PodId driver) const {
    const Application& one = world_.applications.at(world_.applications.find(driver));
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
Standing DecisionChecker::standing(
    std::uint32_t replica, const Process& process, const std::string& queue, PodId id) const {
    const View& view = views_[replica];
    const core::Pod& pod = view.pods.at(id);
    const ApplicationId application = world_.applications.find(id);
    Standing made = standing_of(
        words_of(view.file, queue),
        pod.created,
        pod.priority,
        application == nobody ? 0 : world_.applications.at(application).max_wait_s,
        pod.uid,
        process.unix_ms());
    if (view.clock_wrong_ms >= 0 && made.due != Standing::Due::not_yet) {
        made.due = Standing::Due::maybe;
    }
    return made;
}

void DecisionChecker::count_overdue(const Standing& admitted) {
    if (admitted.due == Standing::Due::overdue) {
        ++world_.counts.overdue_started;
        world_.counts.overdue_strict_started += admitted.is_strict ? 1 : 0;
    }
}

/// Gangs for one pool are in nobody's way who is for the other one; all others that wait for room
/// are in the way of all. Executors without a slot are in nobody's way. Nor is a gang that
/// rules between pods kept waiting, though others have taken its room since, in the same step.
void DecisionChecker::check_order(
    std::uint32_t replica, const Process& process, const BindPod& bind) {
    const auto& pods = views_[replica].pods;
    const PodId driver = number_of(bind.pod.uid);
    const auto pool_of = [this](PodId id) {
        const ApplicationId application = world_.applications.find(id);
        return application == nobody ? std::string() : world_.applications.at(application).pool;
    };
    // Who waits for a port alone is in nobody's way who wants none; whether it does is not said.
    // Without executors a gang wants none.
    const auto may_want_port = [this](PodId id) {
        const ApplicationId application = world_.applications.find(id);
        return application != nobody && world_.applications.at(application).has_port;
    };
    const auto wants_port = [&](PodId id) {
        if (!may_want_port(id)) {
            return false;
        }
        const auto& ever = world_.applications.at(world_.applications.find(id)).ever;
        return std::find(ever.begin(), ever.end(), 0) == ever.end();
    };
    // Nodes that come are for those who were asked for.
    if (world_.plan.has_autoscaler && world_.demand_checker.is_asked(replica, bind.pod.uid)) {
        return;
    }
    const std::vector<GangView> gangs = process.scheduler.gangs();
    // With queues: those of the same queue, and of any whom nobody is to pass. Which queue has its
    // turn is held against the definition in tests/gang/shares.
    std::string queue;
    for (const GangView& gang : gangs) {
        queue = gang.driver_uid == bind.pod.uid ? gang.queue : queue;
    }
    const Standing own = standing(replica, process, queue, driver);
    count_overdue(own);
    // Who others were evicted for goes first, whoever could be placed meanwhile.
    const std::vector<config::Queue>& said = views_[replica].file.queues;
    const bool has_evictions = std::any_of(said.begin(), said.end(), [](const config::Queue& one) {
        return one.preemption != config::QueuePreemption{};
    });
    const std::vector<QueueView> queues = process.scheduler.queues();
    for (const GangView& gang : gangs) {
        const auto other = pods.find(number_of(gang.driver_uid));
        const bool waits =
            gang.state == GangState::waiting && (gang.code == ReasonCode::waiting_for_capacity ||
                                                 gang.code == ReasonCode::waiting_for_nodes ||
                                                 gang.code == ReasonCode::waiting_in_queue);
        if (!waits || other == pods.end() || !is_driver(other->first) ||
            was_tampered(other->first) || !share_nodes(pool_of(other->first), pool_of(driver)) ||
            is_reached_by_rules(other->second, pods)) {
            continue;
        }
        const Standing standing_of_other = standing(replica, process, gang.queue, other->first);
        const bool is_strict = is_passed_by_none(standing_of_other, own);
        const bool is_before =
            is_strict || (gang.queue == queue && !has_evictions && goes_first(standing_of_other, own) &&
                          (!may_want_port(other->first) || wants_port(driver)));
        if (!is_before || !could_fit(replica, other->first)) {
            continue;
        }
        // In a queue by creation who waits for quota is told so, and others wait for it.
        const bool is_by_creation = own.order == config::QueueOrder::fifo && !is_strict;
        if ((!is_by_creation && !has_quota(queues, gang.queue, other->first)) ||
            (!is_strict && may_be_passed(replica, gang))) {
            continue;
        }
        // Its queue keeps its order: those before it in there may wait for quota.
        const bool is_kept_by_queue =
            std::any_of(gangs.begin(), gangs.end(), [&](const GangView& before) {
                return before.queue == gang.queue && before.code == ReasonCode::waiting_for_quota &&
                       goes_first(
                           standing(replica, process, before.queue, number_of(before.driver_uid)),
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

/// Of whom it binds first: a driver with all its slots, a lone pod, an executor beyond its gang's
/// slots. That usage is what a count from scratch finds is one of its accounts. What was above
/// a limit before, since more came back at a start or an executor is larger than declared, stays.
void DecisionChecker::check_quota(
    std::uint32_t replica, const Process& process, const BindPod& bind) {
    const std::string* const slot = core::find_value(bind.annotations, slot_annotation);
    const bool is_in_slot = slot != nullptr && *slot != surplus_slot &&
                            !slot->ends_with("/" + std::string(unnumbered_slot));
    if (is_in_slot) {
        return;
    }
    const core::Pod& pod = views_[replica].pods.at(number_of(bind.pod.uid));
    std::string queue;
    const auto explained = process.scheduler.explain(bind.pod.uid);
    if (explained) {
        queue = explained->gang.queue;
    }
    const auto is_above = [](const QueueView& view, const core::ExtendedResource& limit) {
        return limit.name == "cpu" && view.usage.cpu_milli > limit.amount;
    };
    for (const QueueView& view : process.scheduler.queues()) {
        const bool is_charged = queue == view.name || queue.starts_with(view.name + ".");
        const bool is_over =
            std::any_of(view.limit.begin(), view.limit.end(), [&](const auto& limit) {
                return is_above(view, limit);
            });
        const bool has_too_many =
            bind.starts_gang && view.max_gangs && view.running > *view.max_gangs;
        const bool is_shut = view.name == queue && view.is_stopped && slot == nullptr;
        if (is_shut) {
            world_.checkers.violated(
                "quota",
                fmt::format("r{} binds {} in queue {}, which is stopped", replica, pod.name, queue));
            return;
        }
        if (is_charged && (is_over || has_too_many)) {
            world_.checkers.violated(
                "quota",
                fmt::format(
                    "r{} binds {}, and queue {} holds {} in {} gangs, of {}m cpu in {}",
                    replica,
                    pod.name,
                    view.name,
                    core::describe(view.usage),
                    view.running,
                    view.limit.empty() ? -1 : view.limit.front().amount,
                    view.max_gangs.value_or(-1)));
            return;
        }
    }
}

void DecisionChecker::check_first_plan(
    std::uint32_t replica, const Process& process, const core::Pod& admitted) {
    const View& view = views_[replica];
    const bool is_first = view.leads_since_ms >= 0 &&
                          process.clock_was_right_since(view.leads_since_ms) &&
                          world_.now_ms - view.leads_since_ms < first_plan_ms;
    for (const auto& [id, pod] : view.pods) {
        if (is_first && is_driver(id) && !was_tampered(id) && is_waiting(pod) &&
            rank_of(pod) < rank_of(admitted) && !view.confs.contains(id) &&
            world_.checkers.capacity_model().seen(id).created_ms < world_.now_ms - 5'000) {
            world_.checkers.violated(
                "first-plan",
                fmt::format(
                    "r{} admits {} before it knows what {} is", replica, admitted.name, pod.name));
            return;
        }
    }
}

void DecisionChecker::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    const Seen& seen = world_.checkers.capacity_model().seen(entry.id);
    const bool is_first_bind = seen.bound_revision == entry.revision;
    if (author.actor == Actor::scheduler && is_first_bind) {
        if (is_driver(entry.id)) {
            check_headroom(entry, author);
        } else if (world_.applications.find(entry.id) != nobody && seen.gang == nobody) {
            check_extra_slot(entry, author);
        }
    }
    rules_.pod_changed(entry, author, is_first_bind);
    gangs_moved_[entry.id] = entry.revision;
    if (seen.gang != nobody) {
        gangs_moved_[seen.gang] = entry.revision;
    }
    // One that went before its bind was carried out may have had the slot that is open now.
    const ApplicationId application = world_.applications.find(entry.id);
    if (application != nobody && entry.change == Change::deleted && !seen.is_bound) {
        gangs_moved_[world_.applications.at(application).driver] = entry.revision;
    }
}

void DecisionChecker::check_headroom(const Entry<core::Pod>& entry, const Author& author) {
    const Replica& replica = world_.replicas[author.replica];
    const GangRecord* gang = world_.checkers.capacity_model().find_gang(entry.id);
    if (gang == nullptr || replica.life() != author.life) {
        return;
    }
    const std::int64_t kept = views_[author.replica].headroom_cpu_milli;
    for (const NodeId node : gang->nodes) {
        const CapacityModel& capacity_model = world_.checkers.capacity_model();
        if (kept > 0 && !world_.checkers.is_excused(node, author) &&
            capacity_model.usage(node).cpu_milli >
                capacity_model.allocatable(node).cpu_milli - kept) {
            world_.checkers.violated(
                "headroom",
                fmt::format("{} is admitted into the headroom of n{}", entry.object.name, node));
        }
    }
}

/// Executors on their way may be meant for slots that are open here still.
void DecisionChecker::check_extra_slot(const Entry<core::Pod>& entry, const Author& author) {
    const Application& one = world_.applications.at(world_.applications.find(entry.id));
    const CapacityModel& capacity_model = world_.checkers.capacity_model();
    const GangRecord* gang = capacity_model.find_gang(one.driver);
    if (one.by_set || gang == nullptr || !gang->is_live || !gang->has_reservation ||
        was_tampered(one.driver) || gangs_moved_[one.driver] > author.pods_seen) {
        return;
    }
    std::int64_t open = 0;
    for (const NodeId id : std::set<NodeId>(gang->nodes.begin(), gang->nodes.end())) {
        const core::Node* node = world_.store.find_node(id);
        const NodeSlots& node_slots = capacity_model.node_slots(id).at(one.driver);
        const bool is_usable = node != nullptr && node->ready && !node->unschedulable &&
                               node->taints.empty() && !world_.checkers.is_excused(id, author);
        const bool is_alike = !node_slots.sizes.empty() &&
                              node_slots.sizes.front().unit == capacity_model.seen(entry.id).amount;
        open += is_usable && is_alike ? node_slots.open() : 0;
    }
    const auto unbound =
        std::count_if(one.executors.begin(), one.executors.end(), [&capacity_model](PodId id) {
            return !capacity_model.seen(id).is_bound;
        });
    if (open > unbound) {
        world_.checkers.violated(
            "extra-slot",
            fmt::format(
                "{} is bound beside its gang, which has {} open slots", entry.object.name, open));
    }
}

void DecisionChecker::sent(std::uint32_t replica, const std::string& holder) {
    const auto& lease = world_.store.lease();
    if (world_.now_ms < lease_counts_from_ms_ || !lease || lease->holder.empty() ||
        lease->holder == holder) {
        return;
    }
    world_.checkers.violated(
        "lease", fmt::format("r{} writes while {} holds the lease", replica, lease->holder));
}

/// A Lease that is deleted takes its epoch with it; what a clock says then may be less.
/// With backfill, and not more often than the file says.
bool DecisionChecker::may_be_passed(std::uint32_t replica, const GangView& gang) {
    const config::Schema& schema = world_.replicas[replica].schema;
    if (config::backfill_of(schema, gang.queue) == config::BackfillMode::off) {
        return false;
    }
    std::int64_t& passed = views_[replica].passed[gang.driver_uid];
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

void DecisionChecker::leads(std::uint32_t replica, std::int64_t epoch) {
    if (epoch <= epoch_ && !lease_was_touched_) {
        world_.checkers.violated(
            "epochs",
            fmt::format("r{} leads with epoch {}, the last one was {}", replica, epoch, epoch_));
    }
    epoch_ = std::max(epoch_, epoch);
}

void DecisionChecker::clock_was_wrong(std::uint32_t replica) {
    if (replica < views_.size()) {
        views_[replica].leads_since_ms = -1;  // its two seconds are not ours
        views_[replica].clock_wrong_ms = world_.now_ms;
    }
    lease_counts_from_ms_ = world_.now_ms + lease_doubtful_ms;
}

void DecisionChecker::lease_was_touched() {
    lease_was_touched_ = true;
    lease_counts_from_ms_ = world_.now_ms + lease_doubtful_ms;
}

}  // namespace gang::sim
