#pragma once
// Server-side apply and the books it needs: who owns which field (metadata.managedFields). Writers
// who name no fieldManager leave no entry, unlike on a real API server, which falls back to the
// User-Agent; nested maps that Kubernetes treats as atomic are merged by member.

#include "k8s/embedded/store/status.hpp"

#include <cstdint>
#include <string>

namespace k8s::embedded {

struct FieldWriter {
    std::string manager;      ///< empty: no books are kept for this write
    std::string subresource;  ///< "status" or empty
    std::int64_t now_ms = 0;
    bool force = false;  ///< apply: take fields from their owners
};

/// Merges `config` into `live` (null: the object is new). Fields of the manager's last apply that
/// are no longer in `config` and belong to nobody else go away. Others own a field with a different
/// value: 409 with causes, or with `writer.force` the field changes hands. The books are updated.
Outcome<Json> apply_patch(
    const Kind& kind, const Json& live, const Json& config, const FieldWriter& writer);

/// Books of an ordinary write (create, update, patch): what changed now belongs to the writer.
/// `before` is null for a new object.
Json note_update(const Kind& kind, const Json& before, Json after, const FieldWriter& writer);

}  // namespace k8s::embedded
