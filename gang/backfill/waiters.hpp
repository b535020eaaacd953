#pragma once
// Those who wait for room, in the order in which they would be tried, and what their queue says of
// passing them.

#include "config/queues/queue.hpp"
#include "core/cluster/cluster.hpp"
#include "gang/backfill/forward_run.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/class_verdicts.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/quota/quota_gate.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gang {

/// So many are looked at: who stands behind them passes nobody.
inline constexpr std::size_t waiters_max = 256;
/// So many are promised an instant at a time.
inline constexpr std::size_t promises_max = 32;

struct Waiter {
    Application* app = nullptr;
    KeyedClass* gang_class = nullptr;
    std::int64_t size = 0;
    core::NodeBitmap nodes;  ///< that any of its pods could use
    config::BackfillMode mode = config::BackfillMode::off;
    bool is_first = false;   ///< of its queue, on its nodes
    bool is_strict = false;  ///< nobody passes it on them
    bool is_overdue = false;  ///< so, for it has waited for too long; nor does it pass others like it
    std::optional<PlannedStart> promise;
};

class WaiterList {
public:
    WaiterList(
        Model& model,
        StepContext& step,
        DomainPlacer& domain_placer,
        ClassVerdicts& verdicts,
        QuotaGate& quota)
        : model_(model),
          step_(step),
          domain_placer_(domain_placer),
          verdicts_(verdicts),
          quota_(quota) {}

    /// Anew, as the cluster is now.
    std::vector<Waiter> collect();

    /// With all that was admitted since they were collected.
    bool keeps_to_quota(const Application& app) const { return quota_.keeps_to_quotas(app); }

private:
    template <typename Visit>
    void for_each_in_turn(const Visit& visit);
    bool add(Application& app, AwaitedQuota& awaited, std::vector<Waiter>& waiters);
    bool waits_for_quota(const QueueEntry& entry, AwaitedQuota& awaited);
    config::BackfillMode mode_of(const KeyedClass& gang_class) const;
    void set_first(Waiter& waiter, const std::vector<Waiter>& before) const;

    Model& model_;
    StepContext& step_;
    DomainPlacer& domain_placer_;
    ClassVerdicts& verdicts_;
    QuotaGate& quota_;
};

}  // namespace gang
