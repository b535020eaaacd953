#pragma once
// The demo's table: one phase in numbers, as the jobs and the referee kubelets saw it.

#include "gang/app/demo/demo_spark.hpp"
#include "k8s/embedded/kubelet/kubelet.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang::app {

struct DemoResult {
    int jobs = 0;
    int finished = 0;
    std::int64_t mean_wait_ms = -1;  ///< submitted to working; -1: no job ever worked
    std::int64_t longest_wait_ms = -1;
    int half_gangs = 0;  ///< the driver ran at the end of the phase, but too few of its executors
    std::int64_t idle_core_ms = 0;  ///< driver CPU held before, or without, work
    int refused = 0;                ///< pods that a kubelet refused for want of room
    std::int64_t took_ms = 0;
};

DemoResult sum_up(
    const std::vector<DemoJobRecord>& jobs,
    const std::vector<k8s::embedded::PodRecord>& pods,
    std::int64_t began_ms,
    std::int64_t ended_ms);

/// Both phases side by side, ready to print.
std::string comparison_table(const DemoResult& pod_by_pod, const DemoResult& as_gangs);

}  // namespace gang::app
