#pragma once
// What YuniKorn's words say of a gang: the task groups of an application, which of them a pod is
// of, and how long the whole gang is waited for. The words are YuniKorn's, documented in its user
// guide on gang scheduling; no placeholder pods are made of them.

#include "core/value/constraints.hpp"
#include "core/value/pod.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gang::yunikorn {

inline constexpr std::string_view task_groups_key = "yunikorn.apache.org/task-groups";
inline constexpr std::string_view task_group_key = "yunikorn.apache.org/task-group-name";
inline constexpr std::string_view parameters_key = "yunikorn.apache.org/schedulingPolicyParameters";

/// Pods that are alike.
struct TaskGroup {
    std::string name;
    std::int64_t members = 0;     ///< minMember, from 1 on
    core::Resources requests;     ///< minResource: of each pod
    core::Constraints constraints;
    std::vector<std::string> unread;  ///< fields that say something and change nothing here
    friend bool operator==(const TaskGroup&, const TaskGroup&) = default;
};

struct TaskGroups {
    std::vector<TaskGroup> groups;
    std::string problem;  ///< not empty: the list makes no sense, nothing else counts
    friend bool operator==(const TaskGroups&, const TaskGroups&) = default;
};

/// From the lines that the codec makes of the JSON (k8s/codec/pod/task_groups.hpp).
TaskGroups read_task_groups(std::string_view lines);

/// How the gang is waited for.
struct Style {
    /// gangSchedulingStyle=Soft: after so long its pods start one by one. 0: whole or not at all,
    /// which is what counts without a style, too.
    std::int64_t soft_after_ms = 0;
    std::string warning;  ///< not empty: a parameter is not understood
    friend bool operator==(const Style&, const Style&) = default;
};

/// "placeholderTimeoutInSeconds=60 gangSchedulingStyle=Soft"; without a timeout 15 minutes, as
/// YuniKorn has it.
Style read_style(std::string_view parameters);

/// The annotation, or nullptr.
const std::string* find_task_groups(const core::Pod& pod);
/// The name of the pod's own task group; empty: none.
const std::string& task_group_of(const core::Pod& pod);
Style style_of(const core::Pod& pod);
/// The application's id, from yunikorn.apache.org/app-id or applicationId; empty: none.
const std::string& application_of(const core::Pod& pod);

/// Whether the pod is of a gang by these words.
inline bool is_of_gang(const core::Pod& pod) {
    return find_task_groups(pod) != nullptr || !task_group_of(pod).empty();
}

/// A sentence per group and field that is not acted upon.
std::vector<std::string> unread_fields(const TaskGroups& said);

}  // namespace gang::yunikorn
