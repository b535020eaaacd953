#include "gang/view/comparison.hpp"

#include "core/filter/filters.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <string>
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

/// It takes room on its node.
bool is_counted(const core::Pod& pod) {
    return !pod.node_name.empty() && !core::is_terminal(pod);
}

/// What of a pod the engine decides by.
std::string difference(const core::Pod& known, const core::Pod& listed) {
    if (known.node_name != listed.node_name) {
        return "listed on \"" + listed.node_name + "\", believed on \"" + known.node_name + "\"";
    }
    if (known.phase != listed.phase) return "its phase";
    if (known.deleting != listed.deleting) return "whether it is being deleted";
    if (known.gated != listed.gated) return "its scheduling gates";
    if (core::without_volumes(known.requests) != listed.requests) return "what it asks for";
    return {};
}

std::string difference(const core::Node& known, const core::Node& listed) {
    if (core::without_volumes(known.allocatable) != listed.allocatable ||
        known.pods != listed.pods) {
        return "what is allocatable";
    }
    if (known.cards != listed.cards) return "its cards";
    if (known.ready != listed.ready) return "whether it is ready";
    if (known.unschedulable != listed.unschedulable) return "whether it is cordoned";
    if (known.labels != listed.labels) return "its labels";
    if (known.taints != listed.taints) return "its taints";
    return {};
}

}  // namespace

std::optional<Drift> Comparison::compare(const core::Pod& listed) const {
    const bool stays_ours = model_.reader.names_extender(listed) && model_.pods.find(listed.uid);
    if (!stays_ours && !model_.reader.is_ours(listed)) {
        return compare_other(listed);
    }
    const core::FilterSet left_out = model_.reader.profiles().left_out(listed.scheduler_name);
    if (left_out.empty() && !model_.gpus.is_on()) {
        return compare_ours(listed);
    }
    core::Pod pod = listed;
    model_.gpus.read(pod);
    core::leave_out(left_out, pod.requests, pod.constraints.edit());
    return compare_ours(pod);
}

std::optional<Drift> Comparison::compare_other(const core::Pod& listed) const {
    const auto allocation = model_.cluster.pods().find(listed.uid);
    if (!is_counted(listed) && !allocation) {
        return std::nullopt;
    }
    if (!allocation) {
        return drift_of(DriftKind::pod_unknown, listed, "it is not counted on its node");
    }
    const bool is_same = is_counted(listed) &&
                         core::without_volumes(model_.cluster.allocations().resources_of(*allocation)) ==
                             listed.requests &&
                         model_.cluster.nodes().name(model_.cluster.allocations().of(*allocation).node) ==
                             listed.node_name;
    return is_same ? std::nullopt
                   : std::optional(drift_of(
                         DriftKind::pod_differs, listed, "what is counted for it, or where"));
}

/// As its profile makes us see it.
std::optional<Drift> Comparison::compare_ours(const core::Pod& listed) const {
    const auto known = model_.pods.find(listed.uid);
    if (!known) {
        return drift_of(
            DriftKind::pod_unknown, listed, "it was never heard of, or is believed gone");
    }
    if (std::string detail = difference(model_.pods.copy_of(*known).pod, listed); !detail.empty()) {
        return drift_of(DriftKind::pod_differs, listed, std::move(detail));
    }
    if (is_counted(listed) && model_.pods[*known].slot() < 0 &&
        !model_.cluster.pods().find(listed.uid)) {
        return drift_of(DriftKind::pod_differs, listed, "it is not counted on its node");
    }
    return compare_reservation(listed);
}

std::optional<Drift> Comparison::compare(const core::Node& listed) const {
    const auto node = model_.cluster.nodes().find(listed.name);
    const auto drift = [&listed](DriftKind kind, std::string detail) {
        return Drift{kind, listed.name, {}, listed.resource_version, std::move(detail)};
    };
    if (!node) {
        return drift(DriftKind::node_unknown, "it was never heard of, or is believed gone");
    }
    core::Node known = model_.cluster.room().node_as_told(*node);
    if (model_.gpus.is_on()) {
        known.allocatable = core::without_gpu_wishes(std::move(known.allocatable));
    }
    std::string detail = difference(known, listed);
    return detail.empty() ? std::nullopt
                          : std::optional(drift(DriftKind::node_differs, std::move(detail)));
}

/// A reservation that is being written differs for a good reason.
std::optional<Drift> Comparison::compare_reservation(const core::Pod& listed) const {
    const Application* app = model_.gangs.find(listed.uid);
    if (!model_.term.leads || app == nullptr || app->phase != Phase::running ||
        !app->published.reserved || app->published.writing != 0 ||
        model_.worklist.to_publish.contains(app->uid) ||
        model_.worklist.to_adopt.contains(app->rank())) {
        return std::nullopt;
    }
    const std::string* text = core::find_value(listed.annotations, reservation_annotation);
    if (text != nullptr && *text == app->published.annotation) {
        return std::nullopt;
    }
    return drift_of(
        DriftKind::reservation_differs,
        listed,
        "the ledger is at generation " + std::to_string(app->published.generation) + " of epoch " +
            std::to_string(app->published.epoch));
}

void Comparison::for_each_pod(
    const std::function<void(std::string_view uid, std::string_view name)>& visit) const {
    model_.pods.for_each(
        [&](PodId id) { visit(model_.pods.uid(id), model_.pods[id].full_name()); });
    model_.cluster.pods().for_each([&](std::string_view uid, core::AllocationId) {
        if (!model_.pods.contains(uid)) {
            visit(uid, {});
        }
    });
}

}  // namespace gang
