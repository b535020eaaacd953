#pragma once
// One seed's whole world, and its time. World is the only one that writes to the store: each write
// gets the next revision and is told to everybody whom it concerns, the checkers last.
//
//   chaos: submissions, injected faults ---calm---> everything is healed; all must finish ---> end

#include "gang/reservation/format/seal.hpp"
#include "gang/sim/autoscaler/autoscaler.hpp"
#include "gang/sim/autoscaler/demand_checker.hpp"
#include "gang/sim/base/counts.hpp"
#include "gang/sim/base/digest.hpp"
#include "gang/sim/base/event_queue.hpp"
#include "gang/sim/base/faults.hpp"
#include "gang/sim/base/random.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/base/swarm.hpp"
#include "gang/sim/checkers/card_checker.hpp"
#include "gang/sim/checkers/checkers.hpp"
#include "gang/sim/checkers/decision_checker.hpp"
#include "gang/sim/checkers/group_checker.hpp"
#include "gang/sim/checkers/volume_checker.hpp"
#include "gang/sim/plane/api_server.hpp"
#include "gang/sim/plane/applications.hpp"
#include "gang/sim/plane/fault_injector.hpp"
#include "gang/sim/plane/group_jobs.hpp"
#include "gang/sim/plane/kubelets.hpp"
#include "gang/sim/plane/volumes.hpp"
#include "gang/sim/quota/namespace_quotas.hpp"
#include "gang/sim/quota/quota_checker.hpp"
#include "gang/sim/replica/replica.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace gang::sim {

/// A line for each thing that happens; empty: nobody reads it.
using Trace = std::function<void(const std::string&)>;

struct World {
    World(const Plan& plan, Trace trace);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void run();

    // --- writes to the store ---
    PodId create_pod(core::Pod pod, const Author& author);
    template <typename Change>
    void change_pod(PodId id, const Author& author, Change change) {
        change(*store.pods[id]);
        pod_is_changed(id, author, sim::Change::modified);
    }
    void remove_pod(PodId id, const Author& author);
    /// Unbound or ended: gone at once; else it is marked, and goes after its grace.
    void delete_pod(PodId id, const Author& author, std::int64_t grace_ms);
    void create_node(NodeId id, const Author& author);
    template <typename Change>
    void change_node(NodeId id, const Author& author, Change change) {
        change(*store.nodes[id]);
        node_is_changed(id, author, sim::Change::modified);
    }
    void remove_node(NodeId id, const Author& author);
    /// One that was not there from the start.
    NodeId add_node(core::Node node);
    /// From here on it is so by itself.
    void set_ready(NodeId id) { originals_[id].ready = true; }
    void set_lease(std::optional<k8s::protocol::Lease> lease);
    /// As it is when nothing has happened to it.
    core::Node original_node(NodeId id) const;
    const std::vector<core::Node>& original_nodes() const { return originals_; }
    config::Schema schema_of_file(std::uint32_t file) const;
    config::Schema original_schema() const { return schema_of_file(0); }
    /// `file`: 0 is that of the start; the others differ from it in their queues.
    void add_queues(config::Schema& schema, std::uint32_t file) const;
    /// In a world with queues.
    std::int32_t draw_priority();

    // --- for its parts ---
    void count_delivery(std::uint64_t revision) {
        ++counts.deliveries;
        digest.add(revision);
    }
    void count_step() { ++counts.steps; }
    void clock_was_wrong(std::uint32_t replica);
    void lease_was_touched();
    void trace_decision(std::uint32_t replica, const Decision& decision);
    /// A line of the trace, made only if somebody reads it.
    template <typename Text>
    void say(Text text) {
        if (trace) {
            report(text());
        }
    }

    const Plan plan;
    const Seal seal;
    Trace trace;
    std::int64_t now_ms = 0;
    Random random;
    EventQueue queue;
    Faults faults;
    Digest digest;
    Counts counts;
    Store store;
    ApiServers servers;
    Applications applications;
    GroupJobs group_jobs;
    Volumes volumes;
    NamespaceQuotas namespace_quotas;
    Autoscaler autoscaler;
    Kubelets kubelets;
    FaultInjector fault_injector;
    Checkers checkers;
    DecisionChecker decision_checker;
    GroupChecker group_checker;
    CardChecker card_checker;
    VolumeChecker volume_checker;
    QuotaChecker quota_checker;
    DemandChecker demand_checker;
    std::deque<Replica> replicas;
    std::int64_t calm_ms = 0;  ///< when it began
    bool is_calm = false;

private:
    void begin();
    void happen(const Planned& planned);
    bool is_for_later(const Planned& planned);
    std::uint32_t replica_of(const Planned& planned) const;
    void submit();
    void submit_lone_pods();
    void change_file(std::uint32_t file);
    void calm_down();
    void inspect();
    void report(const std::string& text);
    void pod_is_changed(PodId id, const Author& author, sim::Change change);
    void node_is_changed(NodeId id, const Author& author, sim::Change change);

    std::vector<core::Node> originals_;
    std::uint32_t node_lives_ = 0;
    std::uint32_t lone_pods_ = 0;
    int submitted_ = 0;
    bool is_over_ = false;
};

/// Sets each key, the way a write merges annotations.
void merge_annotations(core::Pod& pod, const core::StringMap& annotations);

}  // namespace gang::sim
