#pragma once
// Executors and their slots. An executor of a live gang takes an open slot the moment it appears;
// one that is larger than its slot has it grown if there is room; one too many goes behind all
// others as a lone pod; one whose driver has ended is not bound any more.

#include "core/cluster/cluster.hpp"
#include "core/value/pod.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/work.hpp"
#include "gang/queue/bind_sender.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/placer.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/crash_loop_back_off.hpp"
#include "gang/slots/missing_executors.hpp"
#include "gang/slots/shape_learner.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang {

/// Shapes of larger executors for which one look at a gang searches room; a tenant may vary them.
inline constexpr std::size_t searches_per_gang = 4;

class SlotMatcher {
public:
    SlotMatcher(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Publisher& publisher,
        Leadership& leadership,
        Placer& placer,
        DomainPlacer& domain_placer,
        BindSender& binder,
        ShapeLearner& learner,
        MissingExecutors& missing,
        CrashLoopBackOff& back_off)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          publisher_(publisher),
          leadership_(leadership),
          placer_(placer),
          domain_placer_(domain_placer),
          binder_(binder),
          learner_(learner),
          missing_(missing),
          back_off_(back_off) {}

    /// Executors that are larger than their slots, or that rules between pods keep from them, are
    /// tried again when there is other free capacity, or when other pods are there.
    void retry_oversized();

    /// Spends the work of the tick at most; what is left over is for the next.
    void run();

private:
    /// What one look at a gang's executors has found out.
    struct MatchPass {
        std::int64_t returning = 0;  ///< slots that will open again and nobody waits for yet
        std::vector<core::ShapeId> too_large;  ///< searched in vain, each held once
    };
    /// When those who found no room were last tried.
    struct Tried {
        std::uint64_t capacity = 0;  ///< FreeCapacityGains::version()
        std::uint64_t rules = 0;     ///< InterPodRules::version
    };
    struct Growth {
        std::size_t slot = 0;
        std::string node;
    };

    void match(Application& app);
    bool assign_open_slot(Application& app, PodEntry& entry);
    bool grow_slot(Application& app, PodEntry& entry, MatchPass& pass);
    std::optional<Growth> find_growth(
        const Application& app, std::size_t first_open, const PodEntry& entry, core::ShapeId shape);
    void assign_slot(Application& app, std::size_t slot, PodEntry& entry, const std::string& node);
    void report_oversized(Application& app, const PodEntry& entry, const Slot& slot);
    void report_claims(const PodEntry& entry, const ClaimObstacle& obstacle);
    void report_rules(const PodEntry& entry, core::ShapeId restricted);
    void report_retry(const PodEntry& entry);
    bool is_smaller_than_unplaced(const Application& app, const PodEntry& entry) const;
    bool has_bound_member(const Application& app) const;
    void wait_or_go_alone(Application& app, PodEntry& entry, MatchPass& pass);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    Leadership& leadership_;
    Placer& placer_;
    DomainPlacer& domain_placer_;
    BindSender& binder_;
    ShapeLearner& learner_;
    MissingExecutors& missing_;
    CrashLoopBackOff& back_off_;
    Tried oversized_tried_;
};

}  // namespace gang
