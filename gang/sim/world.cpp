#include "gang/sim/world.hpp"

#include "gang/sim/event_loop.hpp"

#include <utility>

namespace gang::sim {

World::World(const Plan& with, Trace trace)
    : plan(with),
      random(plan.seed),
      faults(plan.rates, random),
      record(std::move(trace), now_ms),
      writes(*this),
      cluster(*this),
      checkers(*this),
      checker_suite(*this) {
    store.lease_states.emplace_back();
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(plan.replicas); ++i) {
        replicas.emplace_back(*this, i);
    }
}

void World::run() {
    EventLoop(*this).run();
}

}  // namespace gang::sim
