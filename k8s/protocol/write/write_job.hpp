#pragma once
// One request to the API server with the callback that waits for it.

#include "k8s/protocol/write/object_status.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace k8s {

struct BindJob {
    BindRequest request;
    std::function<void(BindResult)> done;
    std::uint64_t sequence = 0;  ///< set by the queue
};
struct PatchJob {
    StatusPatch patch;
    std::function<void(StatusResult)> done;  ///< empty: droppable
    std::int64_t since_ms = 0;               ///< monotonic: when it began to wait
};
struct EvictJob {
    PodName pod;
    std::function<void(EvictResult)> done;
};
struct FetchJob {
    std::string namespace_name;
    std::string name;
    std::function<void(ConfigMapResult)> done;
};
struct EventJob {
    PodEvent event;
    std::int64_t since_ms = 0;  ///< as of a patch
};
struct ObjectStatusJob {
    ObjectStatusWrite write;
    std::function<void(ObjectStatusResult)> done;
    std::int64_t since_ms = 0;  ///< as of a patch
};
using WriteJob = std::variant<BindJob, PatchJob, EvictJob, FetchJob, EventJob, ObjectStatusJob>;

/// The pod whose writes a job must keep in order; empty for fetches, events and statuses of objects.
std::string order_key_of(const BindJob& job);
std::string order_key_of(const PatchJob& job);
std::string order_key_of(const EvictJob& job);
std::string order_key_of(const FetchJob& job);
std::string order_key_of(const EventJob& job);
std::string order_key_of(const ObjectStatusJob& job);
std::string order_key_of(const WriteJob& job);
/// A bind, an eviction, or a patch with a callback.
bool is_awaited_write(const WriteJob& job);
/// A condition, an event or the status of an object: nobody waits for it long.
bool is_droppable(const WriteJob& job);

}  // namespace k8s
