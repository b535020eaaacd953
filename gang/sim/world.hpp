#pragma once
// One seed's whole world, and its time: the store and its only writer, the cluster around the
// schedulers, the replicas of the scheduler, and the checkers. Its parts find each other here.

#include "gang/sim/base/event_queue.hpp"
#include "gang/sim/base/faults.hpp"
#include "gang/sim/base/random.hpp"
#include "gang/sim/base/run_record.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/base/swarm.hpp"
#include "gang/sim/checker_suite.hpp"
#include "gang/sim/checkers/checkers.hpp"
#include "gang/sim/replica/replica.hpp"
#include "gang/sim/simulated_cluster.hpp"
#include "gang/sim/store_writer.hpp"

#include <cstdint>
#include <deque>

namespace gang::sim {

struct World {
    World(const Plan& plan, Trace trace);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// From the first node to the end, or to a violation.
    void run();

    const Plan plan;
    std::int64_t now_ms = 0;
    Random random;
    EventQueue queue;
    Faults faults;
    RunRecord record;
    Store store;
    StoreWriter writes;
    SimulatedCluster cluster;
    Checkers checkers;
    CheckerSuite checker_suite;
    std::deque<Replica> replicas;
};

}  // namespace gang::sim
