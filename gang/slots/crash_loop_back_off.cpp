#include "gang/slots/crash_loop_back_off.hpp"

#include "gang/model/crash_loop.hpp"
#include "gang/report/messages.hpp"

#include <utility>

namespace gang {
namespace {

std::int64_t declared_executors(const Application& app) {
    std::int64_t executors = 0;
    for (const GangShape& shape : app.declared.shapes) {
        executors += shape.count;
    }
    return executors;
}

}  // namespace

void CrashLoopBackOff::note_failure(PodEntry& entry, Application* owner) {
    if (entry.holds_capacity()) {
        entry.lived = true;
        return;
    }
    const bool failed = entry.pod.phase == core::PodPhase::failed;
    if (!std::exchange(entry.lived, false) || !failed || owner == nullptr) {
        return;
    }
    owner->health.crash_loop.make().note_failure(declared_executors(*owner), step_.now_ms);
    model_.worklist.dirty_gangs.insert(owner->uid);
}

bool CrashLoopBackOff::back_off(Application& app) {
    const std::int64_t until_ms = crash_backoff_until_ms(app);
    if (app.phase != Phase::running || until_ms <= step_.now_ms) {
        return false;
    }
    due_.add(until_ms, model_.texts.keep(app.uid));
    for (const Rank& rank : *app.pending) {
        model_.gangs.erase(rank.uid);  // it may have stood in the queue
        status_reporter_.report_quietly(
            model_.pods.at(rank.uid).pod,
            failing_message(model_.cluster.nodes().count(), app, crash_loop_pause_ms_max),
            step_.now_ms);
    }
    if (app.health.crash_loop.make().is_to_be_told(step_.now_ms)) {
        status_reporter_.event(
            model_.driver_of(app),
            true,
            "ExecutorsFailing",
            "its executors fail as fast as they are started; they are bound more slowly now");
    }
    return true;
}

void CrashLoopBackOff::end_due() {
    while (const auto uid = due_.take(step_.now_ms)) {
        model_.worklist.dirty_gangs.insert(*uid);
    }
    step_.wake_at(due_.next_ms());
}

std::int64_t crash_backoff_until_ms(const Application& app) {
    return app.health.crash_loop->crash_backoff_until_ms(declared_executors(app));
}

}  // namespace gang
