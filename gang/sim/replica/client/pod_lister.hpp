#pragma once
// Lists the pods of nodes for their labels: first the API server reads the store, then what it has
// read is there; or, during the faults, maybe nothing.

#include "gang/event.hpp"

#include <optional>
#include <vector>

namespace gang::sim {

class Process;
struct World;

class PodLister {
public:
    PodLister(World& world, Process& process) : world_(world), process_(process) {}

    void list();
    void wakes();

private:
    std::vector<PodListed> read() const;

    World& world_;
    Process& process_;
    std::optional<std::vector<PodListed>> listed_;  ///< read, and on the way
};

}  // namespace gang::sim
