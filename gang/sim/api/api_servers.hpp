#pragma once
// The API servers between the replicas and the store. All faults between a replica and the truth
// are here, each with the part that it befalls.
//
//   replica --calls--> requests, paged lists --> store --> watch caches --> streams --> replica

#include "gang/sim/api/calls.hpp"
#include "gang/sim/api/outages.hpp"
#include "gang/sim/api/paged_lists.hpp"
#include "gang/sim/api/watch_caches.hpp"
#include "gang/sim/api/watch_streams.hpp"

#include <cstdint>

namespace gang::sim {

struct World;

struct ApiServers {
    explicit ApiServers(World& world);

    /// By chance, as a load balancer chooses it.
    std::uint32_t any_server();
    /// One of them, with the streams that it has.
    void take_down(std::int64_t ms);
    /// The history that all have read is forgotten, and lists with it.
    void compact();
    /// A process has ended: its streams and whatever it waits for are over.
    void forget_replica(std::uint32_t replica);
    void heal();

    Outages outages;
    WatchCaches caches;
    WatchStreams streams;
    PagedLists lists;
    Calls calls;

private:
    World& world_;
};

}  // namespace gang::sim
