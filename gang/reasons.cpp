#include "gang/explain.hpp"

#include <array>
#include <utility>

namespace gang {
namespace {

constexpr std::array<std::pair<ReasonCode, std::string_view>, 21> codes = {{
    {ReasonCode::none, "None"},
    {ReasonCode::waiting_for_spark_conf, "WaitingForSparkConf"},
    {ReasonCode::waiting_for_capacity, "WaitingForCapacity"},
    {ReasonCode::waiting_for_nodes, "WaitingForNodes"},
    {ReasonCode::waiting_in_queue, "WaitingInQueue"},
    {ReasonCode::exceeds_cluster, "ExceedsCluster"},
    {ReasonCode::constraints_unsatisfiable, "ConstraintsUnsatisfiable"},
    {ReasonCode::pod_rules_not_met, "PodRulesNotMet"},
    {ReasonCode::waiting_for_volumes, "WaitingForVolumes"},
    {ReasonCode::waiting_for_pod_group, "WaitingForPodGroup"},
    {ReasonCode::waiting_for_quota, "WaitingForQuota"},
    {ReasonCode::waiting_for_extender, "WaitingForExtender"},
    {ReasonCode::exceeds_quota, "ExceedsQuota"},
    {ReasonCode::queue_stopped, "QueueStopped"},
    {ReasonCode::held, "Held"},
    {ReasonCode::waiting_for_preemption, "WaitingForPreemption"},
    {ReasonCode::gpu_metrics_stale, "GpuMetricsStale"},
    {ReasonCode::misconfigured, "Misconfigured"},
    {ReasonCode::driver_ended, "DriverEnded"},
    {ReasonCode::backing_off, "BackingOff"},
    {ReasonCode::bind_failed, "BindFailed"},
}};

}  // namespace

std::string_view to_string(ReasonCode code) {
    for (const auto& [candidate, text] : codes) {
        if (candidate == code) {
            return text;
        }
    }
    return "None";
}

ReasonCode find_code(std::string_view condition) {
    const std::size_t open = condition.rfind('[');
    if (open == std::string_view::npos || !condition.ends_with(']')) {
        return ReasonCode::none;
    }
    const std::string_view inside = condition.substr(open + 1, condition.size() - open - 2);
    for (const auto& [code, text] : codes) {
        if (text == inside) {
            return code;
        }
    }
    return ReasonCode::none;
}

std::string_view condition_reason(ReasonCode code) {
    switch (code) {
        case ReasonCode::waiting_for_capacity:
        case ReasonCode::waiting_for_nodes:
        case ReasonCode::exceeds_cluster:
        case ReasonCode::constraints_unsatisfiable:
        case ReasonCode::pod_rules_not_met:
            return "Unschedulable";
        case ReasonCode::none:
        case ReasonCode::waiting_for_spark_conf:
        case ReasonCode::waiting_in_queue:
        case ReasonCode::waiting_for_volumes:
        case ReasonCode::waiting_for_pod_group:
        case ReasonCode::waiting_for_quota:
        case ReasonCode::waiting_for_extender:
        case ReasonCode::exceeds_quota:
        case ReasonCode::queue_stopped:
        case ReasonCode::held:
        case ReasonCode::waiting_for_preemption:
        case ReasonCode::gpu_metrics_stale:
        case ReasonCode::misconfigured:
        case ReasonCode::driver_ended:
        case ReasonCode::backing_off:
        case ReasonCode::bind_failed:
            break;
    }
    return "SchedulingSkipped";
}

bool can_never_run(ReasonCode code) {
    switch (code) {
        case ReasonCode::exceeds_cluster:
        case ReasonCode::exceeds_quota:
        case ReasonCode::constraints_unsatisfiable:
        case ReasonCode::misconfigured:
        case ReasonCode::driver_ended:
            return true;
        default:
            return false;
    }
}

std::string_view to_string(GangState state) {
    switch (state) {
        case GangState::waiting_for_conf:
            return "WaitingForConf";
        case GangState::waiting:
            return "Waiting";
        case GangState::parked:
            return "Parked";
        case GangState::admitted:
            return "Admitted";
        case GangState::running:
            return "Running";
        case GangState::degraded:
            return "Degraded";
        case GangState::ended:
            return "Ended";
    }
    return "Ended";
}

}  // namespace gang
