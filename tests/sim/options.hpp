#pragma once
// The command line of gang-sim.

#include <cstdint>
#include <optional>
#include <string>

namespace sim_tool {

struct Options {
    std::uint64_t from = 1;
    std::uint64_t to = 1;
    double seconds = 0;  ///< 0: until `to`; else as long as that, whatever `to` says
    int jobs = 1;
    bool trace = false;
    bool queues = false;       ///< every world under queues with limits
    bool backfill = false;     ///< every world with backfill
    bool groups = false;       ///< every world with pod groups
    bool cards = false;        ///< every world with cards
    bool volumes = false;      ///< every world with volumes
    bool quotas = false;       ///< every world with quotas of namespaces
    bool autoscaler = false;   ///< every world with an autoscaler
    bool all_faults = false;   ///< a kind of fault that never struck is a failure
    std::string digests;       ///< a file for one line per seed: seed and digest
    std::string expect;        ///< a file with such lines, which these seeds must end with
    std::string failed_seeds;  ///< a file to which failing seeds are added
    std::string mutant;        ///< what is planted in all of this, see tests/sim/mutants
    std::string mutants;       ///< a file of mutants and how many seeds may miss each
    bool matrix = false;       ///< every mutant over all seeds
};

/// Nothing: the words are wrong, `usage` says how they should be.
std::optional<Options> read_options(int argc, char** argv);

/// The command that shows the life of this seed, in a world as these options have it.
std::string how_to_repeat(std::uint64_t seed, const Options& options);

inline constexpr const char* usage =
    "gang-sim --seed N [--trace]\n"
    "gang-sim-mutated --mutants FILE [--jobs K]\n"
    "gang-sim-mutated --matrix --seeds A..B [--jobs K]\n"
    "gang-sim --seeds A..B [--jobs K] [--digests FILE] [--expect FILE] [--failed FILE] "
    "[--all-faults]\n"
    "gang-sim --seconds S [--seeds A..] [--jobs K] [--digests FILE] [--failed FILE] "
    "[--all-faults]\n"
    "  --queues       every world under queues with limits\n"
    "  --backfill     every world with backfill\n"
    "  --groups       every world with pod groups\n"
    "  --cards        every world with cards, of which pods ask for parts\n"
    "  --volumes      every world with volumes, of which nodes can attach so many\n"
    "  --quotas       every world with quotas of namespaces, looked at before a driver is bound\n"
    "  --autoscaler   every world with an autoscaler that is asked for nodes\n"
    "  --mutant NAME  the scheduler is wrong on purpose (not in builds with unit tests)\n";

}  // namespace sim_tool
