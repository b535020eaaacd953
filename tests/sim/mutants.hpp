#pragma once
// Are the checkers any good? Each mutant of tests/sim/mutants is planted in turn, and the
// simulation must notice. Each runs in processes of its own: a mutant may break an invariant of the
// scheduler itself, which ends the process, and that is one way of being noticed.

#include <cstdint>
#include <string>
#include <vector>

namespace sim_tool {

/// One line of tests/sim/mutants.txt: the mutant (or `none`) and the seeds 1..N that it gets.
struct MutantCase {
    std::string name;
    std::uint64_t seeds = 0;
    bool has_groups = false;   ///< in worlds with pod groups
    bool has_cards = false;    ///< in worlds with cards
    bool has_volumes = false;  ///< in worlds with volumes
    bool has_queues = false;   ///< in worlds with queues
    bool has_backfill = false;  ///< in worlds with backfill
    bool has_quotas = false;    ///< in worlds with quotas of namespaces
    bool has_autoscaler = false;  ///< in worlds with an autoscaler
};

/// The lines of the kinds `sim`, `cards`, `volumes`, `queues`, `passing`, `quotas`,
/// `autoscaler` and `members`; aborts with a message on what cannot be read or is no mutant.
std::vector<MutantCase> read_mutants(const std::string& path);

/// Runs each until it is noticed; `none` must never be. Prints a table, returns the exit code.
int run_mutants(const std::vector<MutantCase>& cases, int jobs);

/// Runs each over all seeds `from`..`to`: which rules notice which mutant, how often.
int print_matrix(std::uint64_t from, std::uint64_t to, int jobs);

}  // namespace sim_tool
