#include "core/pod.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace core {

namespace {

/// Kubernetes lets a pod as a whole ask for these only.
bool is_pod_level(std::string_view extended_name) {
    return extended_name.starts_with("hugepages-");
}

/// An amount of zero is taken for "not named": the API server refuses a pod-level request below the
/// sum of its containers, so a zero can only stand over a sum of zero.
Result<Done> apply_pod_level(Resources& total, const Resources& pod_level) {
    if (pod_level.cpu_milli != 0) total.cpu_milli = pod_level.cpu_milli;
    if (pod_level.memory_bytes != 0) total.memory_bytes = pod_level.memory_bytes;
    for (const ExtendedResource& entry : pod_level.extended) {
        if (!is_pod_level(entry.name)) continue;
        std::erase_if(total.extended, [&entry](const auto& old) { return old.name == entry.name; });
        Resources named;
        named.extended = {entry};
        Result<Resources> replaced = sum(total, named);
        if (!replaced) return replaced.error();
        total = *std::move(replaced);
    }
    return Done{};
}

/// The two sums that the pod's start passes through.
struct Totals {
    Resources running;   ///< containers and sidecars, once all are up
    Resources starting;  ///< the worst moment while init containers run
};

Result<Totals> add_init_containers(const PodRequests& requests, Resources running) {
    Totals totals{std::move(running), {}};
    Resources sidecars;
    for (const ContainerRequest& init : requests.init_containers) {
        Result<Resources> during = sum(sidecars, init.requests);
        if (!during) return during.error();
        if (init.restartable) {
            sidecars = *during;
            Result<Resources> with_sidecar = sum(totals.running, init.requests);
            if (!with_sidecar) return with_sidecar.error();
            totals.running = *std::move(with_sidecar);
        }
        totals.starting = larger(totals.starting, *during);
    }
    return totals;
}

}  // namespace

// What changes most often comes first. Every member of Pod but one is named here.
bool is_same_but_version(const Pod& a, const Pod& b) {
    const auto all = [](const Pod& pod) {
        return std::tie(
            pod.phase,
            pod.deleting,
            pod.gated,
            pod.node_name,
            pod.failure,
            pod.scheduled,
            pod.annotations,
            pod.labels,
            pod.requests,
            pod.constraints,
            pod.owners,
            pod.created,
            pod.priority,
            pod.problem,
            pod.namespace_name,
            pod.name,
            pod.uid,
            pod.scheduler_name,
            pod.spark_properties,
            pod.executor_template);
    };
    return all(a) == all(b);
}

// The reasons of the kubelet's admission (pkg/kubelet/lifecycle/predicate.go and the managers of
// devices and of topology).
bool is_refused_by_kubelet(const Pod& pod) {
    constexpr std::array<std::string_view, 6> reasons = {
        "NodeAffinity",
        "NodePorts",
        "TaintToleration",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
        "SMTAlignmentError"};
    return pod.phase == PodPhase::failed && !pod.node_name.empty() &&
           (std::string_view(pod.failure).starts_with("OutOf") ||
            std::find(reasons.begin(), reasons.end(), pod.failure) != reasons.end());
}

bool is_kept_annotation(std::string_view key) {
    // Ours, the families of the dialects we read, and the ancestor's few words.
    constexpr std::array<std::string_view, 2> prefixes = {"gang-scheduler/", "spark-"};
    constexpr std::array<std::string_view, 5> words = {
        "executors", "exec-cpu", "exec-mem", "driver-cpu", "driver-mem"};
    return std::any_of(
               prefixes.begin(),
               prefixes.end(),
               [key](std::string_view prefix) { return key.starts_with(prefix); }) ||
           std::find(words.begin(), words.end(), key) != words.end();
}

const OwnerReference* find_controller(const Pod& pod) {
    const auto found = std::find_if(
        pod.owners.begin(), pod.owners.end(), [](const auto& owner) { return owner.controller; });
    return found == pod.owners.end() ? nullptr : &*found;
}

Result<Resources> effective_requests(const PodRequests& requests) {
    Resources containers;
    for (const ContainerRequest& container : requests.containers) {
        Result<Resources> added = sum(containers, container.requests);
        if (!added) return added;
        containers = *std::move(added);
    }
    Result<Totals> totals = add_init_containers(requests, std::move(containers));
    if (!totals) return totals.error();
    Resources effective = larger(totals->running, totals->starting);
    if (requests.pod_level) {
        const Result<Done> applied = apply_pod_level(effective, *requests.pod_level);
        if (!applied) return applied.error();
    }
    return sum(effective, requests.overhead);
}

}  // namespace core
