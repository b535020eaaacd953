#pragma once
// The decision engine: events in, decisions out, nothing else. It owns the cluster's picture, the
// ledger of slots and the queue of waiting gangs; it never blocks, fails, or reads a clock.
//
//   driver seen -> conf asked for -> sized -> waiting -> admitted (driver assumed -> bound) ->
//   ended
//                                       \-> infeasible (misconfigured, exceeds the cluster)

#include "config/schema.hpp"
#include "core/value/account.hpp"
#include "core/value/group/pod_group.hpp"
#include "gang/counters.hpp"
#include "gang/decision.hpp"
#include "gang/drift.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/ledger_view.hpp"
#include "gang/queue_view.hpp"
#include "gang/totals.hpp"
#include "gang/what_if.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class Scheduler {
public:
    explicit Scheduler(config::Schema schema);
    ~Scheduler();
    Scheduler(Scheduler&&) noexcept;
    Scheduler& operator=(Scheduler&&) noexcept;

    /// The only mutator. The answer is a view of a buffer that the next step reuses.
    Decisions step(const StampedEvent& event);

    /// Every known gang, waiting ones first in queue order.
    std::vector<GangView> gangs() const;

    /// What is known of a pod or application, by pod name, namespace/name, uid or Spark application
    /// id.
    std::optional<Explanation> explain(std::string_view pod_or_app) const;

    /// Every queue, by name; without queues in the file the one in which everybody is.
    std::vector<QueueView> queues() const;

    /// Whether a gang that does not exist would have room. Copies the cluster: for people, not for
    /// loops.
    WhatIfAnswer what_if(const WhatIf& question) const;

    const Counters& counters() const;

    /// A pod of a gang that kube-scheduler asks us about (gang/extender).
    bool is_of_extender(std::string_view pod_uid) const;
    /// Without this pod its gang would have less than is reserved for it.
    bool is_needed(std::string_view pod_uid) const;

    /// So many pods name this group, ended ones too, or the driver of a Spark application does.
    bool has_pods_of_group(
        core::GroupDialect dialect,
        const std::string& namespace_name,
        const std::string& name,
        std::int64_t count) const;

    // --- the consistency check's questions, see consistency_check.hpp ---
    /// How the listed object differs from what is believed of it; nothing: not at all.
    std::optional<Drift> compare(const core::Pod& listed) const;
    std::optional<Drift> compare(const core::Node& listed) const;
    /// Every pod that is known or counted; of pods of others only the uid is known.
    void for_each_pod(
        const std::function<void(std::string_view uid, std::string_view name)>& visit) const;
    /// By node name.
    std::vector<NodeLedger> ledger() const;
    /// Looks at each node once, whatever is on it.
    NodeSums node_sums() const;

    /// How many things are remembered because of pods: 0 when there are none, and for a while
    /// after.
    std::size_t remembered() const;
    /// Whether all that is allocated, held, shared or counted has an owner, and nobody twice. Walks
    /// everything: for tests, after any step.
    std::vector<core::Account> accounts() const;
    /// For metrics; all zero but the sum over time while another leads. Walks all gangs and pods.
    Totals totals(std::int64_t now_ms) const;
    /// It leads, and no older leader has a write under way that could still be carried out.
    bool is_settled() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gang
