#pragma once
// What the status of a PodGroup object says, whichever API group it is of. Each of them shows a part
// of it, in its own words (k8s/codec/group).

#include <cstddef>
#include <cstdint>
#include <string>

namespace core {

enum class GroupPhase : std::uint8_t {
    none,        ///< nothing is said
    pending,     ///< too few pods, or the object makes no sense
    inqueue,     ///< Volcano: its controllers may make pods
    scheduling,  ///< coscheduling: the pods are there, and do not run yet
    running,     ///< the minimum runs
    unknown,     ///< Volcano, kube-batch: some run, too few, and the others find no room
    finished,    ///< the minimum has done its work; Volcano calls it Completed
    failed       ///< coscheduling
};
inline constexpr GroupPhase last_group_phase = GroupPhase::failed;

enum class GroupCondition : std::uint8_t { none, unschedulable, scheduled };
inline constexpr GroupCondition last_group_condition = GroupCondition::scheduled;

struct PodGroupStatus {
    GroupPhase phase = GroupPhase::none;
    std::int64_t running = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::string occupied_by;  ///< coscheduling: who owns the pods, "namespace/name,..."
    GroupCondition condition = GroupCondition::none;
    std::string reason;         ///< one CamelCase word, of the condition
    std::string message;        ///< likewise
    std::int64_t since_ms = 0;  ///< Unix ms: when the condition came to be; whole seconds
    friend bool operator==(const PodGroupStatus&, const PodGroupStatus&) = default;
};

/// For logs.
constexpr const char* word(GroupPhase phase) {
    constexpr const char* words[] = {
        "-", "pending", "inqueue", "scheduling", "running", "unknown", "finished", "failed"};
    return words[static_cast<std::size_t>(phase)];
}
constexpr const char* word(GroupCondition condition) {
    constexpr const char* words[] = {"-", "unschedulable", "scheduled"};
    return words[static_cast<std::size_t>(condition)];
}

}  // namespace core
