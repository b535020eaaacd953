#include "gang/app/daemon/served/history_point.hpp"

#include <cstddef>

namespace gang::app {

HistoryPoint history_point(const Scheduler& scheduler, std::int64_t unix_ms) {
    const Totals totals = scheduler.totals(unix_ms);
    const auto count = [&totals](GangState state) {
        return totals.gangs[static_cast<std::size_t>(state)];
    };
    HistoryPoint point;
    point.unix_ms = unix_ms;
    point.waiting = count(GangState::waiting) + count(GangState::waiting_for_conf);
    point.never_fit = count(GangState::parked);
    point.running = count(GangState::running) + count(GangState::admitted);
    point.degraded = count(GangState::degraded);
    point.oldest_waiting_ms = totals.oldest_waiting_ms;
    point.slots_open = totals.slots_open;
    for (const NodeLedger& node : scheduler.ledger()) {
        if (node.is_present) {
            point.cpu_milli_bound += node.bound.cpu_milli;
            point.cpu_milli_held += node.held.cpu_milli;
            point.cpu_milli_allocatable += node.allocatable.cpu_milli;
            point.memory_bytes_bound += node.bound.memory_bytes;
            point.memory_bytes_held += node.held.memory_bytes;
            point.memory_bytes_allocatable += node.allocatable.memory_bytes;
        }
    }
    return point;
}

}  // namespace gang::app
