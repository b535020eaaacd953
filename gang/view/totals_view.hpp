#pragma once
// What metrics show: everything added up, once per question.

#include "gang/classify/executor_owners.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/totals.hpp"
#include "gang/view/gang_views.hpp"

#include <cstdint>

namespace gang {

class TotalsView {
public:
    TotalsView(
        Model& model,
        StepContext& step,
        Leadership& leadership,
        ExecutorOwners& owners,
        GangViews& views)
        : model_(model), step_(step), leadership_(leadership), owners_(owners), views_(views) {}

    /// See Scheduler::totals.
    Totals totals(std::int64_t now_ms) const;

private:
    void add_ages(const Application& app, std::int64_t now_ms, Totals& out) const;
    void add_pending(const PodEntry& entry, PendingPods& out) const;

    Model& model_;
    StepContext& step_;
    Leadership& leadership_;
    ExecutorOwners& owners_;
    GangViews& views_;
};

}  // namespace gang
