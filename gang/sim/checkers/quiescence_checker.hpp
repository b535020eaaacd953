#pragma once
// What a process is shown, and whether it believes what is true when it has become quiescent and
// has seen everything. The checkers of other matters that ask then are asked here.
//
//   monotone-view    within one life no object goes back to an earlier state
//   convergence      nothing believed differs from the store
//   accounts         everything allocated or counted has one owner
//   ledger, no-leak  the ledger adds up, and holds what the reservations name

#include "gang/event.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang::sim {

struct World;
class Process;

class QuiescenceChecker {
public:
    explicit QuiescenceChecker(World& world) : world_(world) {}

    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    void lease_was_touched();
    /// Looks at all processes; only those that are quiescent are asked.
    void inspect();

private:
    void check_view(std::uint32_t replica, const Process& process);
    void check_ledger(std::uint32_t replica, const Process& process);
    void check_accounts(std::uint32_t replica, const Process& process);

    World& world_;
    std::vector<std::vector<std::uint64_t>> versions_;  ///< per replica and pod: the last one shown
    std::string leak_;  ///< how the ledger differs from the reservations; empty: not at all
    std::int64_t leaks_since_ms_ = 0;
    std::int64_t two_may_lead_until_ms_ = 0;
};

}  // namespace gang::sim
