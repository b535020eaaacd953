#pragma once
// Which fields a kind has. The real server drops what it does not know, and says so or refuses.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <string>
#include <vector>

namespace k8s::embedded {

/// An object against the schema of its kind. Paths are like "spec.containers[0].nonsense".
struct SchemaVerdict {
    std::vector<std::string> unknown;     ///< what the schema does not have, in the document's order
    std::vector<std::string> mismatched;  ///< what has another type than the schema says
};

/// Removes the unknown fields from `object`. A kind without a schema keeps everything.
SchemaVerdict apply_schema(const Kind& kind, Json& object);

}  // namespace k8s::embedded
