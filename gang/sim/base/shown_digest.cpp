#include "gang/sim/base/shown_digest.hpp"

#include "gang/sim/base/digest.hpp"

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gang::sim {
namespace {

template <typename Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
void add(Digest& digest, Number number) {
    digest.add(static_cast<std::uint64_t>(number));
}

void add(Digest& digest, std::string_view text) {
    digest.add(text);
}

void add(Digest& digest, const core::Resources& resources) {
    add(digest, resources.cpu_milli);
    add(digest, resources.memory_bytes);
    add(digest, resources.ephemeral_bytes);
    for (const core::ExtendedResource& entry : resources.extended) {
        add(digest, entry.name);
        add(digest, entry.amount);
    }
}

template <typename... Values>
void add_all(Digest& digest, const Values&... values) {
    (add(digest, values), ...);
}

/// Of a type that is numbers and nothing between them.
template <typename Numbers>
void add_bytes(Digest& digest, const Numbers& numbers) {
    static_assert(std::has_unique_object_representations_v<Numbers>);
    digest.add(std::string_view(reinterpret_cast<const char*>(&numbers), sizeof numbers));
}

void add(Digest& digest, const GangView& gang) {
    add_all(
        digest,
        gang.driver_uid,
        gang.application,
        gang.app_name,
        gang.queue,
        gang.state,
        gang.code,
        gang.position,
        gang.executors,
        gang.slots_open,
        gang.slots_assumed,
        gang.slots_bound,
        gang.needs,
        gang.waiting_since_ms,
        gang.start_ms,
        gang.start_spread_ms,
        gang.planned_ms,
        gang.end_ms,
        gang.is_overdue,
        gang.bypasses,
        gang.message);
}

void add(Digest& digest, const Explanation& answer) {
    add(digest, answer.gang);
    add_all(
        digest,
        answer.milestones.executors_bound,
        answer.milestones.sized_ms,
        answer.milestones.admitted_ms,
        answer.milestones.driver_bound_ms,
        answer.milestones.first_executor_ms,
        answer.milestones.all_executors_ms,
        answer.milestones.ended_ms,
        answer.is_executor,
        answer.driver,
        answer.executor);
    for (const auto& [node, slots] : answer.slots_per_node) {
        add_all(digest, node, slots);
    }
    for (const std::string& note : answer.notes) {
        add(digest, note);
    }
}

void add(Digest& digest, const QueueView& queue) {
    add_all(
        digest,
        queue.name,
        queue.parent,
        queue.is_leaf,
        queue.is_stopped,
        queue.order,
        queue.weight,
        queue.share_millionths,
        queue.is_below_guarantee,
        queue.usage,
        queue.max_gangs.value_or(-1),
        queue.running,
        queue.waiting,
        queue.head,
        queue.head_start_ms);
    for (const auto* amounts : {&queue.guarantee, &queue.limit, &queue.user_limit}) {
        for (const core::ExtendedResource& entry : *amounts) {
            add_all(digest, entry.name, entry.amount);
        }
    }
}

void add(Digest& digest, const NodeLedger& node) {
    add_all(
        digest,
        node.name,
        node.zone,
        node.state,
        node.is_present,
        node.allocatable,
        node.bound,
        node.held,
        node.free,
        node.pods_allocatable,
        node.pods_bound,
        node.pods_free);
    for (const HeldUnit& unit : node.units) {
        add_all(digest, unit.state, unit.gang, unit.slot, unit.requests, unit.since_ms);
    }
    for (const BoundShare& share : node.bound_by) {
        add_all(digest, share.gang, share.pods, share.requests);
    }
    for (const CardLedger& card : node.cards) {
        add_all(digest, card.id, card.resource, card.units, card.free);
    }
}

}  // namespace

std::uint64_t digest_of_shown(
    const Scheduler& scheduler, std::int64_t unix_ms, std::uint64_t turn) {
    Digest digest;
    add_bytes(digest, scheduler.counters());
    add_bytes(digest, scheduler.totals(unix_ms));
    add(digest, scheduler.remembered());
    const std::vector<GangView> gangs = scheduler.gangs();
    for (const GangView& gang : gangs) {
        add(digest, gang);
    }
    for (const QueueView& queue : scheduler.queues()) {
        add(digest, queue);
    }
    for (const NodeLedger& node : scheduler.ledger()) {
        add(digest, node);
    }
    const auto answer = gangs.empty()
                            ? std::nullopt
                            : scheduler.explain(gangs[turn % gangs.size()].driver_uid);
    if (answer) {  // of a gang that has ended the driver may be gone
        add(digest, *answer);
    }
    return digest.value();
}

}  // namespace gang::sim
