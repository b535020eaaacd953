#pragma once
// What the edge reads (k8s) as the scheduler's events. What is written: gang/host/requests.hpp.
// Pure functions.

#include "gang/decision.hpp"
#include "gang/declare/declaration_reader.hpp"
#include "gang/event.hpp"
#include "k8s/group/pod_group_client.hpp"
#include "k8s/quota/quota_client.hpp"
#include "k8s/protocol/write/writes.hpp"
#include "k8s/volume/claim_client.hpp"
#include "k8s/watch/watcher.hpp"

#include <string>
#include <variant>

namespace gang::app {

Event to_event(k8s::WatchKind kind, k8s::WatchEvent event);

/// Pods that may still be bound are bound and patched in a state that we have seen. Drivers that are
/// bound, and members of pod groups, are rewritten in one: their reservation may be gone, and is
/// written anew. Of all others, and of nodes, no write of ours names a version.
k8s::VersionUse version_use(
    const DeclarationReader& reader, const std::variant<core::Pod, core::Node>& object);

/// The answer to a FetchSparkConf from what came of its config maps; `executor_template` is not
/// looked at when the decision names none. Only allow-listed properties leave this function, and
/// no message quotes the conf, except the value that is wrong.
Event to_event(
    const FetchSparkConf& decision,
    const k8s::ConfigMapResult& properties,
    const k8s::ConfigMapResult& executor_template);

/// The answer to a FetchClaim.
Event to_event(const FetchClaim& decision, const k8s::ClaimResult& result);

/// The answer to a FetchPodGroup.
Event to_event(const FetchPodGroup& decision, const k8s::PodGroupResult& result);

/// The answer to a FetchQuotas.
Event to_event(const FetchQuotas& decision, const k8s::QuotaResult& result);

}  // namespace gang::app
