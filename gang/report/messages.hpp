#pragma once
// The sentences of conditions. Each begins with "0/N nodes", because tools and people read that
// shape, is complete by itself, and names numbers; the code is put behind it by the status
// reporter.

#include "core/placement/placement.hpp"
#include "core/value/pod.hpp"
#include "core/value/resources.hpp"
#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/cluster/nominations.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// "10m", "90s".
std::string duration_text(std::int64_t ms);

/// "08:31:05 UTC".
std::string utc_time_text(std::int64_t unix_ms);

/// "gang spark-9f3c", "pod etl/web-1" or "executor etl/a-exec-7".
std::string subject_of(const Application& app, const core::Pod& pod);

/// What a pod of namespace `reader` may be told of somebody: "etl/a-driver", or "of another
/// namespace" where those are not named (conditions.nameOtherNamespaces).
std::string name_for(
    std::string_view reader,
    std::string_view namespace_name,
    std::string_view name,
    bool names_other_namespaces);
/// "etl/a-driver", or "a gang of another namespace".
std::string gang_name_for(
    std::string_view reader, const Application& gang, bool names_other_namespaces);

/// The conf is not readable (yet); what the API server said is quoted.
StatusMessage conf_message(std::size_t nodes, const Application& app, const core::Pod& driver);
StatusMessage problem_message(std::size_t nodes, const std::string& problem);
/// Somebody asks that it waits.
StatusMessage held_message(std::size_t nodes);

/// It does not fit now. `head` names the gang that is ahead; empty: it is the first.
StatusMessage capacity_message(
    const std::string& subject, const core::Rejection& rejection, const std::string& head);
/// There is room, but affinity, anti-affinity or spread to other pods leaves too little of it.
StatusMessage rules_message(const std::string& subject, const core::Rejection& rejection);

/// What its rules ask of other pods is not known yet.
StatusMessage labels_message(std::size_t nodes);
/// What its claims lack.
StatusMessage volume_message(std::size_t nodes, ReasonCode code, const std::string& text);

/// What a pod's group asks is not known.
StatusMessage group_missing_message(std::size_t nodes, const PodGroupMissing& missing);

/// It would fit, but others were there before.
/// "; needs 1 driver + 4 executors (9 cpu, 11Gi memory)", as a Rejection says it.
std::string size_text(std::int64_t executors, const core::Resources& needs);

StatusMessage queue_message(
    std::size_t nodes, const std::string& subject, std::int32_t ahead, const std::string& head);
/// It would not fit even if nothing ran on the nodes that are open. The code says whether closed
/// nodes would help (waiting_for_capacity), none could ever (constraints_unsatisfiable), or there
/// are too few.
StatusMessage infeasible_message(
    ReasonCode code, const std::string& subject, const core::Rejection& rejection);
/// Its pods have room, but not so much is free on all nodes together as its object wants.
StatusMessage sum_message(
    ReasonCode code,
    std::size_t nodes,
    const std::string& subject,
    const core::Resources& wanted,
    const core::Resources& free);
/// It would fit the cluster, but not beside what pods of others use.
StatusMessage other_schedulers_message(
    const std::string& subject, const core::Rejection& rejection);
/// Its wish of GPUs is in the way, as `lacks` says; empty: beside the other pods of its gang.
StatusMessage gpu_message(
    ReasonCode code,
    const std::string& subject,
    const core::Rejection& rejection,
    const std::string& lacks);
/// So many executors, and what each asks.
struct AskedFor {
    std::int64_t count = 0;
    const core::Resources* each = nullptr;
};
/// The same, of one for whose executors an autoscaler was asked, at that time; without a time so
/// long ago.
StatusMessage nodes_message(
    StatusMessage message,
    const Application& app,
    const std::vector<AskedFor>& parts,
    const std::string& at,
    std::int64_t ago_ms);
/// Others are evicted for it; no `whom`: their pods end already.
StatusMessage preemption_message(
    std::size_t nodes, const std::string& subject, const Nomination& nomination);
StatusMessage retry_message(std::size_t nodes, const Retry& retry);

/// For executors: one short line that points at the driver.
StatusMessage member_message(
    std::size_t nodes, const Application& gang, const core::Resources& asked);
StatusMessage ended_driver_message(std::size_t nodes, const Application& gang);
/// An executor whose driver is not there, or not admitted.
StatusMessage ownerless_message(std::size_t nodes, const core::Pod& executor);
StatusMessage limit_message(std::size_t nodes, const Application& gang, std::int64_t limit);
StatusMessage failing_message(std::size_t nodes, const Application& gang, std::int64_t pause_ms);
StatusMessage oversized_message(
    std::size_t nodes,
    const Application& gang,
    const core::Resources& asked,
    const core::Resources& declared);

/// The event of a bind, in kube-scheduler's words, with what a gang has reserved; no `app`: a pod
/// that starts no gang.
std::string bound_text(const PodEntry& entry, const Application* app);

}  // namespace gang
