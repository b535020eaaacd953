#pragma once
// Everything that can happen to the scheduler, on one page. Events come from the edge in any order
// across kinds and may come twice; the scheduler never asks anybody anything in return.

#include "config/schema.hpp"
#include "core/base/alternative_of.hpp"
#include "core/base/boxed.hpp"
#include "core/value/claim.hpp"
#include "core/value/device/sampled_gpu.hpp"
#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "core/value/namespaces/namespace_labels.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/quota/namespace_quotas.hpp"
#include "core/value/volume/storage.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/declare/spark/conf.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gang {

struct PodUpserted {
    core::Pod pod;
};
struct PodDeleted {
    std::string uid;
};
struct NodeUpserted {
    core::Node node;
};
struct NodeDeleted {
    std::string name;
};

enum class Kind : std::uint8_t { pods, nodes };

/// A full list of one kind begins: what follows until RelistEnded is that list (deletes of what is
/// missing from it come as ordinary delete events before RelistEnded). Nothing is planned between
/// the two, nor before both kinds have ended once.
struct RelistBegun {
    Kind kind;
};
struct RelistEnded {
    Kind kind;
};

struct SparkConfFound {
    std::string driver_uid;
    spark::Conf conf;
};

enum class ConfProblem : std::uint8_t {
    not_found,   ///< 404: Spark creates the config map after the driver
    forbidden,   ///< 401/403
    unreadable,  ///< it is there, but is not what Spark writes (no such key, not properties,
                 ///< template not YAML, too big)
    failed       ///< anything else (timeout, 5xx); asked again like not_found
};
struct SparkConfMissing {
    std::string driver_uid;
    ConfProblem problem;
    std::string message;
};

/// A claim, with its volume or its storage class.
struct ClaimFound {
    std::string namespace_name;
    std::string name;
    core::Claim claim;
};

enum class ClaimProblem : std::uint8_t {
    not_found,  ///< 404
    forbidden,  ///< 401/403
    failed      ///< anything else
};
struct ClaimMissing {
    std::string namespace_name;
    std::string name;
    ClaimProblem problem;
    std::string message;
};

/// The volume limits of all nodes that have any, by node.
struct VolumeLimitsListed {
    std::vector<core::NodeVolumeLimits> nodes;
};
/// Those of one node are others; it may have none.
struct VolumeLimitsChanged {
    core::NodeVolumeLimits node;
};
/// We may not list them, or the API server has no such kind. They count for nothing from here on,
/// until they are listed after all.
struct VolumeLimitsMissing {
    std::string message;
};

/// How much storage drivers have left for volumes of their classes.
struct StorageListed {
    std::vector<core::StorageSegment> segments;
};
/// One of them is another, or new; one that no node reaches is gone.
struct StorageChanged {
    core::StorageSegment segment;
};
/// We may not list it, or the API server has no such kind. Nothing is limited by it from here on,
/// until it is listed after all.
struct StorageMissing {
    std::string message;
};

/// All namespaces, with their labels.
struct NamespacesListed {
    std::vector<core::NamespaceLabels> namespaces;
};
/// One came, or has other labels.
struct NamespaceChanged {
    core::NamespaceLabels one;
};
struct NamespaceDeleted {
    std::string name;
};
/// We may not list them. What was known of them stays.
struct NamespacesMissing {
    std::string message;
};

/// The object of a pod group, as far as it matters.
struct PodGroupFound {
    core::GroupDialect dialect;
    std::string namespace_name;
    std::string name;
    core::PodGroup group;
    std::string uid = {};          ///< of the object; empty: its status is not to be written
    std::string api_version = {};  ///< in which it was read: "scheduling.x-k8s.io/v1alpha1"
    core::PodGroupStatus status = {};  ///< as it stands there
};

enum class PodGroupProblem : std::uint8_t {
    not_found,   ///< 404: there is no such object, or no such kind of object
    forbidden,   ///< 401/403
    unreadable,  ///< it is no PodGroup that we know
    failed       ///< anything else
};
struct PodGroupMissing {
    core::GroupDialect dialect;
    std::string namespace_name;
    std::string name;
    PodGroupProblem problem;
    std::string message;
};

/// The ResourceQuotas and LimitRanges of a namespace, as they were some time after FetchQuotas.
struct QuotasFound {
    std::string namespace_name;
    core::NamespaceQuotas quotas;
};

enum class QuotaProblem : std::uint8_t {
    forbidden,   ///< 401/403
    unreadable,  ///< there is one that makes no sense
    failed       ///< anything else
};
struct QuotasMissing {
    std::string namespace_name;
    QuotaProblem problem;
    std::string message;
};

enum class GroupStatusOutcome : std::uint8_t {
    written,
    others,     ///< somebody else writes this status: it is theirs
    gone,       ///< 404, or another uid
    forbidden,  ///< 401/403
    refused,    ///< any other answer that repeating will not change
    failed      ///< anything else; it may have been written
};
inline constexpr std::size_t group_status_outcome_count = 6;
/// Answer to WriteGroupStatus.
struct GroupStatusWritten {
    core::GroupDialect dialect;
    std::string namespace_name;
    std::string name;
    GroupStatusOutcome outcome;
    std::string message;  ///< why not
};

enum class BindOutcome : std::uint8_t {
    bound,         ///< 201, or 409 with our own node: an earlier attempt landed
    taken,         ///< 409: assigned to another node
    gone,          ///< 404, or another uid: this pod will never come back
    changed,       ///< 409 on resourceVersion: decide again on the pod's next state
    not_bindable,  ///< being deleted or gated
    refused,       ///< 400/403/413/422: will not work by repeating it
    not_sent       ///< certain that nothing was executed (no connection, 429 for too long)
};
/// Unknown outcomes never get here: the edge resolves them by reading the pod again.
struct BindFinished {
    std::string pod_uid;
    BindOutcome outcome;
    std::string message;
};

enum class WriteOutcome : std::uint8_t {
    written,
    changed,  ///< 409 on resourceVersion: decide again on the pod's next state, which may have it
    failed    ///< refused, gone, or tried for too long
};
/// Answer to UpdateReservation and to a SetCondition with `fence`.
struct StatusWritten {
    std::string pod_uid;
    WriteOutcome outcome;
    std::string message;  ///< why not
};

enum class EvictOutcome : std::uint8_t {
    evicted,   ///< 200/201: the pod ends within its grace period
    budget,    ///< 429: a PodDisruptionBudget does not allow it now
    gone,      ///< 404, or another uid
    refused,   ///< 400/403/422: will not work by repeating it
    not_sent   ///< it was not carried out as far as is known, and may be asked for again
};
inline constexpr std::size_t evict_outcome_count = 5;
/// Answer to EvictPod. An eviction says the same each time, so the edge repeats what had no answer.
struct EvictFinished {
    std::string pod_uid;
    EvictOutcome outcome;
    std::string message;
};

/// The consistency check has found, twice, that the driver does not carry the reservation that the
/// ledger holds.
struct ReservationDiffers {
    std::string driver_uid;
};

/// One pod with a node, of the list that ListPods has asked for.
struct PodListed {
    std::string uid;
    std::string namespace_name;
    core::StringMap labels;
    bool deleting = false;
};
/// The end of that list.
struct PodsListed {
    bool complete = false;  ///< false: the API server did not answer, or not to the end
};

/// kube-scheduler asks where this pod may go, of these nodes. Answered by AnswerExtender, unless
/// nothing can be said yet: then whoever asks gives up in time, and asks again.
struct ExtenderAsked {
    std::int64_t token = 0;  ///< of this question
    core::Pod pod;           ///< as kube-scheduler sees it
    std::vector<std::string> nodes;
};
/// kube-scheduler binds the pod there by us. Answered by a BindPod for it, or AnswerExtender: no.
struct ExtenderBinds {
    std::int64_t token = 0;
    std::string namespace_name;
    std::string name;
    std::string pod_uid;
    std::string node;
};

/// Answer to AskExtenders, always once.
struct ExtendersAnswered {
    std::string question;             ///< that of AskExtenders
    std::string problem;              ///< not empty: one whose word is needed gave none; no more counts
    std::vector<std::string> nodes;   ///< of those asked about, which all let the pod go to; by name
    std::vector<core::NodePoints> points;  ///< what they gave to these; by node, none 0
    std::string refusal;              ///< why one of the others is out; empty: not said
};

/// The GPUs of all nodes that have any, as their metrics were at the time of the event: nodes by
/// name, GPUs by id, each once.
struct MetricsSampled {
    std::vector<core::SampledNode> nodes;
};
/// They were asked for in vain.
struct MetricsMissing {
    std::string message;  ///< why
};

/// What became of a WantCapacity or a DropCapacity.
enum class CapacityOutcome : std::uint8_t {
    written,
    dropped,
    no_kind,    ///< 404: the API server has no such kind of object
    forbidden,  ///< 401/403
    refused,    ///< any other answer that repeating will not change
    failed      ///< anything else (timeout, 5xx, 429)
};
struct CapacityAnswered {
    std::string driver_uid;
    CapacityOutcome outcome;
    bool may_exist = true;  ///< some of its objects may be there
    std::string message;    ///< why not
};

/// Objects by which a scheduler, maybe one before us, has asked for capacity.
struct FoundCapacity {
    std::string namespace_name;
    std::string driver_uid;
    std::int64_t shapes = 0;  ///< how many it has, at least
    std::int64_t created_ms = 0;
    friend bool operator==(const FoundCapacity&, const FoundCapacity&) = default;
};
/// Answer to ListCapacity.
struct CapacityListed {
    bool is_complete = false;  ///< false: they could not be listed
    std::vector<FoundCapacity> found;
};

struct LeadershipGained {
    std::int64_t epoch;  ///< grows with every leader; goes into reservations and fencing conditions
    /// The leader before gave up with nothing under way, of its own or of an older one's: one write
    /// is enough of a fence, and what it is for is to see that our view is not from before.
    bool handed_over = false;
};
struct LeadershipLost {};

/// The edge's inbox ran dry, a burst took long enough, or a wake time is due: plan now.
struct Tick {};

/// The configuration is another one. Nothing that runs is touched: it holds for what is decided from
/// here on (gang/reconfigure). Of keys that need a new process it has the values of the one before.
struct ConfigChanged {
    core::Boxed<config::Schema> config;  ///< never empty
};

using EventKinds = std::variant<
    PodUpserted,
    PodDeleted,
    NodeUpserted,
    NodeDeleted,
    RelistBegun,
    RelistEnded,
    SparkConfFound,
    SparkConfMissing,
    ClaimFound,
    ClaimMissing,
    VolumeLimitsListed,
    VolumeLimitsChanged,
    VolumeLimitsMissing,
    StorageListed,
    StorageChanged,
    StorageMissing,
    NamespacesListed,
    NamespaceChanged,
    NamespaceDeleted,
    NamespacesMissing,
    PodGroupFound,
    PodGroupMissing,
    QuotasFound,
    QuotasMissing,
    GroupStatusWritten,
    BindFinished,
    StatusWritten,
    EvictFinished,
    ReservationDiffers,
    PodListed,
    PodsListed,
    ExtenderAsked,
    ExtenderBinds,
    ExtendersAnswered,
    MetricsSampled,
    MetricsMissing,
    CapacityAnswered,
    CapacityListed,
    LeadershipGained,
    LeadershipLost,
    ConfigChanged,
    Tick>;

/// One of these. How it is copied and moved is compiled once (event.cpp): of so many kinds that is
/// long, and a std::variant alone would have it in every file.
class Event : public EventKinds {
public:
    using Kinds = EventKinds;

    Event() noexcept;
    template <core::AlternativeOf<Kinds> One>
    Event(One one) noexcept : Kinds(std::in_place_type<One>, std::move(one)) {}
    Event(const Event& other);
    Event(Event&& other) noexcept;
    Event& operator=(const Event& other);
    Event& operator=(Event&& other) noexcept;
    ~Event();
};

struct StampedEvent {
    std::uint64_t sequence = 0;
    std::int64_t time_ms = 0;  ///< Unix milliseconds, never going backwards within a process
    Event event;
};

}  // namespace gang
