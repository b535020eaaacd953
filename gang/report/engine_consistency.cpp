// What the engine believes, to be compared with what the API server lists, and the ledger as it is
// shown. Everything here only reads.

#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gang {
namespace {

Drift drift_of(DriftKind kind, const core::Pod& pod, std::string detail) {
    return {
        kind,
        pod.namespace_name + "/" + pod.name,
        pod.uid,
        pod.resource_version,
        std::move(detail)};
}

/// What of a pod the engine decides by.
std::string difference(const core::Pod& known, const core::Pod& listed) {
    if (known.node_name != listed.node_name) {
        return "listed on \"" + listed.node_name + "\", believed on \"" + known.node_name + "\"";
    }
    if (known.phase != listed.phase) return "its phase";
    if (known.deleting != listed.deleting) return "whether it is being deleted";
    if (known.gated != listed.gated) return "its scheduling gates";
    if (known.requests != listed.requests) return "what it asks for";
    return {};
}

std::string difference(const core::Node& known, const core::Node& listed) {
    if (known.allocatable != listed.allocatable || known.pods != listed.pods) {
        return "what is allocatable";
    }
    if (known.ready != listed.ready) return "whether it is ready";
    if (known.unschedulable != listed.unschedulable) return "whether it is cordoned";
    if (known.labels != listed.labels) return "its labels";
    if (known.taints != listed.taints) return "its taints";
    return {};
}

}  // namespace

std::optional<Drift> Engine::compare(const core::Node& listed) const {
    const auto node = cluster_.find_node(listed.name);
    const auto drift = [&listed](DriftKind kind, std::string detail) {
        return Drift{kind, listed.name, {}, listed.resource_version, std::move(detail)};
    };
    if (!node) {
        return drift(DriftKind::node_unknown, "it was never heard of, or is believed gone");
    }
    std::string detail = difference(cluster_.node(*node), listed);
    return detail.empty() ? std::nullopt
                          : std::optional(drift(DriftKind::node_differs, std::move(detail)));
}

std::optional<Drift> Engine::compare(const core::Pod& listed) const {
    const auto known = pods_.find(listed.uid);
    const bool is_counted = !listed.node_name.empty() && !core::is_terminal(listed);
    const auto allocation = cluster_.find_pod(listed.uid);
    if (!is_ours(listed)) {
        if (!is_counted && !allocation) {
            return std::nullopt;
        }
        if (!allocation) {
            return drift_of(DriftKind::pod_unknown, listed, "it is not counted on its node");
        }
        const bool is_same =
            is_counted && cluster_.resources_of(*allocation) == listed.requests &&
            cluster_.node_name(cluster_.allocation_of(*allocation).node) == listed.node_name;
        return is_same ? std::nullopt
                       : std::optional(drift_of(
                             DriftKind::pod_differs, listed, "what is counted for it, or where"));
    }
    if (!known) {
        return drift_of(
            DriftKind::pod_unknown, listed, "it was never heard of, or is believed gone");
    }
    if (std::string detail = difference(pods_.copy_of(*known).pod, listed); !detail.empty()) {
        return drift_of(DriftKind::pod_differs, listed, std::move(detail));
    }
    if (is_counted && pods_.slot(*known) < 0 && !allocation) {
        return drift_of(DriftKind::pod_differs, listed, "it is not counted on its node");
    }
    return compare_reservation(listed);
}

/// A reservation that is being written differs for a good reason.
std::optional<Drift> Engine::compare_reservation(const core::Pod& listed) const {
    const Application* app = find_app(listed.uid);
    if (!term_.leads || app == nullptr || app->phase != Phase::running || !app->reserved ||
        app->writing != 0 || worklist_.to_publish.contains(app->uid) ||
        worklist_.to_adopt.contains(app->rank())) {
        return std::nullopt;
    }
    const std::string* text = core::find_value(listed.annotations, reservation_annotation);
    if (text != nullptr && *text == app->annotation) {
        return std::nullopt;
    }
    return drift_of(
        DriftKind::reservation_differs,
        listed,
        "the ledger is at generation " + std::to_string(app->generation) + " of epoch " +
            std::to_string(app->epoch));
}

void Engine::for_each_pod(
    const std::function<void(std::string_view uid, std::string_view name)>& visit) const {
    pods_.for_each([&](PodId id) { visit(pods_.uid(id), pods_.full_name(id)); });
    cluster_.for_each_pod([&](std::string_view uid, core::AllocationId) {
        if (!pods_.contains(uid)) {
            visit(uid, {});
        }
    });
}

/// Told by the consistency check: what the watch last showed is not a state of before our own
/// write.
void Engine::on(const ReservationDiffers& event) {
    Application* app = find_app(event.driver_uid);
    if (app == nullptr || !term_.leads || app->phase != Phase::running || !app->reserved ||
        app->writing != 0 || worklist_.to_adopt.contains(app->rank())) {
        return;
    }
    app->is_shown = true;
    observe_reservation(*app, pods_.reservation(pods_.id_of(app->uid)));
}

std::vector<NodeLedger> Engine::ledger() const {
    std::map<std::string, NodeLedger> nodes;
    for (const core::NodeIndex index : cluster_.nodes_by_name()) {
        NodeLedger& node = nodes[cluster_.node_name(index)];
        node.allocatable = cluster_.node(index).allocatable;
        node.pods_allocatable = cluster_.node(index).pods;
    }
    const auto node_of = [&](core::AllocationId allocation) -> NodeLedger& {
        return nodes[cluster_.node_name(cluster_.allocation_of(allocation).node)];
    };
    const auto bind = [&](core::AllocationId allocation) {
        NodeLedger& node = node_of(allocation);
        core::add_times(node.bound, cluster_.resources_of(allocation), 1);
        ++node.pods_bound;
    };
    const auto hold = [&](core::AllocationId allocation, HeldUnit unit) {
        NodeLedger& node = node_of(allocation);
        unit.requests = cluster_.resources_of(allocation);
        core::add_times(node.held, unit.requests, 1);
        node.units.push_back(std::move(unit));
    };
    cluster_.for_each_pod(
        [&](std::string_view, core::AllocationId allocation) { bind(allocation); });
    for (const auto& [uid, app] : apps_) {
        HeldUnit unit{
            HeldUnit::State::open,
            app.namespace_name.str() + "/" + app.name,
            app.uid,
            -1,
            {},
            app.bound_ms};
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            const Slot& slot = app.slots[i];
            if (slot.allocation.is_none()) {
                continue;
            }
            if (slot.state == SlotState::bound || slot.state == SlotState::draining) {
                bind(slot.allocation);
                continue;
            }
            unit.state =
                slot.state == SlotState::assumed ? HeldUnit::State::assumed : HeldUnit::State::open;
            unit.slot = static_cast<std::int32_t>(i);
            hold(slot.allocation, unit);
        }
        unit.state = HeldUnit::State::leaving;
        unit.slot = -1;
        for (const PendingRelease& left : *app.pending_releases) {
            hold(left.allocation, unit);
        }
    }
    std::vector<NodeLedger> out;
    for (auto& [name, node] : nodes) {
        node.name = name;
        const auto index = cluster_.find_node(name);
        node.is_present = index.has_value();
        if (index) {
            read_free(*index, node);
        }
        out.push_back(std::move(node));
    }
    return out;
}

/// What placement sees, and whether it agrees with the sum of all that is allocated.
void Engine::read_free(core::NodeIndex index, NodeLedger& node) const {
    const core::NodeColumns& columns = cluster_.columns();
    const auto view = core::View::free;
    node.free.cpu_milli = columns.cpu(view)[index.value];
    node.free.memory_bytes = columns.memory(view)[index.value];
    node.free.ephemeral_bytes = columns.ephemeral(view)[index.value];
    node.pods_free = columns.pods(view)[index.value];
    core::Resources left = node.allocatable;
    core::add_times(left, node.bound, -1);
    core::add_times(left, node.held, -1);
    for (const core::ExtendedResource& entry : left.extended) {
        if (const auto id = cluster_.find_extended(entry.name)) {
            node.free.extended.push_back({entry.name, columns.extended(index, *id, view)});
        }
    }
    node.adds_up = left == node.free && node.pods_allocatable - node.pods_bound -
                                                static_cast<std::int64_t>(node.units.size()) ==
                                            node.pods_free;
}

}  // namespace gang
