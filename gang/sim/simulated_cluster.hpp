#pragma once
// The cluster around the schedulers: API servers, kubelets, an autoscaler, what tenants submit, and
// what goes wrong by itself. Here is who of them is told of a change, and in which order.

#include "gang/reservation/format/seal.hpp"
#include "gang/sim/api/api_servers.hpp"
#include "gang/sim/autoscaler/autoscaler.hpp"
#include "gang/sim/base/random.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/base/swarm.hpp"
#include "gang/sim/plane/applications.hpp"
#include "gang/sim/plane/fault_injector.hpp"
#include "gang/sim/plane/group_jobs.hpp"
#include "gang/sim/plane/kubelets.hpp"
#include "gang/sim/plane/submissions.hpp"
#include "gang/sim/plane/volumes.hpp"
#include "gang/sim/quota/namespace_quotas.hpp"

namespace gang::sim {

struct World;

struct SimulatedCluster {
    explicit SimulatedCluster(World& world);

    /// What happens to it is planned.
    void begin();
    /// Whoever has to do with the pod reacts. The store has the change, the checkers know of it.
    void pod_changed(const Entry<core::Pod>& entry);
    /// Everything is healed, and nothing more goes wrong.
    void calm_down();

    const Seal seal;  ///< the key that operators have given to the schedulers, if any
    ApiServers api;
    Applications applications;
    GroupJobs group_jobs;
    Submissions submissions;
    Volumes volumes;
    NamespaceQuotas namespace_quotas;
    Autoscaler autoscaler;
    Kubelets kubelets;
    FaultInjector fault_injector;
};

/// One of the nodes that are there from the start.
core::Node draw_node(const Plan& plan, NodeId id, Random& random);

}  // namespace gang::sim
