#pragma once
// What the pods of an application ask for, and whether it can run at all: on all nodes as they are
// made, with nobody there. What can not would keep a run from its end.

#include "gang/sim/plane/applications.hpp"

namespace gang::sim {

core::Resources driver_requests_of(const Application& one);
/// As the API server's pod shows them; of volumes it does not.
core::Resources executor_requests_of(const Application& one);

/// Driver and declared executors together; for some with nodes that may be bought.
bool fits_empty_cluster(const World& world, const Application& one);

/// Slots are reserved whatever executors ask of each other, and the driver may go where only an
/// executor could have gone: one node must have room for both. Where only some nodes have a zone,
/// gangs whose executors need one could hold each other's room there for ever.
bool can_keep_rules(const World& world, const Application& one);

}  // namespace gang::sim
