#pragma once
// What can be asked of the writer, and what it answers: plain values.

#include "core/value/constraints.hpp"
#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/evict.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace k8s {

using protocol::BindOutcome;
using protocol::EvictOutcome;

/// Names one pod; a write never touches a pod of the same name with another uid.
struct PodName {
    std::string namespace_name;
    std::string name;
    std::string uid;
    friend bool operator==(const PodName&, const PodName&) = default;
};

struct BindRequest {
    PodName pod;
    std::string resource_version;  ///< precondition; empty: none
    std::string node;
    core::StringMap annotations;  ///< merged into the pod by the same write
    std::string gang;             ///< for whose turn it waits; empty: its namespace's
    bool starts_gang = false;     ///< before the other binds of its gang
};

struct BindResult {
    BindOutcome outcome = BindOutcome::not_sent;
    std::string message;
    BindRequest request;  ///< as asked, given back; perhaps without its gang
};

/// The PodScheduled=False condition.
struct PodCondition {
    std::string reason;   ///< one CamelCase word
    std::string message;  ///< cut at condition_message_max bytes
    /// False: the pod carries PodScheduled=False already, so lastTransitionTime stays as it is.
    bool is_transition = true;
    friend bool operator==(const PodCondition&, const PodCondition&) = default;
};
inline constexpr std::size_t condition_message_max = 1024;

/// One patch of pods/status: a condition, annotations, or both in the same write.
struct StatusPatch {
    PodName pod;
    std::string resource_version;  ///< precondition; empty: none
    std::optional<PodCondition> condition;
    core::StringMap annotations;
};

struct StatusResult {
    bool written = false;
    bool changed = false;  ///< 409: the pod is past the precondition; look at it again
    std::string message;   ///< why not
    std::string node;      ///< spec.nodeName in the answer: the pod may have been bound meanwhile
};

struct EvictResult {
    EvictOutcome outcome = EvictOutcome::not_sent;
    std::string message;  ///< why not
};

struct PodEvent {
    PodName pod;
    bool warning = false;
    std::string reason;   ///< one CamelCase word
    std::string message;  ///< cut at event_note_max bytes
    bool is_about_node = false;  ///< `pod` names a node; its namespace is where the event goes
    std::string group_api_version = {};  ///< not empty: `pod` names a PodGroup of this version
};
inline constexpr std::size_t event_note_max = 1000;

enum class FetchOutcome : std::uint8_t {
    found,
    not_found,   ///< 404
    forbidden,   ///< 401, 403
    unreadable,  ///< it came, but it is not a config map within bounds
    failed       ///< anything else: worth asking again later
};

struct ConfigMap {
    std::string namespace_name;
    std::string name;
    core::StringMap data;  ///< binaryData is not read
    friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

struct ConfigMapResult {
    FetchOutcome outcome = FetchOutcome::failed;
    ConfigMap config_map;
    std::string message;
};

}  // namespace k8s
