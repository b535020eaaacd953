#pragma once
// Admission: the defaults that the real API server fills in and clients rely on, and the checks
// after which a bad object is refused instead of stored. The texts are those of Kubernetes.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"
#include "k8s/embedded/store/status.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::embedded {

/// What admission must ask of the rest of the server.
struct Surroundings {
    /// The PriorityClass of that name, or nullptr. Empty function: none exist.
    std::function<const Json*(std::string_view)> find_priority_class = {};
    /// Every StorageClass there is. Empty function: none exist.
    std::function<std::vector<const Json*>()> storage_classes = {};
    /// The time as metadata spells it. Empty function: no time is written.
    std::function<std::string()> now = {};
    /// A number that was never given out before, for made-up cluster addresses. Empty: services get
    /// address 1.
    std::function<std::uint64_t()> next_number = {};
};

/// Before a create: `object` (metadata.name already made from generateName, namespace already set)
/// gets its defaults and is checked. Nothing when it may be stored, else what to answer (422
/// Invalid, 403 Forbidden, 400 BadRequest).
std::optional<Failure> admit_create(const Kind& kind, Json& object, const Surroundings& around);

/// Before an update or patch of an object (not of its status): defaults again, then the checks of
/// the object and of what may not change. `stored` is the present object.
std::optional<Failure> admit_update(
    const Kind& kind, const Json& stored, Json& object, const Surroundings& around);

/// Before an update or patch of the status subresource: metadata is checked (a pod whose
/// annotations went bad is refused, as the real server does), and the quantities in the status.
std::optional<Failure> admit_status(
    const Kind& kind, const Json& stored, Json& object, const Surroundings& around);

}  // namespace k8s::embedded
