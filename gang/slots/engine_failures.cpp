// Executors that fail as fast as they are started: a wrong JVM option makes Spark ask for a new one
// each second, for ever in versions before 3.5. Work and words per application are bounded:
// failures fill a bucket, time empties it, and while it is too full no executor of the gang is
// bound.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>

namespace gang {
namespace {

/// In the long run one failure in this time is no storm.
constexpr std::int64_t failure_ms = 5'000;
/// So many at once are none either; Spark's own limit is twice the executors.
constexpr std::int64_t failures_min = 10;
constexpr std::int64_t pause_ms_max = 60'000;
constexpr std::int64_t told_again_ms = 600'000;

std::int64_t capacity_ms(const Application& app) {
    std::int64_t executors = 0;
    for (const GangShape& shape : app.shapes) {
        executors += shape.count;
    }
    return std::max(failures_min, 2 * executors) * failure_ms;
}

}  // namespace

void Engine::note_failure(PodEntry& entry, Application* owner) {
    if (entry.holds_room()) {
        entry.lived = true;
        return;
    }
    const bool failed = entry.pod.phase == core::PodPhase::failed;
    if (!std::exchange(entry.lived, false) || !failed || owner == nullptr) {
        return;
    }
    Failures& failures = owner->failures.make();
    const std::int64_t left =
        std::max<std::int64_t>(0, failures.level_ms - (now_ms_ - failures.at_ms));
    failures.level_ms = std::min(left + failure_ms, capacity_ms(*owner) + pause_ms_max);
    failures.at_ms = now_ms_;
    dirty_gangs_.insert(owner->uid);
}

std::int64_t Engine::calm_at_ms(const Application& app) const {
    return app.failures->at_ms + app.failures->level_ms - capacity_ms(app);
}

/// True: none of its executors is bound now.
bool Engine::hold_back(Application& app) {
    const std::int64_t calm_ms = calm_at_ms(app);
    if (app.phase != Phase::running || calm_ms <= now_ms_) {
        return false;
    }
    calm_due_.insert({calm_ms, texts_.keep(app.uid)});
    for (const Rank& rank : *app.pending) {
        erase_app(rank.uid);  // it may have stood in the queue
        announcer_.say_quietly(
            pods_.at(rank.uid).pod,
            failing_saying(cluster_.node_count(), app, pause_ms_max),
            now_ms_);
    }
    if (app.failures->told_ms == 0 || app.failures->told_ms + told_again_ms <= now_ms_) {
        app.failures.make().told_ms = now_ms_;
        announcer_.event(
            driver_of(app),
            true,
            "ExecutorsFailing",
            "its executors fail as fast as they are started; they are bound more slowly now");
    }
    return true;
}

void Engine::end_storms() {
    while (!calm_due_.empty() && calm_due_.begin()->at_ms <= now_ms_) {
        dirty_gangs_.insert(calm_due_.begin()->uid);
        calm_due_.erase(calm_due_.begin());
    }
    if (!calm_due_.empty()) {
        wake_at(calm_due_.begin()->at_ms);
    }
}

}  // namespace gang
