#pragma once
// The checks of metadata: names, labels, annotations, owners, finalizers, and what may not change.

#include "k8s/embedded/admission/checks.hpp"
#include "k8s/embedded/store/kinds.hpp"

namespace k8s::embedded {

/// Of an object as it will be stored.
void check_metadata(const Kind& kind, const Json& object, Checks& checks);

/// Labels as an object or a pod template has them, at `field`.
void check_labels(const Json* labels, const std::string& field, Checks& checks);

/// What an update must leave alone.
void check_metadata_update(const Json& stored, const Json& object, Checks& checks);

/// Fields that a client may leave out of an update, but not remove: they are taken from `stored`.
void keep_metadata(const Json& stored, Json& object);

}  // namespace k8s::embedded
