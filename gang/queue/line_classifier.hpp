#pragma once
// Gangs that wait and have changed are looked at anew: which of them could be placed if there were
// room, and in which equivalence class of the line (model/waiting_line.hpp). The others are told why
// they cannot.

#include "gang/called/called_extenders.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/placer.hpp"
#include "gang/queue/status/status_refresh.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/quota/max_waits.hpp"
#include "gang/quota/quota_gate.hpp"

namespace gang {

class LineClassifier {
public:
    LineClassifier(
        Model& model,
        StepContext& step,
        Placer& placer,
        DomainPlacer& domain_placer,
        WaitingStatus& status,
        StatusRefresh& refresh,
        QuotaGate& quota,
        CalledExtenders& called)
        : model_(model),
          step_(step),
          placer_(placer),
          domain_placer_(domain_placer),
          status_(status),
          refresh_(refresh),
          quota_(quota),
          called_(called) {}

    /// Who has waited for longer than it is to by now is among those to be looked at.
    void begin() { max_waits_.run(); }
    /// As many as the tick has work left for.
    void run();

private:
    bool keeps_to_namespace(const Application& app, const PodEntry& entry);
    void expect_executors(Application& app);

    Model& model_;
    StepContext& step_;
    Placer& placer_;
    DomainPlacer& domain_placer_;
    WaitingStatus& status_;
    StatusRefresh& refresh_;
    QuotaGate& quota_;
    CalledExtenders& called_;
    MaxWaits max_waits_{model_, step_};
};

}  // namespace gang
