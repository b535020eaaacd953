#pragma once
// Strict first come, first served: who could fit the cluster and does not fit now blocks those
// behind it, on the nodes that it could use.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/queue/scheduling_cycle.hpp"
#include "gang/queue/waiting_status.hpp"

#include <cstdint>

namespace gang {

class HeadOfLine {
public:
    HeadOfLine(Model& model, StepContext& step, WaitingStatus& status)
        : model_(model), step_(step), status_(status) {}

    /// True: the pause after a failed attempt is not over.
    bool waits_for_retry(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle);
    /// It cannot be placed now: who comes after it does not get its nodes.
    void block(KeyedClass& gang_class, const Application& app, SchedulingCycle& cycle);
    /// Nobody who waits before it could use any of its nodes, so it takes nothing from them: pools
    /// that share no node are lines of their own. What is true of one of a class is true of all.
    bool is_apart(KeyedClass& gang_class, const SchedulingCycle& cycle) const;

private:
    static bool holds_up_others(const PodEntry& entry);

    Model& model_;
    StepContext& step_;
    WaitingStatus& status_;
    std::uint64_t blocked_states_ = 0;  ///< given out so far
};

}  // namespace gang
