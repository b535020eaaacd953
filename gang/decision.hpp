#pragma once
// Everything the scheduler can ask of the edge, on one page. A decision is a request, not a fact:
// only the answering event makes it true.

#include "core/base/alternative_of.hpp"
#include "core/value/demand/capacity_shape.hpp"
#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "core/value/pod.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gang {

/// Names one pod to the edge.
struct PodRef {
    std::string namespace_name;
    std::string name;
    std::string uid;
    friend bool operator==(const PodRef&, const PodRef&) = default;
};

/// A claim of a pod that gets a volume which is there.
struct ClaimedVolume {
    std::string claim;
    std::string volume;
    friend bool operator==(const ClaimedVolume&, const ClaimedVolume&) = default;
};

/// POST the pod's Binding with uid and resourceVersion as preconditions and the annotations that
/// the API server merges in the same write. Answered by BindFinished.
struct BindPod {
    PodRef pod;
    std::string resource_version;
    std::string node;
    core::StringMap annotations;        ///< is_bind_time() ones are empty: the edge knows it
    std::int64_t pending_since_ms = 0;  ///< Unix ms when the pod was first seen
    bool starts_gang = false;           ///< a driver: with it the whole gang is admitted
    /// Claims of the pod whose volumes are to be made for that node first: the annotation
    /// volume.kubernetes.io/selected-node is written to each, and waited for.
    std::vector<std::string> claims = {};
    /// Claims of the pod that get these volumes first: each is written to its volume, and waited
    /// for in the same way.
    std::vector<ClaimedVolume> volumes = {};
};

/// GET the claim, and its volume or its storage class; without a namespace the storage class of
/// that name, for claims that are yet to be made. Answered by ClaimFound or ClaimMissing.
struct FetchClaim {
    std::string namespace_name;
    std::string name;
};

/// List the volume limits of all nodes (CSINodes), and watch them from then on. Answered by
/// VolumeLimitsListed or VolumeLimitsMissing, and by VolumeLimitsChanged as they change. Asked once.
struct WatchVolumeLimits {};

/// List how much storage drivers have left (CSIStorageCapacities), and watch it from then on.
/// Answered by StorageListed or StorageMissing, and by StorageChanged. Asked once.
struct WatchStorage {};

/// List all namespaces, and watch them from then on. Answered by NamespacesListed or
/// NamespacesMissing, and by NamespaceChanged and NamespaceDeleted as they change. Asked once.
struct WatchNamespaces {};

/// GET the object of a pod group, in the newest version that the API server has. Answered by
/// PodGroupFound or PodGroupMissing.
struct FetchPodGroup {
    core::GroupDialect dialect;
    std::string namespace_name;
    std::string name;
};

/// List the ResourceQuotas and LimitRanges of a namespace. Answered by QuotasFound or QuotasMissing.
struct FetchQuotas {
    std::string namespace_name;
};

/// Apply the status of that object, of this uid: what others have written stays theirs. Answered by
/// GroupStatusWritten.
struct WriteGroupStatus {
    core::GroupDialect dialect;
    std::string namespace_name;
    std::string name;
    std::string uid;
    std::string api_version;
    core::PodGroupStatus status;
};

/// GET the driver's config map(s). Answered by SparkConfFound or SparkConfMissing.
struct FetchSparkConf {
    PodRef driver;
    std::string spark_version;
    core::ConfigMapKey properties;
    std::optional<core::ConfigMapKey> executor_template;
};

/// PATCH pods/status: PodScheduled=False with this reason and message. With `fence` it is answered
/// by StatusWritten, and refused if the pod is not any more as it was seen (design: it moves the
/// pod past any bind of an older leader); without, nobody waits.
struct SetCondition {
    PodRef pod;
    std::string reason;
    std::string message;
    bool fence = false;
    std::string resource_version;  ///< precondition of a fence
    bool is_transition = true;     ///< false: the pod was seen with PodScheduled=False already
};

/// PATCH pods/status with new annotations on a bound driver: a reservation that changed, on the
/// state of the pod that it was decided on. Answered by StatusWritten; neither the room that it
/// frees nor the room that it takes is used before.
struct UpdateReservation {
    PodRef driver;
    std::string resource_version;  ///< precondition: a write of an older leader comes too late
    core::StringMap annotations;
};

/// Why a pod is evicted.
enum class EvictReason : std::uint8_t {
    reclaim,  ///< for a queue that holds less than it is guaranteed
    preempt   ///< for a gang of a higher priority
};
inline constexpr std::size_t evict_reason_count = 2;

/// POST the pod's Eviction with its uid as precondition: PodDisruptionBudgets are kept. Answered by
/// EvictFinished.
struct EvictPod {
    PodRef pod;
    EvictReason reason = EvictReason::reclaim;
};

/// List all pods once, beside the watch: labels of pods that are bound are asked for, which nobody
/// asked for when they came. Answered by PodListed for each pod with a node, then PodsListed.
struct ListPods {};

/// One Kubernetes Event on the pod, on a node or on a PodGroup, droppable.
struct RecordEvent {
    /// Of a PodGroup its names and uid; of a node its name and uid: events on nodes are in the
    /// namespace "default".
    PodRef pod;
    bool warning = false;
    std::string reason;
    std::string message;
    bool is_about_node = false;
    std::string group_api_version = {};  ///< not empty: it is about a PodGroup of this version
};

/// Write the objects by which an autoscaler is asked for room for these executors, in the driver's
/// namespace and owned by it; those that are there are brought to this state. Answered by
/// CapacityAnswered. What is asked of one driver's objects is carried out in order.
struct WantCapacity {
    PodRef driver;
    std::vector<core::CapacityShape> shapes;  ///< counts > 0 for at least one
};

/// Delete them. Answered by CapacityAnswered.
struct DropCapacity {
    PodRef driver;
    std::int64_t shapes = 0;  ///< that may have objects
};

/// List the objects of all drivers. Answered by CapacityListed.
struct ListCapacity {};

/// The answer to ExtenderAsked, or the refusal of ExtenderBinds.
struct AnswerExtender {
    std::int64_t token = 0;
    std::vector<std::string> nodes;  ///< of those asked about, on which the pod may go
    std::string message;             ///< why not on the others
};

/// Ask other people's extenders, those of the file, which of these nodes the pod may go to: one
/// after the other, each about those that are left. Answered by ExtendersAnswered.
struct AskExtenders {
    std::string question;  ///< names it, among all that are under way
    PodRef pod;            ///< it exists; of an executor to come: its driver
    bool is_to_come = false;
    std::string scheduler_name;
    core::Resources requests;
    std::vector<std::int64_t> extenders;  ///< whom: places in the file
    std::vector<std::string> nodes;       ///< by name
};

/// Send a Tick at this time (Unix ms). The earliest one asked for stays in force.
struct WakeAt {
    std::int64_t time_ms;
};

/// Another scheduler has taken over, so says what it wrote to a pod: nothing that we still have in
/// mind may be written. Nothing is decided any more until leadership is gained anew.
struct StepDown {
    std::string why;
};

using DecisionKinds = std::variant<
    BindPod,
    FetchSparkConf,
    FetchClaim,
    WatchVolumeLimits,
    WatchStorage,
    WatchNamespaces,
    FetchPodGroup,
    FetchQuotas,
    WriteGroupStatus,
    SetCondition,
    UpdateReservation,
    EvictPod,
    ListPods,
    RecordEvent,
    WantCapacity,
    DropCapacity,
    ListCapacity,
    AnswerExtender,
    AskExtenders,
    WakeAt,
    StepDown>;

/// One of these; see Event.
class Decision : public DecisionKinds {
public:
    using Kinds = DecisionKinds;

    Decision() noexcept;
    template <core::AlternativeOf<Kinds> One>
    Decision(One one) noexcept : Kinds(std::in_place_type<One>, std::move(one)) {}
    Decision(const Decision& other);
    Decision(Decision&& other) noexcept;
    Decision& operator=(const Decision& other);
    Decision& operator=(Decision&& other) noexcept;
    ~Decision();
};

/// Buffers of decisions keep their room for so many; a burst's room is given back.
inline constexpr std::size_t decisions_kept_max = 1'024;

inline void empty_buffer(std::vector<Decision>& buffer) {
    buffer.clear();
    if (buffer.capacity() > decisions_kept_max) {
        buffer.shrink_to_fit();
    }
}

/// A view of the scheduler's buffer, valid until its next step.
using Decisions = std::span<const Decision>;

}  // namespace gang
