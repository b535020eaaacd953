#pragma once
// One engine through the life of a cluster of a given size, with time and heap by kind of event. In
// process: no sockets, no JSON; the API server is whoever calls step().

#include "tests/bench/scale/stopwatch.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace scale {

struct Size {
    std::int64_t nodes = 1'000;
    std::int64_t foreign_pods = 5'000;
    std::int64_t own_pods = 5'000;  ///< in gangs of spark-mix; at least so many
    std::int64_t waiting = 100;     ///< gangs that wait while all that happens
};

struct Life {
    std::int64_t gangs = 0;
    std::int64_t own_pods = 0;
    std::map<std::string, Spent> time;    ///< by kind of event
    std::map<std::string, double> bytes;  ///< of heap, per thing
    double heap_mb = 0;                   ///< all of it, when the cluster is full of all that
};

Life live(const Size& size, std::uint64_t seed);

}  // namespace scale
