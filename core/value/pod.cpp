#include "core/value/pod.hpp"

#include "core/value/device/card_dialect.hpp"
#include "core/value/device/gpu_wish.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace core {

namespace {

/// Kubernetes lets a pod as a whole ask for these only.
bool is_pod_level(std::string_view extended_name) {
    return extended_name.starts_with("hugepages-");
}

/// A sum that grows by what is added, not by what it holds already: a pod may have thousands of
/// containers, each with a resource of its own.
struct Total {
    Resources plain;  ///< its `extended` is empty
    std::map<std::string_view, std::int64_t> extended;
};

/// False: it does not fit.
bool add(std::int64_t& to, std::int64_t amount) {
    return !__builtin_add_overflow(to, amount, &to);
}

bool add_plain(Resources& to, const Resources& more) {
    return add(to.cpu_milli, more.cpu_milli) && add(to.memory_bytes, more.memory_bytes) &&
           add(to.ephemeral_bytes, more.ephemeral_bytes);
}

bool add(Total& to, const Resources& more) {
    bool fits = add_plain(to.plain, more);
    for (const ExtendedResource& entry : more.extended) {
        fits = add(to.extended[entry.name], entry.amount) && fits;
    }
    return fits;
}

/// The two sums that the pod's start passes through.
struct Totals {
    Total running;   ///< containers and sidecars, once all are up
    Total starting;  ///< the worst moment while init containers run
};

/// Of a resource that an init container does not name, its sidecars' sum was the worst moment when
/// it was reached.
bool add_init_containers(Totals& totals, const std::vector<ContainerRequest>& containers) {
    Total sidecars;
    bool fits = true;
    for (const ContainerRequest& init : containers) {
        Resources during = sidecars.plain;
        fits = add_plain(during, init.requests) && fits;
        totals.starting.plain = larger(totals.starting.plain, during);
        for (const ExtendedResource& entry : init.requests.extended) {
            std::int64_t with = entry.amount;
            if (const auto beside = sidecars.extended.find(entry.name);
                beside != sidecars.extended.end()) {
                fits = add(with, beside->second) && fits;
            }
            std::int64_t& worst = totals.starting.extended[entry.name];
            worst = std::max(worst, with);
        }
        if (init.restartable) {
            fits = add(sidecars, init.requests) && add(totals.running, init.requests) && fits;
        }
    }
    return fits;
}

/// An amount of zero is taken for "not named": the API server refuses a pod-level request below the
/// sum of its containers, so a zero can only stand over a sum of zero.
void apply_pod_level(Total& total, const Resources& pod_level) {
    if (pod_level.cpu_milli != 0) total.plain.cpu_milli = pod_level.cpu_milli;
    if (pod_level.memory_bytes != 0) total.plain.memory_bytes = pod_level.memory_bytes;
    for (const ExtendedResource& entry : pod_level.extended) {
        if (is_pod_level(entry.name)) total.extended[entry.name] = entry.amount;
    }
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
            pod.ended,
            pod.annotations,
            pod.labels,
            pod.requests,
            pod.constraints,
            pod.rules,
            pod.owners,
            pod.created,
            pod.priority,
            pod.never_preempts,
            pod.service_account,
            pod.problem,
            pod.namespace_name,
            pod.name,
            pod.uid,
            pod.scheduler_name,
            pod.pod_group,
            pod.spark_properties,
            pod.executor_template);
    };
    return all(a) == all(b);
}

constexpr std::string_view host_ports_taken = "NodePorts";

// The reasons of the kubelet's admission (pkg/kubelet/lifecycle/predicate.go and the managers of
// devices and of topology).
bool is_refused_by_kubelet(const Pod& pod) {
    constexpr std::array<std::string_view, 6> reasons = {
        "NodeAffinity",
        host_ports_taken,
        "TaintToleration",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
        "SMTAlignmentError"};
    return pod.phase == PodPhase::failed && !pod.node_name.empty() &&
           (std::string_view(pod.failure).starts_with("OutOf") ||
            std::find(reasons.begin(), reasons.end(), pod.failure) != reasons.end());
}

bool is_refused_host_port(const Pod& pod) {
    return pod.failure == host_ports_taken;
}

bool is_kept_annotation(std::string_view key) {
    // Ours, the families of the dialects we read, the ancestor's few words, and what gangs of other
    // schedulers are known by.
    constexpr std::array<std::string_view, 4> prefixes = {
        "gang-scheduler/", "spark-", "yunikorn.apache.org/", "armadaproject.io/gang"};
    constexpr std::array<std::string_view, 16> words = {
        "applicationId",
        "kueue.x-k8s.io/pod-group-name",
        "kueue.x-k8s.io/pod-group-total-count",
        "kueue.x-k8s.io/queue-name",
        "kai.scheduler/queue",
        "scheduling.volcano.sh/queue-name",
        "executors",
        "exec-cpu",
        "exec-mem",
        "driver-cpu",
        "driver-mem",
        "scheduling.k8s.io/group-name",
        "scheduling.volcano.sh/group-name",
        "volcano.sh/task-spec",
        "volcano.sh/sla-waiting-time",
        "sla-waiting-time"};
    return std::any_of(
               prefixes.begin(),
               prefixes.end(),
               [key](std::string_view prefix) { return key.starts_with(prefix); }) ||
           std::find(words.begin(), words.end(), key) != words.end() || names_cards(key) ||
           is_gpu_annotation(key) || is_kept_without_value(key);
}

bool is_kept_without_value(std::string_view key) {
    constexpr std::array<std::string_view, 6> other_keys = {
        "pod-group-name",
        "godel.bytedance.com/pod-group-name",
        "scheduling.x-k8s.io/pod-group",
        "pod-group.scheduling.sigs.k8s.io",
        "pod-group.scheduling.sigs.k8s.io/name",
        "pod-group.scheduling.sigs.k8s.io/min-available"};
    return std::find(other_keys.begin(), other_keys.end(), key) != other_keys.end();
}

const OwnerReference* find_controller(const Pod& pod) {
    const auto found = std::find_if(
        pod.owners.begin(), pod.owners.end(), [](const auto& owner) { return owner.controller; });
    return found == pod.owners.end() ? nullptr : &*found;
}

Result<Resources> effective_requests(const PodRequests& requests) {
    Totals totals;
    bool fits = true;
    for (const ContainerRequest& container : requests.containers) {
        fits = add(totals.running, container.requests) && fits;
    }
    fits = add_init_containers(totals, requests.init_containers) && fits;
    Total& effective = totals.running;
    effective.plain = larger(effective.plain, totals.starting.plain);
    for (const auto& [name, amount] : totals.starting.extended) {
        std::int64_t& most = effective.extended[name];
        most = std::max(most, amount);
    }
    if (requests.pod_level) apply_pod_level(effective, *requests.pod_level);
    fits = add(effective, requests.overhead) && fits;
    if (!fits) return Error{"the sum of the requests does not fit in 64 bits"};
    Resources result = effective.plain;
    for (const auto& [name, amount] : effective.extended) {
        result.extended.push_back({std::string(name), amount});
    }
    return result;
}

}  // namespace core
