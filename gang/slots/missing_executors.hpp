#pragma once
// Executors that do not come although their driver runs. Slots stay a gang's own for as long as its
// driver lives; what is missing for a long time is said, and the configuration may give such slots
// away.

#include "core/base/text.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/timers.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/gang_health.hpp"

#include <cstddef>
#include <cstdint>

namespace gang {

class MissingExecutors {
public:
    MissingExecutors(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Publisher& publisher,
        GangHealth& health)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          publisher_(publisher),
          health_(health) {}

    std::size_t remembered() const { return missing_due_.size(); }

    /// Each executor that comes or goes begins the wait for the rest anew.
    void watch(Application& app);
    /// Tells of those who are due.
    void check();

private:
    void check_at(Application& app, std::int64_t at_ms);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    GangHealth& health_;
    DueList<core::Text> missing_due_;
};

}  // namespace gang
