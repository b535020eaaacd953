#pragma once
// What came of one seed, as plain bytes that go through a pipe, and the sum over many.

#include "gang/sim/world.hpp"
#include "tests/sim/options.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sim_tool {

struct Outcome {
    std::uint64_t seed = 0;
    bool is_begun = false;  ///< a process says which seed it begins; nothing else is filled
    bool has_failed = false;
    std::uint64_t digest = 0;
    std::int64_t virtual_ms = 0;
    gang::sim::Counts counts;
    gang::sim::FaultCounts faults = {};
    char text[1'000] = {};  ///< the first violation
};
static_assert(std::is_trivially_copyable_v<Outcome>);

Outcome run_seed(std::uint64_t seed, const Options& options, const gang::sim::Trace& trace);

class Totals {
public:
    void add(const Outcome& outcome);
    /// Lines for people: events, virtual time, faults by kind, and those that never struck.
    std::string describe(double seconds, int jobs) const;
    std::vector<std::string> never_seen() const;

    std::uint64_t seeds = 0;
    std::vector<std::uint64_t> failed;

private:
    std::int64_t virtual_ms_ = 0;
    gang::sim::Counts counts_;
    gang::sim::FaultCounts faults_ = {};
};

}  // namespace sim_tool
