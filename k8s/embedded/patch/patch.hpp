#pragma once
// The three patch formats that take an object to its next state. Server-side apply, which also
// keeps books on who owns which field, is in apply_patch.hpp.

#include "k8s/embedded/store/status.hpp"

namespace k8s::embedded {

/// RFC 6902. A patch that is no patch is a 400, one that does not apply (a failed test, a missing
/// path) a 422.
Outcome<Json> json_patch(Json document, const Json& patch);

/// RFC 7386: null removes, lists are replaced.
Json merge_patch(Json document, const Json& patch);

/// Kubernetes' own: lists of the kinds in list_rules.hpp merge by key, "$patch", "$retainKeys" and
/// "$deleteFromPrimitiveList" are obeyed. A list item without its merge key is a 400.
Outcome<Json> strategic_patch(const Kind& kind, Json document, const Json& patch);

}  // namespace k8s::embedded
