#pragma once
// The answer to "why is my job pending?": the last decision's record in plain values, from which
// conditions, `why`, `gangs` and metrics are all written.

#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

/// Stable codes, also shown in brackets at the end of every condition we write.
enum class ReasonCode : std::uint8_t {
    none,
    waiting_for_spark_conf,
    waiting_for_capacity,
    waiting_for_nodes,
    waiting_in_queue,
    exceeds_cluster,
    constraints_unsatisfiable,
    pod_rules_not_met,
    waiting_for_volumes,
    waiting_for_pod_group,
    waiting_for_quota,
    waiting_for_extender,
    exceeds_quota,
    queue_stopped,
    held,
    waiting_for_preemption,
    gpu_metrics_stale,
    misconfigured,
    driver_ended,
    backing_off,
    bind_failed
};
inline constexpr ReasonCode last_reason_code = ReasonCode::bind_failed;

/// "WaitingForCapacity" etc.: the text in brackets.
std::string_view to_string(ReasonCode code);

/// The code in brackets at the end of a condition's text, none if there is no such code.
ReasonCode find_code(std::string_view condition);

/// "Unschedulable" for codes that mean want of room (autoscalers act on it), else
/// "SchedulingSkipped".
std::string_view condition_reason(ReasonCode code);

/// Whether waiting will not help: the gang, the configuration or the cluster has to change.
bool can_never_run(ReasonCode code);

enum class GangState : std::uint8_t {
    waiting_for_conf,
    waiting,
    parked,
    admitted,
    running,
    degraded,
    ended
};
std::string_view to_string(GangState state);

struct GangView {
    std::string namespace_name;
    std::string driver;  ///< pod name
    std::string driver_uid;
    std::string application;  ///< Spark application id, or the pod's name
    std::string app_name;        ///< Spark's name of the application; empty: not known
    std::string queue;        ///< with queues in the file: its full name
    GangState state = GangState::waiting;
    ReasonCode code = ReasonCode::none;
    std::int32_t position = 0;   ///< 1-based place in the queue, 0 when not waiting
    std::int32_t executors = 0;  ///< declared
    std::int32_t slots_open = 0;
    std::int32_t slots_assumed = 0;
    std::int32_t slots_bound = 0;
    core::Resources needs;  ///< driver and all declared executors
    std::int64_t waiting_since_ms = 0;
    // With backfill, as far as run times are known (docs/manage/backfill.md); Unix ms, 0: not
    // known.
    std::int64_t start_ms = 0;         ///< of one that waits: when it is expected to start,
    std::int64_t start_spread_ms = 0;  ///< give or take so much
    std::int64_t planned_ms = 0;  ///< it fits by then, if all that run end within their times
    std::int64_t end_ms = 0;      ///< of one that runs: when it is expected to end
    bool is_overdue = false;      ///< it ran longer than nine of ten while others waited
    std::int32_t bypasses = 0;    ///< later gangs that were admitted before it
    std::string message;  ///< the sentence of the condition, without the code
};

/// When the scheduler saw a gang take each step: Unix milliseconds, 0 for "not (seen) yet". What
/// happened before a restart or under another leader is not in it.
struct Milestones {
    std::int64_t sized_ms = 0;           ///< its gang's size was read, from a conf or labels
    std::int64_t admitted_ms = 0;        ///< every slot was reserved, the driver's bind sent
    std::int64_t driver_bound_ms = 0;    ///< the API server confirmed it
    std::int64_t first_executor_ms = 0;  ///< the first executor was bound
    std::int64_t all_executors_ms = 0;   ///< every slot had its executor for the first time
    std::int64_t ended_ms = 0;
    std::int32_t executors_bound = 0;  ///< binds of executors in all, replacements included
    friend bool operator==(const Milestones&, const Milestones&) = default;
};

struct Explanation {
    GangView gang;
    Milestones milestones;
    bool is_executor = false;  ///< the question named an executor of this gang
    core::Resources driver;    ///< what the driver asks
    core::Resources executor;  ///< what one executor asks
    std::vector<std::pair<std::string, std::int32_t>> slots_per_node;  ///< sorted by node
    std::vector<std::string>
        notes;  ///< further sentences: what rules nodes out, who is ahead, what would unblock it
};

}  // namespace gang
