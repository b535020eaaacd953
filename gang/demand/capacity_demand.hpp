#pragma once
// Asks an autoscaler for the executors of gangs that wait for room: they do not exist yet, so it
// sees the driver alone, and would buy a node for the driver alone.
//
// How many are asked for: all executors of the gang, also those that would fit now. An autoscaler
// takes what is free into account by itself; whoever asked for the missing ones alone would be shown
// the free room, and nothing would be bought.
//
// After admission what is asked for shrinks to the slots that stand open: they are what keeps the
// nodes from looking empty until the executors run there.

#include "gang/event.hpp"
#include "gang/model/demand/demand_board.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/status/status_refresh.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang {

class CapacityDemand {
public:
    CapacityDemand(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        WaitingStatus& status,
        StatusRefresh& refresh)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          status_(status),
          refresh_(refresh) {}

    void on(const CapacityAnswered& event);
    void on(const CapacityListed& event);
    void on(const LeadershipGained& event);
    void on(const LeadershipLost& event);

    /// After admission, behind the fence: what changed is asked for, or not any more.
    void run();

private:
    using Counts = std::vector<std::int64_t>;  ///< executors by shape; empty: none

    void list_if_due();
    void note_open_slots();
    bool step_request(CapacityRequest& request);
    std::optional<Counts> find_wanted(const CapacityRequest& request) const;
    std::optional<Counts> wanted_while_waiting(
        const Application& app, const CapacityRequest& request) const;
    bool keeps_to_quota(const Application& app) const;
    void note_quota(CapacityRequest& request);
    Counts wanted_while_running(const Application& app, const CapacityRequest& request) const;
    void want(CapacityRequest& request, Counts counts);
    bool drop(CapacityRequest& request);
    bool may_send(std::int64_t not_before_ms);
    void report(CapacityRequest& request);
    void tell_problem(CapacityRequest& request, const CapacityAnswered& answer);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    WaitingStatus& status_;
    StatusRefresh& refresh_;
    std::int64_t list_at_ms_ = 0;  ///< when objects are listed next; 0: at once
    std::int64_t look_at_ms_ = 0;  ///< when open slots are looked for next
    std::int64_t second_ = 0;
    int sent_ = 0;  ///< in that second
};

}  // namespace gang
