#pragma once
// Bound drivers that never run (an image that cannot be pulled): they must not hold their gang for
// ever.

#include "core/base/text.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/timers.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"

#include <cstddef>

namespace gang {

class StuckDrivers {
public:
    StuckDrivers(
        Model& model, StepContext& step, StatusReporter& status_reporter, Publisher& publisher)
        : model_(model), step_(step), status_reporter_(status_reporter), publisher_(publisher) {}

    /// The driver is bound, at its `bound_ms`: from then on it has so long to run.
    void expect_running(const Application& app) {
        stuck_due_.add(
            app.bound_ms + model_.schema.gang.never_running_after_ms, model_.texts.keep(app.uid));
    }
    std::size_t remembered() const { return stuck_due_.size(); }

    /// A bound driver that never runs (an image that cannot be pulled) must not hold its gang for
    /// ever.
    void check();

private:
    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    DueList<core::Text> stuck_due_;
};

}  // namespace gang
