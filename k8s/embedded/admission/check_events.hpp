#pragma once
// Events: what the real server fills in and what it refuses. A recorder that sends an event of
// events.k8s.io must say more than one that sends a core event.

#include "k8s/embedded/admission/checks.hpp"

namespace k8s::embedded {

/// `event` in the stored form, a core event.
void default_event(Json& event);
void check_event(const Json& event, Checks& checks);
/// A new one as events.k8s.io sends it; also what its own form asks of it.
void check_new_event(const Json& event, Checks& checks);

}  // namespace k8s::embedded
