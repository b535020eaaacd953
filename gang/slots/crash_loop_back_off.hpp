#pragma once
// None of the executors of a gang in a crash loop is bound for a while, and the driver is told why.

#include "core/base/text.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/timers.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstddef>
#include <cstdint>

namespace gang {

/// When the gang's executors may be bound again (Unix ms); in the past: now.
std::int64_t crash_backoff_until_ms(const Application& app);

class CrashLoopBackOff {
public:
    CrashLoopBackOff(Model& model, StepContext& step, StatusReporter& status_reporter)
        : model_(model), step_(step), status_reporter_(status_reporter) {}

    std::size_t remembered() const { return due_.size(); }

    /// Called for each event of an executor: counts those that failed after they had a node.
    void note_failure(PodEntry& entry, Application* owner);
    /// True: none of its executors is bound now.
    bool back_off(Application& app);
    /// Gangs whose pause is over are matched again.
    void end_due();

private:
    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    DueList<core::Text> due_;
};

}  // namespace gang
