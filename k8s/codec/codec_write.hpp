#pragma once
// The bodies of our writes.

#include "k8s/protocol/write/writes.hpp"

#include <cstdint>
#include <string>

namespace k8s {

/// v1 Binding with uid, resourceVersion (if any) and annotations.
std::string encode_binding(const BindRequest& request);

/// Strategic merge patch of pods/status: conditions merge by type, uid and resourceVersion are
/// preconditions.
std::string encode_status_patch(const StatusPatch& patch, std::int64_t unix_time_ms);

/// policy/v1 Eviction of the pod with this uid.
std::string encode_eviction(const PodName& pod);

struct EventSource {
    std::string component;
    std::string instance;
};

/// events.k8s.io/v1 Event; `serial` makes its name unique within the process.
std::string encode_event(
    const PodEvent& event,
    const EventSource& source,
    std::int64_t unix_time_ms,
    std::uint64_t serial);

}  // namespace k8s
