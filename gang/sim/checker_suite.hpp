#pragma once
// The checkers that each know one matter: what processes believe, the Lease, decisions, groups,
// cards, volumes, quotas, what an autoscaler is asked. Here is who of them is told of what, and in
// which order. `Checkers` knows of it before them, and has the violations of all.

#include "gang/event.hpp"
#include "gang/sim/autoscaler/demand_checker.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/card_checker.hpp"
#include "gang/sim/checkers/decisions/decision_checker.hpp"
#include "gang/sim/checkers/decisions/lease_checker.hpp"
#include "gang/sim/checkers/group_checker.hpp"
#include "gang/sim/checkers/quiescence_checker.hpp"
#include "gang/sim/checkers/volume_checker.hpp"
#include "gang/sim/quota/quota_checker.hpp"

#include <cstdint>

namespace gang::sim {

struct World;

struct CheckerSuite {
    explicit CheckerSuite(World& world);

    /// All but the checker of groups, which is told when the jobs know of it.
    void pod_changed(const Entry<core::Pod>& entry, const Author& author);
    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    /// Another leader.
    void leads(std::uint32_t replica, std::int64_t epoch);
    /// A clock runs wrong, or somebody else writes the Lease.
    void clock_was_wrong(std::uint32_t replica);
    void lease_was_touched();

    QuiescenceChecker quiescence;
    LeaseChecker lease;
    DecisionChecker decisions;
    GroupChecker groups;
    CardChecker cards;
    VolumeChecker volumes;
    QuotaChecker quotas;
    DemandChecker demand;

private:
    const World& world_;
};

}  // namespace gang::sim
