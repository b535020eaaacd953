#include "gang/queue/status/status_refresh.hpp"

#include "core/cluster/cluster.hpp"
#include "gang/model/work.hpp"
#include "gang/quota/turns.hpp"
#include "gang/report/status_reporter.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace gang {

void StatusRefresh::run() {
    const bool is_due = step_.now_ms >= next_refresh_ms_;
    if (pass_.cycle || (is_refresh_due_ && is_due)) {
        step_.work_left = refresh_work_per_tick;
        refresh_all();
    } else if (turns_.left > 0 && is_due) {
        next_refresh_ms_ = step_.now_ms + status_refresh_ms;
        refresh_messages();
    }
    if (!pass_.cycle && (is_refresh_due_ || turns_.left > 0)) {
        step_.wake_at(next_refresh_ms_);
    }
}

/// Everybody's place and reason; nobody is admitted. What was found in earlier ticks is kept: room
/// that has changed meanwhile is for the next refresh.
void StatusRefresh::refresh_all() {
    if (pass_.cycle &&
        (pass_.nodes != model_.cluster_model.nodes_version() ||
         (pass_.cycle->blocked && model_.gangs.find(pass_.cycle->head) == nullptr))) {
        pass_.cycle.reset();
    }
    if (!pass_.cycle) {
        pass_.cycle.emplace();
        pass_.from.reset();
        pass_.nodes = model_.cluster_model.nodes_version();
        is_refresh_due_ = false;
        if (quota_.is_active()) {
            begin_in_turn();
        }
    }
    if (!(quota_.is_active() ? refresh_in_turn() : refresh_in_order())) {
        step_.wake_at(step_.now_ms);
        return;
    }
    refreshed_head_ = std::move(pass_.cycle->head);
    pass_.cycle.reset();
    next_refresh_ms_ = step_.now_ms + status_refresh_ms;
    turns_.left = model_.waiting.size();
    refresh_messages();
}

/// False: the tick's work was used up.
bool StatusRefresh::refresh_in_order() {
    std::vector<QueueEntry>& entries = model_.waiting.sorted_entries();
    const auto from = pass_.from ? model_.waiting.lower_bound(*pass_.from) : model_.waiting.begin();
    std::size_t at = from == model_.waiting.end() ? entries.size() : (*from)->entry_index;
    for (; at < entries.size(); ++at) {
        if (entries[at].app == nullptr) {
            continue;
        }
        if (step_.work_left <= 0) {
            pass_.from = entries[at].app->rank();
            return false;
        }
        refresh_entry(entries[at], *pass_.cycle);
    }
    return true;
}

/// Those who are of no class first: they stand in no queue's way.
void StatusRefresh::begin_in_turn() {
    pass_.lanes.clear();
    for (const LaneAndLine* const lane : lanes_in_turn(model_, quota_.totals())) {
        pass_.lanes.push_back(lane->first);
    }
    pass_.lane = 0;
    for (QueueEntry& queue_entry : model_.waiting.sorted_entries()) {
        if (queue_entry.app != nullptr && queue_entry.gang_class == nullptr) {
            refresh_entry(queue_entry, *pass_.cycle);
        }
    }
}

/// As refresh_in_order(), queue by queue, as if nobody could be admitted meanwhile.
bool StatusRefresh::refresh_in_turn() {
    const auto& lanes = model_.waiting.classes().lanes();
    for (; pass_.lane < pass_.lanes.size(); ++pass_.lane, pass_.from.reset()) {
        const auto lane = lanes.find(pass_.lanes[pass_.lane]);
        if (lane != lanes.end() && !refresh_line(lane->second)) {
            return false;
        }
    }
    return true;
}

bool StatusRefresh::refresh_line(const Line& line) {
    auto next = pass_.from ? line.lower_bound(*pass_.from) : line.begin();
    for (; next != line.end(); ++next) {
        if (step_.work_left <= 0) {
            pass_.from = (*next)->rank();
            return false;
        }
        refresh_entry(model_.waiting.entry(**next), *pass_.cycle);
    }
    return true;
}

void StatusRefresh::refresh_entry(QueueEntry& queue_entry, SchedulingCycle& cycle) {
    step_.work_left -= work_per_refresh;
    ++step_.counters.refreshes;
    queue_entry.position = 0;
    if (queue_entry.gang_class == nullptr) {
        if (!queue_entry.is_reported) {
            step_.work_left -= work_per_message;
            status_.report_obstacle(
                *queue_entry.app,
                model_.pods.at(queue_entry.app->uid));  // it may be time to say so
        }
        return;
    }
    const ReasonCode before = queue_entry.code;
    const bool was_reported = queue_entry.is_reported;
    if (!find_place(queue_entry, cycle)) {
        return;
    }
    if (!was_reported || (queue_entry.code != before &&
                          !(is_about_capacity(queue_entry.code) && is_about_capacity(before)))) {
        status_.report_warnings(*queue_entry.app, model_.pods.at(queue_entry.app->uid));
        status_.report(
            *queue_entry.app,
            cycle.head == queue_entry.app->uid ? nullptr : model_.gangs.find(cycle.head));
    }
}

/// False: there is nothing to be said to it now.
bool StatusRefresh::find_place(QueueEntry& queue_entry, SchedulingCycle& cycle) {
    KeyedClass& gang_class = *queue_entry.gang_class;
    Application& app = *queue_entry.app;
    const bool is_surplus = gang_class.first.is_surplus;
    queue_entry.is_behind = false;
    queue_entry.is_infeasible = false;
    if (is_surplus && messages_.surplus_limit(app, model_.fit_cache.placed)) {
        queue_entry.code = ReasonCode::misconfigured;
        return true;
    }
    if (verdicts_.note_infeasible(queue_entry)) {
        model_.waiting.classes().note_attempt(queue_entry);
        model_.demand.note(app, step_.now_ms);
        queue_entry.code = model_.demand.code_for(
            app.uid, infeasible_code(app, gang_class, queue_entry.size));
        return true;
    }
    if (queue_entry.failed_before && head_.pause_for_retry(app, gang_class, cycle)) {
        return false;
    }
    if (quota_.is_active() && !keeps_to_quota(queue_entry, cycle)) {
        return true;
    }
    queue_entry.is_behind = cycle.blocked && !head_.is_apart(gang_class, cycle);
    const bool is_refused_now =
        verdicts_.is_refused(app, gang_class, queue_entry.size, core::View::free);
    if (!queue_entry.is_behind && !is_refused_now) {
        return false;  // it is about to be tried
    }
    if (is_refused_now) {
        model_.demand.note(app, step_.now_ms);
    }
    queue_entry.code = is_refused_now
                           ? model_.demand.code_for(app.uid, ReasonCode::waiting_for_capacity)
                           : ReasonCode::waiting_in_queue;
    queue_entry.ahead = cycle.ahead;
    if (queue_entry.is_behind) {
        queue_entry.position = is_surplus ? 0 : cycle.next_position(gang_class.first.lane);
        head_.wait_behind(app, gang_class, cycle, [] { return true; });
    } else if (!is_surplus) {
        head_.block(gang_class, app, cycle, verdicts_.what_it_waits_for(app, gang_class));
    }
    return true;
}

/// False: a limit of its queue keeps it waiting.
bool StatusRefresh::keeps_to_quota(QueueEntry& queue_entry, SchedulingCycle& cycle) {
    const EquivalenceKey& key = queue_entry.gang_class->first;
    const QuotaAnswer answer = quota_.ask(queue_entry, cycle.quota);
    if (answer.code == ReasonCode::none) {
        return true;
    }
    model_.waiting.classes().note_attempt(queue_entry);
    queue_entry.code = answer.code;
    if (answer.code == ReasonCode::waiting_for_quota && !key.is_surplus) {
        queue_entry.position = ++cycle.ahead_in_queue[key.lane.queue];
        quota_.await(key, answer.shortages, cycle.quota);
    }
    return false;
}

/// Which of the reasons to be infeasible it is.
ReasonCode StatusRefresh::infeasible_code(
    const Application& app, KeyedClass& gang_class, std::int64_t size) {
    if (!verdicts_.is_refused(app, gang_class, size, core::View::allocatable)) {
        return ReasonCode::waiting_for_capacity;
    }
    MessageContext context{model_.fit_cache};
    const ReasonCode code = messages_.refusal_of(app, context);
    step_.work_left -= messages_.work_of(context);
    return code;
}

/// Those whose numbers may have changed, in turns; the first who is blocked before them.
void StatusRefresh::refresh_messages() {
    step_.work_left = refresh_messages_work;
    Application* const head = model_.gangs.find(refreshed_head_);
    std::int64_t changed = head != nullptr && refresh_message(*head) ? 1 : 0;
    auto next = turns_.from ? model_.waiting.lower_bound(*turns_.from) : model_.waiting.begin();
    while (turns_.left > 0 && step_.work_left > 0 && changed < soft_per_second) {
        next = next == model_.waiting.end() ? model_.waiting.begin() : next;
        if (next == model_.waiting.end()) {
            turns_.left = 0;  // nobody waits any more
            break;
        }
        --turns_.left;
        changed += refresh_message(**next++) ? 1 : 0;
    }
    turns_.from = next == model_.waiting.end() ? std::nullopt : std::optional((*next)->rank());
}

/// True: in other words than before.
bool StatusRefresh::refresh_message(Application& app) {
    const QueueEntry* const queue_entry = model_.waiting.find_entry(app);
    if (queue_entry == nullptr || !queue_entry->is_reported ||
        (queue_entry->failed_before && !model_.pods.at(app.uid).is_ready(step_.now_ms))) {
        return false;  // head_.pause_for_retry() has said what is to be said
    }
    return status_.report(app, model_.gangs.find(refreshed_head_));
}

}  // namespace gang
