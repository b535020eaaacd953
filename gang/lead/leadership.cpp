#include "gang/lead/leadership.hpp"

#include "core/value/pod.hpp"
#include "gang/decision.hpp"
#include "gang/model/leadership_term.hpp"
#include "gang/model/pod/awaited_answers.hpp"
#include "gang/report/fencing_token.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>

namespace gang {
namespace {

/// Epochs are Unix milliseconds or little more. What is further ahead than any wrong clock was
/// forged, and must not be outbid.
constexpr std::int64_t epoch_ahead_max = std::int64_t{10} * 366 * 24 * 3'600'000;

std::int64_t epoch_of(const core::Pod& pod) {
    return pod.scheduled ? find_fence_epoch(pod.scheduled->message) : 0;
}

}  // namespace

void Leadership::on(const LeadershipGained& event) {
    model_.term.begin(event.epoch, event.handed_over);
    model_.shares.history.forget();  // nobody here has counted it while another led
    fence_.raise();
    gangs_to_fence_.clear();
    model_.worklist.queue_changed = true;
    for (const auto& [key, group] : model_.groups.all()) {
        model_.worklist.dirty_groups.insert(key);
    }
    model_.waiting.forget_reported();
    status_reporter_.forget_all();
}

void Leadership::on(const LeadershipLost&) {
    model_.term.end();
    fence_.raise();
    gangs_to_fence_.clear();
    model_.awaited_answers.clear();
    // The next leader may rewrite reservations; what the API server shows counts from now on. That
    // we moved a slot and had not written it yet is forgotten with the annotation we remember.
    for (auto& [uid, app] : model_.gangs.all()) {
        if (app.is_driver && app.phase == Phase::running) {
            app.published.writing = 0;
            app.published.annotation = {};
            model_.worklist.to_adopt.insert(app.rank());
        }
    }
    model_.worklist.to_publish.clear();
}

/// Of all that older leaders wrote and we can see. A wrong clock, or a Lease that was deleted, must
/// not make us the older one.
std::int64_t Leadership::highest_epoch() const {
    std::int64_t highest = 0;
    const auto consider = [&highest, bound = step_.now_ms + epoch_ahead_max](std::int64_t epoch) {
        highest = epoch <= bound ? std::max(highest, epoch) : highest;
    };
    for (const auto& [uid, app] : model_.gangs.all()) {
        consider(app.published.epoch);
    }
    for (const Application* app : model_.waiting) {
        consider(epoch_of(model_.pods.at(app->uid).pod));
    }
    return highest;
}

void Leadership::raise_fence() {
    model_.term.raise_fence(highest_epoch(), step_.now_ms);
}

/// Of all that may have to be written to. Where nothing is under way one write will do, whatever it
/// is to: when the watch shows it, the watch has shown all that the older leader wrote.
bool Leadership::needs_another_fence() const {
    if (model_.term.fence_is_complete) {
        return false;
    }
    const bool none_is_out = fence_.passed() && gangs_to_fence_.empty();
    return !model_.term.was_handed_over || (none_is_out && !fence_.view_is_current());
}

/// An older leader may have a write under way that moves the slots of a live gang to room which is
/// free for us. So the reservation of each gang with slots to fill is written anew, as ours: the
/// other write then comes too late. A gang whose executors are all there has nothing to move.
///
/// A slot that has no room where its reservation says is named there still: nobody else may get
/// that room, should it appear, before this is written. So such gangs are written to in any case.
void Leadership::fence_gangs() {
    if (!model_.term.fence_is_complete) {
        for (const auto& [uid, app] : model_.gangs.all()) {
            const bool has_unfilled = app.published.reserved && app.phase == Phase::running &&
                                      app.published.epoch != model_.term.epoch &&
                                      app.count(SlotState::bound) < app.slots.size();
            if (has_unfilled && (needs_another_fence() || app.count(SlotState::unplaced) > 0)) {
                gangs_to_fence_.emplace(
                    uid, GangFence{app.published.annotation.str(), step_.now_ms});
            }
        }
    }
    for (auto it = gangs_to_fence_.begin(); it != gangs_to_fence_.end();) {
        Application* app = model_.gangs.find(it->first);
        const bool is_live =
            app != nullptr && app->published.reserved && app->phase == Phase::running;
        const bool is_ours =
            is_live && app->published.epoch == model_.term.epoch && app->published.is_shown;
        if (is_live && app->published.rewrites.is_made() &&
            model_.pods[model_.pods.id_of(app->uid)].resource_version() !=
                app->published.rewrites->written_on) {
            app->published.rewrites.make().refusals.newer_state_shown();
        }
        const bool is_hopeless = is_live && app->published.rewrites->refusals.are_hopeless(
                                                model_.term.fence_raised_ms, step_.now_ms);
        if (is_ours || is_hopeless) {
            fence_.set_view_is_current();
        }
        if (!is_live || is_ours || is_hopeless) {
            it = gangs_to_fence_.erase(it);
            model_.worklist.queue_changed = true;
            continue;
        }
        const bool is_unseen =
            app->published.epoch != model_.term.epoch || it->second.again_ms <= step_.now_ms;
        if (is_unseen && app->published.generation == app->published.stored &&
            app->published.writing == 0 && !model_.wanted.unverified.contains(app->rank())) {
            publisher_.rewrite(*app);
            it->second.again_ms = step_.now_ms + fence_unseen_ms;
        }
        if (it->second.again_ms > step_.now_ms) {
            step_.wake_at(it->second.again_ms);
        }
        ++it;
    }
}

bool Leadership::is_rewritten_by_another(const Application& app, const std::string* text) const {
    const auto it = gangs_to_fence_.find(app.uid);
    const bool is_fenced = it != gangs_to_fence_.end();
    const bool may_be_late = model_.term.leads && !fence_.view_is_current();
    const bool has_passed = app.published.epoch == model_.term.epoch &&
                            app.published.stored >= app.published.text_generation;
    if ((!is_fenced && !may_be_late) || has_passed || text == nullptr ||
        *text == app.published.annotation || (is_fenced && *text == it->second.text)) {
        return false;
    }
    const auto read = decode_reservation(*text, model_.schema.gang.max_gang_size - 1);
    if (!read || read->anchor != app.uid || read->epoch == model_.term.epoch) {
        return false;
    }
    // A leader's write follows what it found, whatever of ours is under way; an older text than that
    // has been put back by the pod's owner.
    const bool is_expected = is_fenced || model_.term.was_handed_over;
    return read->generation >
           (is_expected ? app.published.stored : app.published.text_generation);
}

/// Of a pod group an older leader may have chosen another anchor than we: whoever is not a gang's
/// that holds its reservation may be bound with one.
void Leadership::fence_members() {
    for (const auto& [key, group] : model_.groups.all()) {
        for (const PodId id : group.members) {
            if (!needs_another_fence()) {
                return;
            }
            if (model_.pods.is_compacted(id)) {
                continue;
            }
            const PodEntry& member = model_.pods.at(id);
            const Application* owner = model_.gangs.find_owner(member);
            if (member.is_bindable() && (owner == nullptr || owner->phase != Phase::running)) {
                fence_.add(member.pod.uid, step_.now_ms);
            }
        }
    }
}

void Leadership::fence_step() {
    if (!model_.term.fence_is_raised) {
        raise_fence();
    }
    for (const Application* app : model_.waiting) {
        if (!needs_another_fence()) {
            break;
        }
        fence_.add(app->uid, step_.now_ms);
    }
    fence_members();
    fence_gangs();
    for (const std::string& uid : fence_.due(step_.now_ms)) {
        model_.awaited_answers.expect(uid, AwaitedAnswers::Write::fence);
        status_reporter_.report_fence(
            model_.pods.at(uid).pod,
            "0/" + std::to_string(model_.cluster.nodes().count()) + " nodes looked at yet: " +
                fencing_token(model_.term.epoch) + " and reads the queue [WaitingInQueue]");
    }
}

void Leadership::observe_fencing_token(const PodEntry& entry) {
    if (!model_.term.leads) {
        return;
    }
    const std::int64_t epoch = epoch_of(entry.pod);
    if (epoch == model_.term.epoch) {
        fence_.seen(entry.pod.uid);
        return;
    }
    fence_.changed(entry.pod.uid, step_.now_ms);
    if (is_younger(epoch)) {
        step_down(epoch, "the fence");
    }
}

void Leadership::observe_reservation(const core::Pod& pod) {
    const std::string* const text = core::find_value(pod.annotations, reservation_annotation);
    if (!model_.term.leads || !model_.schema.is_sealed() || text == nullptr) {
        return;
    }
    const Application* const app = model_.gangs.find(pod.uid);
    if (app != nullptr && *text == app->published.annotation) {
        return;
    }
    const auto read = decode_reservation(*text, model_.schema.gang.max_gang_size - 1);
    if (read && read->anchor == pod.uid && is_younger(read->epoch)) {
        step_down(read->epoch, "a reservation");
    }
}

/// Before our own fence is raised we do not know yet how high we must go.
bool Leadership::is_younger(std::int64_t epoch) const {
    return model_.term.fence_is_raised && epoch > model_.term.epoch &&
           epoch <= step_.now_ms + epoch_ahead_max;
}

void Leadership::step_down(std::int64_t epoch, const char* met) {
    on(LeadershipLost{});
    step_.decisions.emplace_back(StepDown{
        std::string(met) + " of scheduler epoch " + std::to_string(epoch) + " was met, ours is " +
        std::to_string(model_.term.epoch)});
}

bool Leadership::is_fence_passed() const {
    return fence_.passed() && gangs_to_fence_.empty();
}

bool Leadership::is_behind_fence() const {
    return model_.term.leads && model_.term.fence_is_complete && is_fence_passed();
}

bool Leadership::is_settled() const {
    return model_.term.leads && (model_.term.was_handed_over || is_behind_fence());
}

bool Leadership::is_first_plan_waiting() {
    // Where nobody waits there is nothing to plan: a view that lags may show who does.
    if (model_.term.first_plan_done || model_.waiting.size() == 0) {
        return false;
    }
    const bool is_one_lost = declarations_.awaits_lost_declaration();
    const std::int64_t until_ms = is_one_lost ? model_.term.fence_raised_ms + fence_give_up_ms
                                              : model_.term.first_plan_until_ms;
    if ((is_one_lost || !model_.conf_asker.all_answered_once() ||
         !model_.groups.all_answered_once()) &&
        step_.now_ms < until_ms) {
        step_.wake_at(until_ms);
        return true;
    }
    model_.term.first_plan_done = true;
    return false;
}

}  // namespace gang
