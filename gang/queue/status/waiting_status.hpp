#pragma once
// Tells those who wait why, and notes in their queue entry what they were told.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/scheduling_cycle.hpp"
#include "gang/queue/status/status_messages.hpp"
#include "gang/report/status_reporter.hpp"

namespace gang {

class WaitingStatus {
public:
    WaitingStatus(
        Model& model, StepContext& step, StatusReporter& status_reporter, StatusMessages& messages)
        : model_(model), step_(step), status_reporter_(status_reporter), messages_(messages) {}

    /// One event for all that is doubtful about a gang, the first time somebody who may write
    /// looks.
    void report_warnings(Application& app, const PodEntry& entry);
    /// True: it cannot be admitted whatever room there is, and is told why, unless it is too early
    /// to say so. Others need not wait for it.
    bool report_obstacle(Application& app, const PodEntry& entry);
    /// False: it was told so before.
    bool report(Application& app, const Application* head);
    /// False: it was told so before.
    bool set_message(Application& app, StatusMessage message);
    /// Reports to one that is tried: nobody is before it.
    void report_unless(bool is_known, Application& app, SchedulingCycle& cycle);

private:
    std::string find_told_group(const Application& app, const PodEntry& entry);
    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    StatusMessages& messages_;
};

}  // namespace gang
