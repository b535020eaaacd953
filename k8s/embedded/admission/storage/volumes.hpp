#pragma once
// PersistentVolumes: their defaults, their checks, and what may change in one.

#include "k8s/embedded/admission/checks.hpp"
#include "k8s/embedded/admission/defaults.hpp"

namespace k8s::embedded {

void default_volume(Json& volume);

/// A new volume has been in its first phase since it was made.
void date_new_volume(Json& volume);

/// Writes when the phase changed, unless the author of the new status did.
void date_phase(const Json& stored, Json& volume, const Surroundings& around);

void check_volume(const Json& volume, Checks& checks);

/// Where the data lies never changes, and nor do the nodes that reach it.
void check_volume_update(const Json& stored, const Json& volume, Checks& checks);

}  // namespace k8s::embedded
