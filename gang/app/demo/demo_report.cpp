#include "gang/app/demo/demo_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gang::app {

namespace {

std::string seconds(std::int64_t ms) {
    return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
}

std::string waiting(const DemoResult& result) {
    if (result.finished == 0 || result.mean_wait_ms < 0) return "no end";
    return seconds(result.mean_wait_ms) + " / " + seconds(result.longest_wait_ms);
}

std::string row(std::string_view name, std::string_view left, std::string_view right) {
    return fmt::format("  {:<46} {:>15} {:>15}\n", name, left, right);
}

std::string out_of(int part, int whole) {
    return fmt::format("{} of {}", part, whole);
}

}  // namespace

DemoResult sum_up(
    const std::vector<DemoJobRecord>& jobs,
    const std::vector<k8s::embedded::PodRecord>& pods,
    std::int64_t began_ms,
    std::int64_t ended_ms) {
    std::map<std::string, const k8s::embedded::PodRecord*> by_uid;
    DemoResult result;
    for (const k8s::embedded::PodRecord& pod : pods) {
        by_uid.emplace(pod.uid, &pod);
        if (!pod.refusal.empty()) ++result.refused;
    }
    result.jobs = static_cast<int>(jobs.size());
    result.took_ms = ended_ms - began_ms;
    std::int64_t waits_ms = 0;
    int worked = 0;
    for (const DemoJobRecord& job : jobs) {
        if (job.finished_ms != 0) ++result.finished;
        if (job.worked_ms != 0) {
            const std::int64_t wait_ms = job.worked_ms - job.submitted_ms;
            waits_ms += wait_ms;
            ++worked;
            result.longest_wait_ms = std::max(result.longest_wait_ms, wait_ms);
        }
        const auto driver = by_uid.find(job.driver_uid);
        if (driver == by_uid.end() || driver->second->bound_ms == 0) continue;
        if (job.worked_ms == 0) ++result.half_gangs;
        const std::int64_t until_ms = job.worked_ms != 0 ? job.worked_ms : ended_ms;
        result.idle_core_ms +=
            (until_ms - driver->second->bound_ms) * driver->second->cpu_milli / 1000;
    }
    if (worked > 0) result.mean_wait_ms = waits_ms / worked;
    return result;
}

std::string comparison_table(const DemoResult& pod_by_pod, const DemoResult& as_gangs) {
    std::string table = row("", "pod by pod", "as gangs");
    table +=
        row("applications finished",
            out_of(pod_by_pod.finished, pod_by_pod.jobs),
            out_of(as_gangs.finished, as_gangs.jobs));
    table += row("waiting for work, mean / longest", waiting(pod_by_pod), waiting(as_gangs));
    table +=
        row("half gangs: a driver that cannot work",
            std::to_string(pod_by_pod.half_gangs),
            std::to_string(as_gangs.half_gangs));
    table +=
        row("CPU held by drivers before or without work",
            fmt::format("{:.1f} core s", static_cast<double>(pod_by_pod.idle_core_ms) / 1000),
            fmt::format("{:.1f} core s", static_cast<double>(as_gangs.idle_core_ms) / 1000));
    table +=
        row("pods refused by a kubelet",
            std::to_string(pod_by_pod.refused),
            std::to_string(as_gangs.refused));
    table += row("watched for", seconds(pod_by_pod.took_ms), seconds(as_gangs.took_ms));
    return table;
}

}  // namespace gang::app
