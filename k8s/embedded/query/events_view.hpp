#pragma once
// Events are one set of objects with two forms: core/v1 (stored) and events.k8s.io/v1. These turn
// one form into the other and back.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <string>

namespace k8s::embedded {

/// The stored object as this kind's clients see it. For all kinds but events.k8s.io: unchanged.
Json to_view(const Kind& kind, const Json& stored);

/// A client's object in the form that is stored.
Json from_view(const Kind& kind, Json object);

/// "regarding.name" -> "involvedObject.name".
std::string core_event_field(const std::string& label);

}  // namespace k8s::embedded
