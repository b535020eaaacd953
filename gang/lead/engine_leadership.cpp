// Who leads. A new leader first moves what an older one may have in flight out of the way (the
// fence, design: fence.hpp) and sees that its own view is not from before; an old one that sees the
// fencing token of a newer one stops.

#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// Epochs are Unix milliseconds or little more. What is further ahead than any wrong clock was
/// forged, and must not be outbid.
constexpr std::int64_t epoch_ahead_max = std::int64_t{10} * 366 * 24 * 3'600'000;

std::int64_t epoch_of(const core::Pod& pod) {
    return pod.scheduled ? find_fence_epoch(pod.scheduled->message) : 0;
}

}  // namespace

void Engine::on(const LeadershipGained& event) {
    term_.begin(event.epoch, event.handed_over);
    fence_.raise();
    gangs_to_fence_.clear();
    queue_changed_ = true;
    waiting_.forget_reported();
    status_reporter_.forget_all();
}

void Engine::on(const LeadershipLost&) {
    term_.end();
    fence_.raise();
    gangs_to_fence_.clear();
    awaited_.clear();
    // The next leader may rewrite reservations; what the API server shows counts from now on. That
    // we moved a slot and had not written it yet is forgotten with the annotation we remember.
    for (auto& [uid, app] : apps_) {
        if (app.is_driver && app.phase == Phase::running) {
            app.writing = 0;
            app.annotation = {};
            worklist_.to_adopt.insert(app.rank());
        }
    }
    worklist_.to_publish.clear();
}

/// Of all that older leaders wrote and we can see. A wrong clock, or a Lease that was deleted, must
/// not make us the older one.
std::int64_t Engine::highest_epoch() const {
    std::int64_t highest = 0;
    const auto consider = [&highest, bound = now_ms_ + epoch_ahead_max](std::int64_t epoch) {
        highest = epoch <= bound ? std::max(highest, epoch) : highest;
    };
    for (const auto& [uid, app] : apps_) {
        consider(app.epoch);
    }
    for (const Application* app : waiting_) {
        consider(epoch_of(pods_.at(app->uid).pod));
    }
    return highest;
}

void Engine::raise_fence() {
    term_.raise_fence(highest_epoch(), now_ms_);
}

/// Of all that may have to be written to. Where nothing is under way one write will do, whatever it
/// is to: when the watch shows it, the watch has shown all that the older leader wrote.
bool Engine::needs_another_fence() const {
    if (term_.fence_is_complete) {
        return false;
    }
    const bool none_is_out = fence_.passed() && gangs_to_fence_.empty();
    return !term_.was_handed_over || (none_is_out && !fence_.view_is_current());
}

/// An older leader may have a write under way that moves the slots of a live gang to room which is
/// free for us. So the reservation of each gang with slots to fill is written anew, as ours: the
/// other write then comes too late. A gang whose executors are all there has nothing to move.
///
/// A slot that has no room where its reservation says is named there still: nobody else may get
/// that room, should it appear, before this is written. So such gangs are written to in any case.
void Engine::fence_gangs() {
    if (!term_.fence_is_complete) {
        for (const auto& [uid, app] : apps_) {
            const bool has_unfilled = app.reserved && app.phase == Phase::running &&
                                      app.epoch != term_.epoch &&
                                      app.count(SlotState::bound) < app.slots.size();
            if (has_unfilled && (needs_another_fence() || app.count(SlotState::unplaced) > 0)) {
                gangs_to_fence_.emplace(uid, GangFence{app.annotation.str(), now_ms_});
            }
        }
    }
    for (auto it = gangs_to_fence_.begin(); it != gangs_to_fence_.end();) {
        Application* app = find_app(it->first);
        const bool is_live = app != nullptr && app->reserved && app->phase == Phase::running;
        const bool is_ours = is_live && app->epoch == term_.epoch && app->is_shown;
        const bool is_hopeless = is_live && app->rewrites->failures >= fence_refusals_max &&
                                 now_ms_ - term_.fence_raised_ms >= fence_give_up_ms;
        if (is_ours || is_hopeless) {
            fence_.set_view_is_current();
        }
        if (!is_live || is_ours || is_hopeless) {
            it = gangs_to_fence_.erase(it);
            queue_changed_ = true;
            continue;
        }
        const bool is_unseen = app->epoch != term_.epoch || it->second.again_ms <= now_ms_;
        if (is_unseen && app->generation == app->stored && app->writing == 0 &&
            !unverified_.contains(app->rank())) {
            rewrite_reservation(*app);
            it->second.again_ms = now_ms_ + fence_unseen_ms;
        }
        if (it->second.again_ms > now_ms_) {
            wake_at(it->second.again_ms);
        }
        ++it;
    }
}

/// What an older leader wrote, and the watch shows only now, is the truth until our own write of
/// this reservation has passed, or until our view is current. Nonsense is nobody's truth.
bool Engine::is_rewritten_by_another(const Application& app, const std::string* text) const {
    const auto it = gangs_to_fence_.find(app.uid);
    const bool is_fenced = it != gangs_to_fence_.end();
    const bool may_be_late = term_.leads && !fence_.view_is_current();
    const bool has_passed = app.epoch == term_.epoch && app.stored >= app.text_generation;
    if ((!is_fenced && !may_be_late) || has_passed || text == nullptr || *text == app.annotation ||
        (is_fenced && *text == it->second.text)) {
        return false;
    }
    const auto read = decode_reservation(*text, schema_.gang.max_gang_size - 1);
    if (!read || read->anchor != app.uid || read->epoch == term_.epoch) {
        return false;
    }
    return is_fenced || term_.was_handed_over || read->generation > app.text_generation;
}

/// Everything that may be in an older leader's hands: what starts a gang and is unbound, and what
/// is bound and may be rewritten. Whoever appears behind a current view is nobody's but ours.
void Engine::fence_step() {
    if (!term_.fence_is_raised) {
        raise_fence();
    }
    for (const Application* app : waiting_) {
        if (!needs_another_fence()) {
            break;
        }
        fence_.add(app->uid, now_ms_);
    }
    fence_gangs();
    for (const std::string& uid : fence_.due(now_ms_)) {
        awaited_.expect(uid, AwaitedAnswers::Write::fence);
        status_reporter_.report_fence(
            pods_.at(uid).pod,
            "0/" + std::to_string(cluster_.node_count()) + " nodes looked at yet: " +
                fencing_token(term_.epoch) + " and reads the queue [WaitingInQueue]");
    }
}

/// Whose fence wrote to this pod last.
void Engine::observe_fencing_token(const PodEntry& entry) {
    if (!term_.leads) {
        return;
    }
    const std::int64_t epoch = epoch_of(entry.pod);
    if (epoch == term_.epoch) {
        fence_.seen(entry.pod.uid);
        return;
    }
    fence_.changed(entry.pod.uid, now_ms_);
    // Before our own fence is raised we do not know yet how high we must go.
    if (term_.fence_is_raised && epoch > term_.epoch && epoch <= now_ms_ + epoch_ahead_max) {
        step_down(epoch);
    }
}

void Engine::step_down(std::int64_t epoch) {
    on(LeadershipLost{});
    decisions_.emplace_back(StepDown{
        "the fence of scheduler epoch " + std::to_string(epoch) + " was met, ours is " +
        std::to_string(term_.epoch)});
}

}  // namespace gang
