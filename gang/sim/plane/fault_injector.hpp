#pragma once
// What happens by itself: to the API servers, to nodes, to applications and tenants, to our own
// processes. Each kind comes again and again at its own mean rate, until the calm.

#include "gang/sim/base/faults.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/applications.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gang::sim {

struct World;

class FaultInjector {
public:
    explicit FaultInjector(World& world) : world_(world) {}

    /// The first of each kind.
    void begin();
    void strike(Fault fault);
    void end(Fault fault, std::uint64_t what);
    /// Everything is put right again.
    void heal();

private:
    void plan_next(Fault fault);
    void plan_end(Fault fault, std::uint64_t what, std::int64_t low_ms, std::int64_t high_ms);
    bool happen(Fault fault);
    bool happen_to_servers(Fault fault);
    bool happen_to_node(Fault fault);
    bool happen_to_application(Fault fault);
    bool happen_to_driver(Fault fault, PodId driver);
    bool happen_to_replica(Fault fault);
    bool happen_to_lease(Fault fault);
    bool terminate_replicas();
    void edit_reservation(PodId driver, ApplicationId application);
    bool forge_slot();
    bool bind_foreign_pod();
    std::optional<NodeId> any_node();
    std::optional<PodId> any_executor();
    void restore_node(NodeId node);

    World& world_;
    std::uint32_t foreign_pods_ = 0;
    std::vector<PodId> strangers_;
};

}  // namespace gang::sim
