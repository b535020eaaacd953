#pragma once
// When what happened to a pod, as the API server remembers it: the times in the pod itself and the
// Kubernetes Events about it. For the command line; the scheduler decides nothing by them.

#include "core/base/result.hpp"
#include "core/value/pod.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace k8s {

/// Times are Unix milliseconds (whole seconds, as Kubernetes writes them); 0: not yet, or unknown.
struct PodHistory {
    std::string namespace_name;
    std::string name;
    std::string uid;
    std::string application;     ///< label spark-app-selector
    std::string app_name;           ///< label spark-app-name
    bool is_of_spark = false;    ///< it has label spark-role
    std::string controller_uid;  ///< empty: nobody controls it
    std::string scheduler_name;
    std::string node;
    core::PodPhase phase = core::PodPhase::pending;
    std::int64_t created_ms = 0;
    std::int64_t bound_ms = 0;     ///< PodScheduled became true
    std::int64_t started_ms = 0;   ///< its first container did; else the pod's startTime
    std::int64_t ended_ms = 0;     ///< its last container did
    std::int64_t deleting_ms = 0;  ///< deletionTimestamp less the grace period
    core::StringMap annotations;   ///< only keys under "gang-scheduler/"
    std::string end_reason;        ///< "OOMKilled", "Error, exit code 1", "OutOfcpu"
    friend bool operator==(const PodHistory&, const PodHistory&) = default;
};

struct RecordedEvent {
    std::int64_t time_ms = 0;  ///< of its latest occurrence
    bool warning = false;
    std::string component;  ///< who reported it
    std::string reason;
    std::string message;
    friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

/// One page of a list and the token of the next, empty on the last.
template <typename T>
struct ListPage {
    std::vector<T> items;
    std::string continue_token;
};

/// Reads a PodList. A time that cannot be read counts as unknown.
core::Result<ListPage<PodHistory>> decode_pod_histories(const std::string& json);

/// Reads a v1 EventList.
core::Result<ListPage<RecordedEvent>> decode_events(const std::string& json);

}  // namespace k8s
