#pragma once
// What one seed draws: the size of its cluster, its workload, its timings, and which faults it
// knows at which rates. Each seed leaves out most kinds (swarm testing): where everything goes
// wrong at once, little gets far enough to go wrong in an interesting way.

#include "gang/sim/base/faults.hpp"

#include <cstdint>

namespace gang::sim {

struct Plan {
    std::uint64_t seed = 0;
    int nodes = 4;
    int replicas = 1;
    int servers = 1;
    int tenants = 2;
    int applications = 20;          ///< submitted before the calm
    std::int64_t gang_max = 6;      ///< executors
    std::int64_t node_cpu_max = 8;  ///< whole CPUs
    std::int64_t submission_gap_ms = 3'000;
    std::int64_t chaos_ms = 240'000;
    /// In the calm all must finish within these together: on a small cluster one runs after
    /// another.
    std::int64_t calm_ms_max = 1'800'000;
    std::int64_t calm_ms_per_application = 60'000;
    std::int64_t latency_ms_max = 8;  ///< of a request or an answer, one way
    std::int64_t cache_ms_max = 5;    ///< until an API server's watch cache has a write
    std::int64_t page_size = 500;
    std::int64_t connections = 16;
    std::int64_t work_s_max = 40;  ///< how long an application computes
    int by_set_percent = 15;       ///< of the applications: executors made by a stateful set
    int dynamic_percent = 25;
    int lone_percent = 10;  ///< of the submissions: a pod without a gang
    int pool_percent = 0;   ///< of the applications: for nodes of one pool alone; 0: no pools
    int port_percent = 0;   ///< of the pods outside gangs, and of the applications: wants a port
    int gpu_percent = 0;    ///< of the nodes: has GPUs; and of the applications: wants some
    /// Of the pods outside gangs, and of the applications: asks something of the pods around it;
    /// 0: nodes have no zones either.
    int rule_percent = 0;
    int group_percent = 0;  ///< of the submissions: a pod group
    std::int64_t group_mishap_ms = 0;  ///< between two things that befall groups; 0: nothing does
    bool has_queues = false;  ///< the scheduler's file has queues with limits
    bool has_backfill = false;  ///< of its file; and half of the drivers say how long they run
    bool has_cards = false;     ///< nodes have cards, and half of the pods ask for parts of one
    bool has_volumes = false;   ///< pods mount claims, and nodes can attach so many volumes
    bool has_quotas = false;    ///< namespaces have quotas, and the scheduler looks at them
    bool has_autoscaler = false;  ///< nodes can be bought for gangs, and some need that
    bool asks_once = false;  ///< by ProvisioningRequests, which are answered once; else by buffers
    bool has_bookmarks = true;
    bool has_key = true;  ///< what the scheduler writes is sealed
    FaultRates rates = {};
};

Plan draw_plan(std::uint64_t seed);

/// The same world under queues with weights, limits and priorities, drawn by its seed.
Plan with_queues(Plan plan);

/// The same world with backfill.
Plan with_backfill(Plan plan);

/// The same world with pod groups among what is submitted, and with what befalls these.
Plan with_groups(Plan plan);

/// The same world with cards.
Plan with_cards(Plan plan);

/// The same world with volumes.
Plan with_volumes(Plan plan);

/// The same world with quotas of namespaces.
Plan with_quotas(Plan plan);

/// The same world with an autoscaler.
Plan with_autoscaler(Plan plan);

/// No fault at all: for looking at the model itself.
Plan without_faults(Plan plan);

}  // namespace gang::sim
