#pragma once
// Texts with a form of their own that the real server decodes before it looks at an object: times,
// microtimes, bytes. One that does not decode is a 400, not a 422.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"
#include "k8s/embedded/store/status.hpp"

#include <optional>

namespace k8s::embedded {

/// Microtimes come out in UTC, as they are stored.
std::optional<Failure> decode_forms(const Kind& kind, Json& object);

}  // namespace k8s::embedded
