#pragma once
// What a PodGroup object asks of the scheduler, whichever API group it is of.

#include "core/value/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Whose words name a pod's group. What stands first is believed first.
enum class GroupDialect : std::uint8_t {
    kubernetes,    ///< spec.schedulingGroup: PodGroup of scheduling.k8s.io
    coscheduling,  ///< label scheduling.x-k8s.io/pod-group: PodGroup of scheduling.x-k8s.io
    volcano,       ///< annotation scheduling.k8s.io/group-name: Volcano's or kube-batch's PodGroup
    labels         ///< name and minimum as labels or annotations of each pod: no object
};
inline constexpr GroupDialect last_group_dialect = GroupDialect::labels;

/// Of the pods of one role there are to be at least so many.
struct RoleMinimum {
    std::string role;
    std::int64_t count = 0;
    friend bool operator==(const RoleMinimum&, const RoleMinimum&) = default;
};

struct PodGroup {
    std::int64_t min_members = 1;    ///< so many pods start together, or none; 0: each by itself
    std::vector<RoleMinimum> roles;  ///< by name; Volcano's minTaskMember
    std::string problem;             ///< not empty: it makes no sense, and nothing else counts
    Resources min_resources = {};    ///< free in all before any of them starts
    std::string queue = {};          ///< it waits in; empty: not said
    std::optional<std::int32_t> priority = {};  ///< its own; else that of its pods
    std::string topology_key = {};  ///< all of it on nodes with one value of this label; empty: anywhere
    std::string max_wait = {};      ///< it is to wait for so long at most, as written; empty: not said
    bool never_preempts = false;    ///< nobody is evicted for it
    bool goes_whole = false;        ///< nobody of it is evicted without the others
    friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

}  // namespace core
