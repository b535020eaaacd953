#pragma once
// Sections that all versions of a KubeSchedulerConfiguration have.

#include "config/kube/notes.hpp"
#include "config/schema.hpp"

namespace config::kube {

Key leader_election(Schema& schema, Notes& notes);
Key client_connection(Schema& schema, Notes& notes);

/// Serving this name is no mistake only where no other scheduler serves it.
void warn_of_default_name(const Tree& at, const Profile& profile, Notes& notes);

}  // namespace config::kube
