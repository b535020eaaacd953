#pragma once
// The sentence that says why a gang waits, made when it is to be written or is asked for. Changes
// nothing: what it finds is kept in the asker's cache.

#include "core/cluster/cluster.hpp"
#include "core/cluster/node/open_capacity.hpp"
#include "core/placement/placement.hpp"
#include "gang/explain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/cluster/fit_cache.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/placer.hpp"
#include "gang/quota/quota_gate.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gang {

/// What a sentence is made with. Questions from outside bring a cache of their own, so that they
/// leave no trace.
struct MessageContext {
    FitCache& cache;
    std::int64_t searches = 0;  ///< over every node, so far
    bool is_shown = false;      ///< to one who asks now, not written into a condition
};

class StatusMessages {
public:
    StatusMessages(
        Model& model,
        StepContext& step,
        Placer& placer,
        DomainPlacer& domain_placer,
        QuotaGate& quota)
        : model_(model),
          step_(step),
          placer_(placer),
          domain_placer_(domain_placer),
          quota_(quota) {}

    /// What is in the way of a gang that not even the empty nodes take. Closed nodes are, if all
    /// nodes together could take as many pods of each of its shapes as it has. That is said too
    /// often rather than too seldom (a driver takes room from its executors): who is told that he
    /// asks for too much gives up.
    ReasonCode refusal_of(const Application& app, MessageContext& context) const;
    /// Why no room would help it, or a reason of none: it is too early to say so. Nothing: room
    /// would.
    std::optional<StatusMessage> find_obstacle(
        const Application& app, const PodEntry& entry, Placed& placed) const;
    /// Nothing, unless the executor is one more than its application said it would ever have.
    /// Spark's own bound is one for each resource profile.
    std::optional<std::int64_t> surplus_limit(const Application& app, Placed& placed) const;
    /// The sentence of one that waits, as it is now; a reason of none: there is nothing to say.
    /// `head` is the first who is blocked.
    StatusMessage message_of(
        const Application& app, const Application* head, MessageContext& context) const;
    /// And how large the gang is, where the sentence does not say so already.
    StatusMessage with_size(const Application& app, StatusMessage message) const;
    /// Whether that it waits for this is to be warned of with an Event, beside the condition.
    bool is_worth_an_event(const Application& app, ReasonCode code) const;
    /// Why a gang that waits does not fit into what is free now; nothing: it does, or it is not
    /// room alone that it lacks.
    const core::Rejection* find_shortage(const Application& app, MessageContext& context) const;
    /// What the searches over every node cost that messages have made.
    std::int64_t work_of(const MessageContext& context) const;

private:
    StatusMessage why_it_waits(
        const Application& app, const Application* head, MessageContext& context) const;
    std::optional<StatusMessage> find_sum_message(
        const Application& app, const std::string& subject) const;
    StatusMessage with_max_wait(const Application& app, StatusMessage message) const;
    StatusMessage with_demand(
        const Application& app, StatusMessage message, bool is_shown) const;
    std::optional<StatusMessage> find_quota_message(
        const Application& app, const QueueEntry& queue_entry, const std::string& subject) const;
    StatusMessage with_outlook(StatusMessage message, const Application& app) const;
    std::optional<StatusMessage> find_rules_message(
        const Application& app, const std::string& subject) const;
    std::optional<StatusMessage> find_gpu_message(
        const Application& app, const std::string& subject, const core::Rejection& rejection) const;
    MemoKey key_of(const Application& app) const;
    Memo& memo_of(core::View view, MessageContext& context) const;
    core::OpenCapacity capacity_if_open(core::ShapeId shape, MessageContext& context) const;
    bool speaks_as_kube_scheduler(const Application& app) const;
    StatusMessage in_its_words(
        StatusMessage ours, const Application& app, MessageContext& context) const;
    const std::optional<core::Rejection>& find_rejection(
        const Application& app, core::View view, MessageContext& context) const;

    Model& model_;
    StepContext& step_;
    Placer& placer_;
    DomainPlacer& domain_placer_;
    QuotaGate& quota_;
};

}  // namespace gang
