#pragma once
// What one process asks for beside its watches, its Lease and its writes: a client for each kind of
// object. The ticket of a call says whose it is.

#include "gang/sim/autoscaler/demand_client.hpp"
#include "gang/sim/quota/quota_client.hpp"
#include "gang/sim/replica/client/group_client.hpp"
#include "gang/sim/replica/client/pod_lister.hpp"
#include "gang/sim/replica/client/volume_client.hpp"

#include <cstdint>

namespace gang::sim {

class Clients {
public:
    Clients(World& world, Process& process)
        : groups(world, process),
          volumes(world, process),
          quotas(process),
          demand(world, process),
          pods(world, process) {}

    /// The tickets of all of them are from here on.
    static constexpr std::uint32_t first_ticket = GroupClient::first_ticket;

    void answered(const Call& call) {
        if (call.ticket >= DemandClient::first_ticket) {
            demand.answered(call);
        } else if (call.ticket >= QuotaClient::first_ticket) {
            quotas.answered(call);
        } else if (call.ticket >= VolumeClient::first_ticket) {
            volumes.answered(call);
        } else {
            groups.answered(call);
        }
    }
    /// Nothing is under way, but for a list of pods, which no other part waits for.
    bool are_idle() const {
        return groups.is_idle() && volumes.is_idle() && quotas.is_idle() && demand.is_idle();
    }

    GroupClient groups;
    VolumeClient volumes;
    QuotaClient quotas;
    DemandClient demand;
    PodLister pods;
};

}  // namespace gang::sim
