#pragma once
// Strict first come, first served: who could fit the cluster and does not fit now blocks those
// behind it, on the nodes that it could use. So does who waits behind it: its other nodes are not
// for those who came later.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/queue/scheduling_cycle.hpp"
#include "gang/queue/status/waiting_status.hpp"

#include <cstdint>

namespace gang {

class HeadOfLine {
public:
    HeadOfLine(Model& model, StepContext& step, WaitingStatus& status)
        : model_(model), step_(step), status_(status) {}

    /// True: the pause after a failed attempt is not over; it is told so, and blocks those behind
    /// it if it failed by chance.
    bool pause_for_retry(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle);
    /// It cannot be placed now: who comes after it does not get its nodes.
    void block(
        KeyedClass& gang_class,
        const Application& app,
        SchedulingCycle& cycle,
        WaitsFor waits_for = WaitsFor::capacity);
    /// It waits behind one that is blocked, and could be placed when its turn comes.
    /// `is_feasible()` is asked where that makes a difference. False: it is in nobody's way.
    template <typename IsFeasible>
    bool wait_behind(
        const Application& app,
        KeyedClass& gang_class,
        SchedulingCycle& cycle,
        const IsFeasible& is_feasible) {
        if (app.is_surplus || has_blocked(gang_class, cycle)) {
            return true;  // as all of its class
        }
        if (is_passed_over(app) || !is_feasible()) {
            return false;
        }
        block_nodes(gang_class, cycle, what_it_waits_behind(gang_class, cycle));
        return true;
    }
    /// Nobody who waits before it could use any of its nodes, so it takes nothing from them: pools
    /// that share no node are lines of their own. What is true of one of a class is true of all.
    bool is_apart(KeyedClass& gang_class, const SchedulingCycle& cycle) const;

    /// Of one that pauses after a failed attempt: it failed by chance, and keeps its place.
    static bool holds_up_others(const PodEntry& entry);

private:
    bool is_passed_over(const Application& app) const;
    bool has_blocked(const KeyedClass& gang_class, const SchedulingCycle& cycle) const;
    WaitsFor what_it_waits_behind(const KeyedClass& gang_class, const SchedulingCycle& cycle) const;
    void block_nodes(const KeyedClass& gang_class, SchedulingCycle& cycle, WaitsFor waits_for);

    Model& model_;
    StepContext& step_;
    WaitingStatus& status_;
    std::uint64_t blocked_states_ = 0;  ///< given out so far
};

}  // namespace gang
