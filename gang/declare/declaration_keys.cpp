#include "gang/declare/declaration_keys.hpp"

#include <array>

namespace gang {
namespace {

constexpr std::array our_keys = {
    DeclarationKey{"gang-scheduler/role", Field::role},
    DeclarationKey{"gang-scheduler/application", Field::application},
    DeclarationKey{"gang-scheduler/executors", Field::executors},
    DeclarationKey{"gang-scheduler/min-executors", Field::executors_min},
    DeclarationKey{"gang-scheduler/max-executors", Field::executors_max},
    DeclarationKey{"gang-scheduler/executor-cpu", Field::executor_cpu},
    DeclarationKey{"gang-scheduler/executor-memory", Field::executor_memory},
    DeclarationKey{"gang-scheduler/executor-gpu", Field::executor_gpu},
    DeclarationKey{"gang-scheduler/executor-tolerations", Field::executor_tolerations},
    DeclarationKey{"gang-scheduler/driver-cpu", Field::driver_cpu},
    DeclarationKey{"gang-scheduler/driver-memory", Field::driver_memory},
    DeclarationKey{"gang-scheduler/driver-gpu", Field::driver_gpu},
    DeclarationKey{"gang-scheduler/queue", Field::queue},
    DeclarationKey{"gang-scheduler/hold", Field::hold},
    DeclarationKey{"gang-scheduler/priority", Field::priority},
    DeclarationKey{"gang-scheduler/topology-key", Field::topology_key},
    DeclarationKey{"gang-scheduler/topology-mode", Field::topology_mode},
    DeclarationKey{"gang-scheduler/packing", Field::packing},
    DeclarationKey{"gang-scheduler/expected-duration", Field::expected_duration},
    DeclarationKey{"gang-scheduler/max-wait", Field::max_wait},
    DeclarationKey{"gang-scheduler/pod-group", Field::pod_group},
    DeclarationKey{"gang-scheduler/min-members", Field::pod_group},
    DeclarationKey{"gang-scheduler/style", Field::not_yet},
    DeclarationKey{"gang-scheduler/admission-timeout", Field::not_yet},
    DeclarationKey{"gang-scheduler/on-timeout", Field::not_yet},
};

/// palantir/k8s-spark-scheduler; the plural is a widespread slip.
constexpr std::array palantir = {
    DeclarationKey{"spark-app-id", Field::application},
    DeclarationKey{"spark-executor-count", Field::executors},
    DeclarationKey{"spark-dynamic-allocation-enabled", Field::dynamic},
    DeclarationKey{"spark-dynamic-allocation-min-executor-count", Field::executors_min},
    DeclarationKey{"spark-dynamic-allocation-max-executor-count", Field::executors_max},
    DeclarationKey{"spark-executor-cpu", Field::executor_cpu},
    DeclarationKey{"spark-executor-cpus", Field::executor_cpu},
    DeclarationKey{"spark-executor-mem", Field::executor_memory},
    DeclarationKey{"spark-executor-nvidia.com/gpu", Field::executor_gpu},
    DeclarationKey{"spark-driver-cpu", Field::driver_cpu},
    DeclarationKey{"spark-driver-cpus", Field::driver_cpu},
    DeclarationKey{"spark-driver-mem", Field::driver_memory},
    DeclarationKey{"spark-driver-nvidia.com/gpu", Field::driver_gpu},
};

/// kubernetes-gang-scheduler, whose labels are whole cores and GiB.
constexpr std::array ancestor = {
    DeclarationKey{"executors", Field::executors},
    DeclarationKey{"exec-cpu", Field::executor_cpu},
    DeclarationKey{"exec-mem", Field::executor_memory},
    DeclarationKey{"driver-cpu", Field::driver_cpu},
    DeclarationKey{"driver-mem", Field::driver_memory},
};

/// What Spark itself writes on its pods says who belongs together, not how many they are.
constexpr std::array spark = {
    DeclarationKey{"spark-role", Field::role},
    DeclarationKey{"spark-app-selector", Field::application},
};

/// Of Spark drivers and of pods without a driver.
constexpr std::array yunikorn_keys = {
    DeclarationKey{"yunikorn.apache.org/task-groups", Field::task_groups},
    DeclarationKey{"yunikorn.apache.org/task-group-name", Field::task_groups},
    DeclarationKey{"yunikorn.apache.org/schedulingPolicyParameters", Field::task_groups},
    DeclarationKey{"yunikorn.apache.org/app-id", Field::task_groups},
    DeclarationKey{"applicationId", Field::task_groups},
    DeclarationKey{"yunikorn.apache.org/queue", Field::queue_elsewhere},
};

// What other schedulers know gangs by. Pod groups are read of pods without a driver
// (group_membership.hpp): of a Spark application's they say nothing. What is not read at all is not
// passed over in silence: such pods would be scheduled one by one, which is what whoever wrote it
// wanted to prevent.

/// Of the coscheduling plugin: today's label, and its two predecessors.
constexpr std::array pod_group = {
    DeclarationKey{"scheduling.x-k8s.io/pod-group", Field::other_scheduler},
    DeclarationKey{"pod-group.scheduling.sigs.k8s.io", Field::other_scheduler},
    DeclarationKey{"pod-group.scheduling.sigs.k8s.io/name", Field::other_scheduler},
    DeclarationKey{"pod-group.scheduling.sigs.k8s.io/min-available", Field::other_scheduler},
};

/// The first is kube-batch's, too.
constexpr std::array volcano = {
    DeclarationKey{"scheduling.k8s.io/group-name", Field::other_scheduler},
    DeclarationKey{"scheduling.volcano.sh/group-name", Field::other_scheduler},
    DeclarationKey{"scheduling.volcano.sh/queue-name", Field::queue_elsewhere},
    DeclarationKey{"volcano.sh/sla-waiting-time", Field::max_wait},
    DeclarationKey{"sla-waiting-time", Field::max_wait},
};

/// Its gates and its admission stay Kueue's: gated pods are nobody's to bind.
constexpr std::array kueue = {
    DeclarationKey{"kueue.x-k8s.io/pod-group-name", Field::pod_group},
    DeclarationKey{"kueue.x-k8s.io/pod-group-total-count", Field::pod_group},
    DeclarationKey{"kueue.x-k8s.io/queue-name", Field::queue_elsewhere},
};

constexpr std::array armada = {
    DeclarationKey{"armadaproject.io/gangId", Field::pod_group},
    DeclarationKey{"armadaproject.io/gangCardinality", Field::pod_group},
    DeclarationKey{"armadaproject.io/gangMinimumCardinality", Field::pod_group},
    DeclarationKey{"armadaproject.io/gangNodeUniformityLabel", Field::pod_group},
};

/// Their groups are objects of kinds that are not read.
constexpr std::array kai = {
    DeclarationKey{"pod-group-name", Field::other_scheduler},
    DeclarationKey{"kai.scheduler/queue", Field::queue_elsewhere},
};
constexpr std::array godel = {
    DeclarationKey{"godel.bytedance.com/pod-group-name", Field::other_scheduler},
};

constexpr std::array table = {
    Dialect{"gang-scheduler", our_keys},
    Dialect{"palantir", palantir, BareMemory::bytes, false, true},
    Dialect{"YuniKorn", yunikorn_keys},
    Dialect{"kubernetes-gang-scheduler", ancestor, BareMemory::gibibytes, true},
    Dialect{"Spark", spark},
    Dialect{"PodGroup", pod_group},
    Dialect{"Volcano", volcano},
    Dialect{"Kueue", kueue},
    Dialect{"Armada", armada},
    Dialect{"KAI", kai},
    Dialect{"Godel", godel},
};

}  // namespace

std::span<const Dialect> dialects() {
    return table;
}

}  // namespace gang
