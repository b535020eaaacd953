#include "gang/sim/checkers/decisions/decision_checker.hpp"

#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/sim/checkers/decisions/drivers.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

/// As long a leader waits for confs at most (gang/model/leadership_term.hpp), less a little for the
/// fence.
constexpr std::int64_t first_plan_ms = 1'900;

using Rank = std::pair<std::int64_t, std::string>;

Rank rank_of(const core::Pod& pod) {
    return {pod.created, pod.uid};
}

bool is_waiting(const core::Pod& pod) {
    return pod.node_name.empty() && !core::is_terminal(pod) && !pod.deleting && !pod.gated;
}

}  // namespace

void DecisionChecker::process_started(std::uint32_t replica) {
    if (replica >= views_.size()) {
        views_.resize(replica + 1);
    }
    views_[replica] = {};
    rules_.process_started(replica);
    order_.process_started(replica);
    evictions_.process_started(replica);
    views_[replica].headroom_cpu_milli = world_.replicas[replica].schema.nodes.headroom_cpu_milli;
    views_[replica].file = world_.replicas[replica].schema;
}

void DecisionChecker::event_applied(std::uint32_t replica, const Event& event) {
    rules_.event_applied(replica, event);
    views_[replica].apply(event, world_.now_ms);
}

void DecisionChecker::decided(std::uint32_t replica, const Process& process, const BindPod& bind) {
    const ShownView& view = views_[replica];
    const auto shown = view.pods.find(number_of(bind.pod.uid));
    const bool is_there = shown != view.pods.end();
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
    rules_.decided(replica, view.pods, view.nodes, bind);
    if (world_.plan.has_queues) {
        check_quota(replica, process, bind);
    }
    if (bind.starts_gang) {
        order_.check(replica, process, view, bind);
        check_first_plan(replica, process, shown->second);
    }
}

void DecisionChecker::evicts(
    std::uint32_t replica, const Process& process, const EvictPod& decision) {
    evictions_.check(replica, process, views_[replica], decision);
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
                fmt::format(
                    "r{} binds {} in queue {}, which is stopped", replica, pod.name, queue));
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
    const ShownView& view = views_[replica];
    const bool is_first = view.leads_since_ms >= 0 &&
                          process.time.was_right_since(view.leads_since_ms) &&
                          world_.now_ms - view.leads_since_ms < first_plan_ms;
    for (const auto& [id, pod] : view.pods) {
        if (is_first && is_driver(world_, id) && !was_tampered(world_, id) && is_waiting(pod) &&
            rank_of(pod) < rank_of(admitted) && !view.confs.contains(id) &&
            world_.checkers.capacity_model().pods()[id].created_ms < world_.now_ms - 5'000) {
            world_.checkers.violated(
                "first-plan",
                fmt::format(
                    "r{} admits {} before it knows what {} is", replica, admitted.name, pod.name));
            return;
        }
    }
}

void DecisionChecker::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    const Seen& seen = world_.checkers.capacity_model().pods()[entry.id];
    const bool is_first_bind = seen.bound_revision == entry.revision;
    if (author.actor == Actor::scheduler && is_first_bind) {
        if (is_driver(world_, entry.id)) {
            check_headroom(entry, author);
        } else if (world_.cluster.applications.find(entry.id) != nobody && seen.gang == nobody) {
            check_extra_slot(entry, author);
        }
    }
    rules_.pod_changed(entry, author, is_first_bind);
    gangs_moved_[entry.id] = entry.revision;
    if (seen.gang != nobody) {
        gangs_moved_[seen.gang] = entry.revision;
    }
    // One that went before its bind was carried out may have had the slot that is open now.
    const ApplicationId application = world_.cluster.applications.find(entry.id);
    if (application != nobody && entry.change == Change::deleted && !seen.is_bound) {
        gangs_moved_[world_.cluster.applications.at(application).driver] = entry.revision;
    }
}

void DecisionChecker::check_headroom(const Entry<core::Pod>& entry, const Author& author) {
    const Replica& replica = world_.replicas[author.replica];
    const GangRecord* gang = world_.checkers.capacity_model().gangs().find(entry.id);
    if (gang == nullptr || replica.life() != author.life) {
        return;
    }
    const std::int64_t kept = views_[author.replica].headroom_cpu_milli;
    for (const NodeId node : gang->nodes) {
        const CapacityModel& capacity_model = world_.checkers.capacity_model();
        if (kept > 0 && !world_.checkers.is_excused(node, author) &&
            capacity_model.nodes().usage(node).cpu_milli >
                capacity_model.nodes().allocatable(node).cpu_milli - kept) {
            world_.checkers.violated(
                "headroom",
                fmt::format("{} is admitted into the headroom of n{}", entry.object.name, node));
        }
    }
}

/// Executors on their way may be meant for slots that are open here still.
void DecisionChecker::check_extra_slot(const Entry<core::Pod>& entry, const Author& author) {
    const Application& one =
        world_.cluster.applications.at(world_.cluster.applications.find(entry.id));
    const CapacityModel& capacity_model = world_.checkers.capacity_model();
    const GangRecord* gang = capacity_model.gangs().find(one.driver);
    if (one.by_set || gang == nullptr || !gang->is_live || !gang->has_reservation ||
        was_tampered(world_, one.driver) || gangs_moved_[one.driver] > author.pods_seen) {
        return;
    }
    std::int64_t open = 0;
    for (const NodeId id : std::set<NodeId>(gang->nodes.begin(), gang->nodes.end())) {
        const core::Node* node = world_.store.find_node(id);
        const NodeSlots& node_slots = capacity_model.nodes().slots_on(id).at(one.driver);
        const bool is_usable = node != nullptr && node->ready && !node->unschedulable &&
                               node->taints.empty() && !world_.checkers.is_excused(id, author);
        const bool is_alike =
            !node_slots.sizes.empty() &&
            node_slots.sizes.front().unit == capacity_model.pods()[entry.id].amount;
        open += is_usable && is_alike ? node_slots.open() : 0;
    }
    const auto unbound =
        std::count_if(one.executors.begin(), one.executors.end(), [&capacity_model](PodId id) {
            return !capacity_model.pods()[id].is_bound;
        });
    if (open > unbound) {
        world_.checkers.violated(
            "extra-slot",
            fmt::format(
                "{} is bound beside its gang, which has {} open slots", entry.object.name, open));
    }
}

void DecisionChecker::clock_was_wrong(std::uint32_t replica) {
    if (replica < views_.size()) {
        views_[replica].leads_since_ms = -1;  // its two seconds are not ours
        views_[replica].clock_wrong_ms = world_.now_ms;
    }
}

}  // namespace gang::sim
