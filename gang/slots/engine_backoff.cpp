// Pods that end badly. A node that refuses pods is in quarantine for a while. None of the executors
// of a gang in a crash loop is bound for a while, and the driver is told why.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"

#include <utility>

namespace gang {
namespace {

std::int64_t declared_executors(const Application& app) {
    std::int64_t executors = 0;
    for (const GangShape& shape : app.shapes) {
        executors += shape.count;
    }
    return executors;
}

}  // namespace

/// What the end of a pod says of its node.
void Engine::observe_end(const PodEntry& entry) {
    const std::string& node = entry.pod.node_name;
    if (!core::is_refused_by_kubelet(entry.pod)) {
        cluster_model_.lift_quarantine(node);
        return;
    }
    ++counters_.kubelet_rejections;
    const bool is_port = core::is_refused_host_port(entry.pod);
    wake_at(cluster_model_.refused(node, is_port, now_ms_));
}

void Engine::note_failure(PodEntry& entry, Application* owner) {
    if (entry.holds_capacity()) {
        entry.lived = true;
        return;
    }
    const bool failed = entry.pod.phase == core::PodPhase::failed;
    if (!std::exchange(entry.lived, false) || !failed || owner == nullptr) {
        return;
    }
    owner->crash_loop.make().note_failure(declared_executors(*owner), now_ms_);
    worklist_.dirty_gangs.insert(owner->uid);
}

std::int64_t Engine::crash_backoff_until_ms(const Application& app) const {
    return app.crash_loop->crash_backoff_until_ms(declared_executors(app));
}

/// True: none of its executors is bound now.
bool Engine::back_off_crash_loop(Application& app) {
    const std::int64_t until_ms = crash_backoff_until_ms(app);
    if (app.phase != Phase::running || until_ms <= now_ms_) {
        return false;
    }
    crash_backoff_due_.add(until_ms, texts_.keep(app.uid));
    for (const Rank& rank : *app.pending) {
        erase_app(rank.uid);  // it may have stood in the queue
        status_reporter_.report_quietly(
            pods_.at(rank.uid).pod,
            failing_message(cluster_.node_count(), app, crash_loop_pause_ms_max),
            now_ms_);
    }
    if (app.crash_loop.make().is_to_be_told(now_ms_)) {
        status_reporter_.event(
            driver_of(app),
            true,
            "ExecutorsFailing",
            "its executors fail as fast as they are started; they are bound more slowly now");
    }
    return true;
}

void Engine::end_crash_backoffs() {
    while (const auto uid = crash_backoff_due_.take(now_ms_)) {
        worklist_.dirty_gangs.insert(*uid);
    }
    wake_at(crash_backoff_due_.next_ms());
}

}  // namespace gang
