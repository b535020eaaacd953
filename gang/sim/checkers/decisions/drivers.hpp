#pragma once
// What the checkers of decisions ask of drivers, in truth.

#include "gang/sim/base/store.hpp"

namespace gang::sim {

struct World;

/// The driver of an application.
bool is_driver(World& world, PodId pod);
/// A tenant has changed what it, its pods or its conf say; or nobody knows what they said.
bool was_tampered(World& world, PodId driver);

}  // namespace gang::sim
