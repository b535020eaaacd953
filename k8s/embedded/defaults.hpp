#pragma once
// Admission: the defaults that the real API server fills in and clients rely on, and the checks
// after which a bad object is refused instead of stored. The texts are those of Kubernetes.

#include "k8s/embedded/face.hpp"
#include "k8s/embedded/json_value.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::embedded {

/// What admission must ask of the rest of the server.
struct Surroundings {
    /// The PriorityClass of that name, or nullptr. Empty function: none exist.
    std::function<const Json*(std::string_view)> find_priority_class;
    /// A number that was never given out before, for made-up cluster addresses. Must not be empty
    /// when services are created.
    std::function<std::uint64_t()> next_number;
};

/// Before a create: `object` (metadata.name already made from generateName, namespace already set)
/// gets its defaults and is checked. Nothing when it may be stored, else the Status to answer
/// (422 Invalid with causes, 403 Forbidden, 400 BadRequest); its "code" is the HTTP status.
std::optional<Json> admit_create(
    const ResourceName& resource, Json& object, const Surroundings& around);

/// Before an update or patch of an object (not of its status): defaults again, then the checks of
/// the object and of what may not change. `stored` is the present object.
std::optional<Json> admit_update(
    const ResourceName& resource, const Json& stored, Json& object, const Surroundings& around);

/// Before an update or patch of the status subresource: metadata is checked (a pod whose
/// annotations went bad is refused, as the real server does), and quantities in the status.
std::optional<Json> admit_status(const ResourceName& resource, const Json& stored, Json& object);

/// A Status object of kind Failure. `details` members (name, group, kind, causes) are the caller's.
Json failure_status(int code, std::string reason, std::string message, Json details = {});

}  // namespace k8s::embedded
