#include "gang/sim/checker_suite.hpp"

#include "gang/sim/world.hpp"

namespace gang::sim {

CheckerSuite::CheckerSuite(World& world)
    : quiescence(world),
      lease(world),
      decisions(world),
      groups(world),
      cards(world),
      volumes(world),
      quotas(world),
      demand(world),
      world_(world) {}

void CheckerSuite::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    if (world_.plan.has_cards) {
        cards.pod_changed(entry, author);
    }
    if (world_.plan.has_volumes) {
        volumes.pod_changed(entry, author);
    }
    decisions.pod_changed(entry, author);
}

void CheckerSuite::process_started(std::uint32_t replica) {
    quiescence.process_started(replica);
    decisions.process_started(replica);
    quotas.process_started(replica);
    demand.process_started(replica);
}

void CheckerSuite::event_applied(std::uint32_t replica, const Event& event) {
    quiescence.event_applied(replica, event);
    decisions.event_applied(replica, event);
    quotas.event_applied(replica, event);
    demand.event_applied(replica, event);
}

void CheckerSuite::leads(std::uint32_t replica, std::int64_t epoch) {
    lease.leads(replica, epoch);
    groups.leads();
}

void CheckerSuite::clock_was_wrong(std::uint32_t replica) {
    decisions.clock_was_wrong(replica);
    lease.clock_was_wrong();
}

void CheckerSuite::lease_was_touched() {
    quiescence.lease_was_touched();
    lease.lease_was_touched();
}

}  // namespace gang::sim
