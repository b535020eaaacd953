#pragma once
// Gangs that fit are admitted: slots in the ledger, and the driver's bind with its reservation. Whose
// turn it is, others say (admission.hpp, gang/backfill, gang/demand).

#include "core/placement/placement.hpp"
#include "gang/called/called_extenders.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/queue/bind_sender.hpp"
#include "gang/queue/class_verdicts.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/placer.hpp"
#include "gang/queue/scheduling_cycle.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/quota/quota_gate.hpp"
#include "gang/reservation/publisher.hpp"

#include <optional>

namespace gang {

class Admitter {
public:
    Admitter(
        Model& model,
        StepContext& step,
        Publisher& publisher,
        Placer& placer,
        DomainPlacer& domain_placer,
        BindSender& binder,
        ClassVerdicts& verdicts,
        WaitingStatus& status,
        QuotaGate& quota,
        CalledExtenders& called)
        : model_(model),
          step_(step),
          publisher_(publisher),
          placer_(placer),
          domain_placer_(domain_placer),
          binder_(binder),
          verdicts_(verdicts),
          status_(status),
          quota_(quota),
          called_(called) {}

    /// In its turn. True: it was admitted, or rules between pods alone are in its way: then it holds
    /// up nobody. False: there is no room for it now.
    bool try_now(
        Application& app, PodEntry& entry, QueueEntry& queue_entry, SchedulingCycle& cycle);

    /// Those for whom room is held, and who fit with it. True: an autoscaler had been asked for one of
    /// them.
    bool admit_with_held_room();

    /// The gang takes the plan's room: slots in the ledger, the driver's bind. It stays where it is
    /// if its reservation is too large to be written.
    void admit(Application& app, PodEntry& entry, const core::Plan& plan);

private:
    std::optional<core::Plan> plan_with_held_room(const Application& app);
    bool keep_to_rules(
        Application& app, PodEntry& entry, QueueEntry& queue_entry, SchedulingCycle& cycle);
    bool annotation_fits(Application& app);

    Model& model_;
    StepContext& step_;
    Publisher& publisher_;
    Placer& placer_;
    DomainPlacer& domain_placer_;
    BindSender& binder_;
    ClassVerdicts& verdicts_;
    WaitingStatus& status_;
    QuotaGate& quota_;
    CalledExtenders& called_;
};

}  // namespace gang
