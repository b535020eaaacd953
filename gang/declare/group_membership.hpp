#pragma once
// Which pod group a pod says it is a member of. A group has no driver: its pods exist, all of them
// or one after the other, and a minimum of them starts together. How many that is says an object
// (PodGroup), or the pods' own labels.

#include "core/value/group/pod_group.hpp"
#include "core/value/pod.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

using core::GroupDialect;

struct GroupMembership {
    GroupDialect dialect = GroupDialect::labels;
    std::string name;
    std::string source;        ///< "label scheduling.x-k8s.io/pod-group"
    std::int64_t minimum = 0;  ///< of GroupDialect::labels
    std::string problem;       ///< not empty: the minimum cannot be read
    std::string warning;       ///< not empty: another dialect names another group, and the like
    /// Of GroupDialect::labels. Two groups of one name in the words of two families are two groups.
    std::string_view family = {};
    std::vector<core::RoleMinimum> roles = {};  ///< by name; the minimum is their sum
    /// The minimum stands on another pod of the group.
    bool is_silent = false;
    /// After so long without room for all its pods start one by one; 0: never.
    std::int64_t soft_after_ms = 0;
};

/// Nothing: the pod names no group.
std::optional<GroupMembership> read_membership(const core::Pod& pod);

/// The label or annotation of this name names a group that is an object.
bool names_object(std::string_view key);

/// Executors of Spark's client mode (a notebook's, Spark Connect's): their driver is no pod that
/// starts a gang, so each says itself how many of them start together, by gang-scheduler/executors.
/// The group is their application. Nothing for executors that say nothing, or that a set made.
std::optional<GroupMembership> read_client_mode(const core::Pod& executor);

/// What the pod is in its group (Volcano's volcano.sh/task-spec, YuniKorn's task group); empty: not
/// said.
const std::string& role_in_group(const core::Pod& pod);

/// The group's kind as messages name it: "podgroups.scheduling.x-k8s.io"; empty: it has no object.
std::string_view kind_of(GroupDialect dialect);

}  // namespace gang
