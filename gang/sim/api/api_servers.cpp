#include "gang/sim/api/api_servers.hpp"

#include "gang/sim/world.hpp"

#include <cstddef>

namespace gang::sim {

ApiServers::ApiServers(World& world)
    : outages(static_cast<std::size_t>(world.plan.servers), world.now_ms),
      caches(world),
      streams(world),
      lists(world),
      calls(world),
      world_(world) {}

std::uint32_t ApiServers::any_server() {
    const auto servers = static_cast<std::size_t>(world_.plan.servers);
    return static_cast<std::uint32_t>(world_.random.below(servers));
}

void ApiServers::take_down(std::int64_t ms) {
    const std::uint32_t which = any_server();
    outages.take_down(which, ms);
    streams.server_is_down(which);
}

void ApiServers::compact() {
    caches.compact();
    lists.forget();
}

void ApiServers::forget_replica(std::uint32_t replica) {
    streams.forget_replica(replica);
    calls.forget_replica(replica);
}

void ApiServers::heal() {
    caches.heal();
    streams.heal();
    outages.heal();
}

}  // namespace gang::sim
