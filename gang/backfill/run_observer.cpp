#include "gang/backfill/run_observer.hpp"

#include "gang/durations/expected_run.hpp"

#include <algorithm>
#include <utility>

namespace gang {

void RunObserver::config_changed() {
    is_on_ = config::has_backfill(model_.schema);
    if (!is_on_) {
        model_.run_times.all().clear();
        model_.run_times.note_change();
        model_.outlooks.all().clear();
    }
}

void RunObserver::on(const PodUpserted& event) {
    const core::Pod& pod = event.pod;
    if (!is_on_ || !starts_gang(pod)) {
        return;
    }
    if (core::is_terminal(pod)) {
        const Run* const known = model_.run_times.find(pod.uid);
        const bool is_seen = known != nullptr && known->start_ms > 0;
        const std::int64_t said_ms = pod.scheduled && pod.scheduled->status
                                         ? pod.scheduled->since * 1000
                                         : std::int64_t{0};
        const std::int64_t start_ms = is_seen ? known->start_ms : said_ms;
        std::int64_t end_ms = pod.ended * 1000;
        if (end_ms == 0 && is_seen) {
            end_ms = step_.now_ms;
        }
        if (pod.phase == core::PodPhase::succeeded && start_ms > 0 && end_ms > start_ms) {
            const std::string name =
                known != nullptr ? known->name : queue_of(pod) + "/" + run_name(pod);
            model_.run_times.book().learn(name, end_ms, end_ms - start_ms);
            model_.run_times.note_change();
        }
        model_.run_times.erase(pod.uid);
        return;
    }
    const bool is_new = model_.run_times.find(pod.uid) == nullptr;
    Run& run = model_.run_times.ensure(pod.uid);
    if (is_new || run.start_ms == 0) {  // until it is bound, its last word counts
        run.name = queue_of(pod) + "/" + run_name(pod);
        run.said_ms = expected_run_of(pod).value_or(0);
    }
    if (run.start_ms == 0 && !pod.node_name.empty()) {
        const bool is_said = pod.scheduled && pod.scheduled->status && pod.scheduled->since > 0;
        run.start_ms =
            is_said ? std::min(pod.scheduled->since * 1000, step_.now_ms) : step_.now_ms;
        model_.run_times.note_change();
    }
}

void RunObserver::on(const PodDeleted& event) {
    if (is_on_) {
        model_.run_times.erase(event.uid);
    }
}

/// Executors and members of a group end with their gang.
bool RunObserver::starts_gang(const core::Pod& pod) const {
    if (const auto id = model_.pods.find(pod.uid)) {
        return model_.pods[*id].is_driver() ||
               (model_.pods[*id].group().empty() && !model_.reader.is_executor(pod));
    }
    return false;
}

/// Names count within a namespace: nobody is told how long another tenant's jobs take, or has his
/// own made longer by them.
std::string RunObserver::queue_of(const core::Pod& pod) const {
    const Application* const app = model_.gangs.find(pod.uid);
    std::string queue;
    if (app != nullptr) {
        queue = app->declared.queue.str();
    } else if (const QueueAccount* account = model_.shares.charges.find(pod.uid)) {
        queue = account->queue == no_queue ? std::string() : model_.shares.tree.name(account->queue);
    }
    return queue + "/" + pod.namespace_name;
}

}  // namespace gang
