#include "gang/queue/head_of_line.hpp"

#include "core/cluster/cluster.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "gang/explain.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>

namespace gang {
namespace {

/// A pod that is changed by others all the time must not hold up the queue with it.
constexpr int failures_in_row_max = 3;

/// Somebody before waits for what these nodes' pods would take to themselves.
bool is_wanted(
    const core::Demand& demand, const core::NodeBitmap& nodes, const SchedulingCycle& cycle) {
    if (demand.wants_gpus && cycle.gpu_nodes.intersects(nodes)) {
        return true;
    }
    return !cycle.exclusive_nodes.empty() &&
           std::any_of(demand.extended.begin(), demand.extended.end(), [&](const auto& wanted) {
               const auto found = cycle.exclusive_nodes.find(wanted.id);
               return found != cycle.exclusive_nodes.end() && found->second.intersects(nodes);
           });
}

}  // namespace

bool HeadOfLine::pause_for_retry(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle) {
    const PodEntry& entry = model_.pods.at(app.uid);
    if (entry.is_ready(step_.now_ms)) {
        return false;
    }
    // A changed pod is tried again within moments: that is not worth a condition, which would be
    // one more change.
    if (entry.retry->stale_version.empty() &&
        (entry.retry->code != ReasonCode::waiting_for_extender || !entry.retry->message.empty())) {
        status_.set_message(app, retry_message(model_.cluster.nodes().count(), *entry.retry));
    }
    model_.waiting.entry(app).code = entry.retry->code;
    if (holds_up_others(entry) && !app.is_surplus) {
        block(gang_class, app, cycle);
    }
    return true;
}

void HeadOfLine::block(
    KeyedClass& gang_class, const Application& app, SchedulingCycle& cycle, WaitsFor waits_for) {
    cycle.head = cycle.blocked ? cycle.head : app.uid;
    cycle.blocked = true;
    QueueEntry& queue_entry = model_.waiting.entry(app);
    queue_entry.ahead = cycle.ahead;
    queue_entry.position = cycle.next_position(gang_class.first.lane);
    block_nodes(gang_class, cycle, waits_for);
}

/// Whether all nodes that they could use are blocked already.
bool HeadOfLine::has_blocked(const KeyedClass& gang_class, const SchedulingCycle& cycle) const {
    const auto& shapes = gang_class.first.shapes;
    return std::all_of(shapes.begin(), shapes.end(), [&](core::ShapeId shape) {
        return cycle.blocked_nodes.covers(model_.cluster.shapes().eligible(shape));
    });
}

/// Of one that shares nodes with somebody who blocks.
WaitsFor HeadOfLine::what_it_waits_behind(
    const KeyedClass& gang_class, const SchedulingCycle& cycle) const {
    const auto& shapes = gang_class.first.shapes;
    const bool is_for_all = std::any_of(shapes.begin(), shapes.end(), [&](core::ShapeId shape) {
        return model_.cluster.shapes().eligible(shape)
            .intersects(cycle.blocked_nodes);
    });
    return is_for_all ? WaitsFor::capacity : WaitsFor::exclusives;
}

void HeadOfLine::block_nodes(
    const KeyedClass& gang_class, SchedulingCycle& cycle, WaitsFor waits_for) {
    for (const core::ShapeId shape : gang_class.first.shapes) {
        const core::NodeBitmap& nodes = model_.cluster.shapes().eligible(shape);
        if (waits_for == WaitsFor::capacity) {
            cycle.blocked_nodes.add(nodes);
            continue;
        }
        for (const core::ExtendedDemand& wanted : model_.cluster.demand(shape).extended) {
            const std::string& name = model_.cluster.extended_names().name(wanted.id);
            if (core::is_exclusive(name)) {
                cycle.exclusive_nodes[wanted.id].add(nodes);
            } else if (core::is_gpu_wish(name)) {
                cycle.gpu_nodes.add(nodes);
            }
        }
    }
    cycle.blocked_state = ++blocked_states_;
}

/// It failed too often to keep its place: others go before it until it is tried again.
bool HeadOfLine::is_passed_over(const Application& app) const {
    const PodEntry& entry = model_.pods.at(app.uid);
    return !entry.is_ready(step_.now_ms) && !holds_up_others(entry);
}

bool HeadOfLine::is_apart(KeyedClass& gang_class, const SchedulingCycle& cycle) const {
    EquivalenceClass& known = gang_class.second;
    if (known.apart_for != cycle.blocked_state) {
        known.apart_for = cycle.blocked_state;
        known.is_apart = std::none_of(
            gang_class.first.shapes.begin(),
            gang_class.first.shapes.end(),
            [&](core::ShapeId shape) {
                const core::NodeBitmap& nodes =
                    model_.cluster.shapes().eligible(shape);
                return nodes.intersects(cycle.blocked_nodes) ||
                       is_wanted(model_.cluster.demand(shape), nodes, cycle);
            });
    }
    return known.is_apart;
}

/// What failed by chance keeps its place, or every hiccup would reorder the queue; not for ever.
bool HeadOfLine::holds_up_others(const PodEntry& entry) {
    return (entry.retry->code == ReasonCode::backing_off ||
            entry.retry->code == ReasonCode::waiting_for_extender) &&
           entry.retry->failures <= failures_in_row_max;
}

}  // namespace gang
