#pragma once
// When faults are over and everything is healed, all that can finish does, in bounded time.

namespace gang::sim {

struct World;

/// All that can finish has finished: the run may end.
bool all_is_done(const World& world);
/// At the end of a run.
void check_liveness(World& world);

}  // namespace gang::sim
