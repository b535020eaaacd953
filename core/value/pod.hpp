#pragma once
// A pod as far as scheduling sees it. Made by the codec from one watch line, handed to the
// scheduler by value; the cluster keeps only what it needs of it.

#include "core/base/boxed.hpp"
#include "core/base/shared.hpp"
#include "core/value/claim.hpp"
#include "core/value/constraints.hpp"
#include "core/value/pod_rules.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct OwnerReference {
    std::string kind;
    std::string name;
    std::string uid;
    bool controller = false;
    friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// The PodScheduled condition as the API server last showed it.
struct ScheduledCondition {
    bool status = false;
    std::string reason;
    std::string message;
    std::int64_t since = 0;  ///< lastTransitionTime of a True one, Unix seconds; 0: not said
    friend bool operator==(const ScheduledCondition&, const ScheduledCondition&) = default;
};

struct ConfigMapKey {
    std::string config_map;
    std::string key;
    friend bool operator==(const ConfigMapKey&, const ConfigMapKey&) = default;
};

struct Pod {
    std::string namespace_name;
    std::string name;
    std::string uid;
    std::string resource_version;  ///< opaque
    std::string scheduler_name;
    std::string node_name;  ///< empty: not bound
    PodPhase phase = PodPhase::pending;
    std::string failure;       ///< status.reason of a failed pod
    bool deleting = false;     ///< deletionTimestamp is set
    bool gated = false;        ///< spec.schedulingGates is not empty
    std::int64_t created = 0;  ///< creationTimestamp, Unix seconds
    std::int64_t ended = 0;  ///< of one that succeeded: when its last container did; 0: not said
    std::int32_t priority = 0;
    bool never_preempts = false;  ///< spec.preemptionPolicy: Never
    /// spec.serviceAccountName, if it is another than "default".
    Boxed<std::string> service_account;
    StringMap labels;
    StringMap annotations;  ///< only keys that is_kept_annotation() names
    std::vector<OwnerReference> owners;
    Resources requests;                           ///< effective, see effective_requests()
    Shared<Constraints> constraints;              ///< alike in most pods that wait
    Boxed<PodRules> rules;                        ///< few pods have any; never an empty one
    Boxed<std::vector<ClaimUse>> claims;          ///< sorted; never an empty one
    std::optional<ScheduledCondition> scheduled;  ///< most pods have one: not worth a box
    /// spec.schedulingGroup.podGroupName: Kubernetes' own word for a gang.
    Boxed<std::string> pod_group;
    /// The file named by --properties-file in the container whose first argument is `driver`,
    /// traced through its mount to a config map: what makes a pod a Spark driver of cluster mode.
    Boxed<ConfigMapKey> spark_properties;
    /// The executor template's config map (volume pod-template-volume), if the driver mounts one.
    Boxed<ConfigMapKey> executor_template;
    /// Not empty: the codec could not read something scheduling needs (an overflowing quantity,
    /// ...).
    std::string problem;

    friend bool operator==(const Pod&, const Pod&) = default;
};

/// Whether all but their resourceVersions are equal.
bool is_same_but_version(const Pod& a, const Pod& b);

/// Terminal pods hold nothing on their node.
inline bool is_terminal(const Pod& pod) {
    return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

/// Whether the kubelet of its node would not have the pod at all, for want of room or for a rule of
/// the node that we did not see broken. A container that fails, or an eviction, is something else.
bool is_refused_by_kubelet(const Pod& pod);

/// Of such a pod: whether a port of the node that it wants is taken.
bool is_refused_host_port(const Pod& pod);

/// Whether scheduling may read this annotation. All others are dropped while decoding: some are
/// large, and nothing here needs them.
bool is_kept_annotation(std::string_view key);

/// Of a kept annotation: whether all that counts is that it is there. Its value, which may be a
/// document of any size, is dropped.
bool is_kept_without_value(std::string_view key);

/// The controlling owner, or nullptr.
const OwnerReference* find_controller(const Pod& pod);

struct ContainerRequest {
    std::string name;
    Resources requests;
    bool restartable = false;  ///< init container with restartPolicy Always: a sidecar
    friend bool operator==(const ContainerRequest&, const ContainerRequest&) = default;
};

/// The parts of a pod spec that make up its request.
struct PodRequests {
    std::vector<ContainerRequest> containers;
    std::vector<ContainerRequest>
        init_containers;  ///< in order; sidecars count from their place on
    Resources overhead;   ///< spec.overhead of the RuntimeClass
    std::optional<Resources>
        pod_level;  ///< spec.resources.requests: replaces the sum for the resources it names
    friend bool operator==(const PodRequests&, const PodRequests&) = default;
};

/// What the kubelet and kube-scheduler count for a pod: k8s.io/component-helpers
/// resource.PodRequests. max(sum of containers + sidecars, each init container + the sidecars
/// started before it), then the pod-level requests, plus overhead. Overflow is an error.
Result<Resources> effective_requests(const PodRequests& requests);

}  // namespace core
