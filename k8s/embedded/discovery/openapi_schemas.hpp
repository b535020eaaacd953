#pragma once
// components.schemas of an OpenAPI document: names and types, no descriptions. `kubectl explain`
// reads them.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <vector>

namespace k8s::embedded {

/// The schemas of these kinds and of everything they are made of.
Json openapi_schemas(const std::vector<const Kind*>& kinds);

}  // namespace k8s::embedded
