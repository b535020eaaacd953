#pragma once
// What an API server does with a request that it has accepted, and what it answers: preconditions
// by uid and version, conflicts, evictions that a budget refuses.

namespace gang::sim {

struct World;
struct Call;

/// The answer is in the call, which may be late or lost on its way.
void carry_out(World& world, Call& call);

}  // namespace gang::sim
