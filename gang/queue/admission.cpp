#include "gang/queue/admission.hpp"

#include "core/cluster/cluster.hpp"
#include "gang/explain.hpp"
#include "gang/model/work.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace gang {

bool Admission::run() {
    model_.settle_gpus();
    classifier_.begin();
    model_.worklist.queue_changed =
        model_.worklist.queue_changed || !model_.waiting.is_classified();
    classifier_.run();
    if (!model_.waiting.is_classified()) {
        step_.wake_at(step_.now_ms);  // the tick's work was used up
        return false;
    }
    admitter_.admit_with_held_room();
    const bool is_same = !model_.worklist.queue_changed &&
                         seen_.capacity == model_.cluster.room().gains().version() &&
                         seen_.ceiling == model_.cluster_model.ceiling_version() &&
                         seen_.rules == model_.pod_rules.version() &&
                         seen_.usage == model_.shares.usage.version();
    if (!is_same) {
        run_cycle();
    }
    refresh_.run();
    return !rest_.from;
}

/// In order of rank, by the first of each class. A class is left as soon as its first gang is
/// refused, or stands behind one that is: what is true of it is true of all behind it.
void Admission::run_cycle() {
    // The rest of a cycle goes on behind the same heads. Positions move with nodes: then it begins
    // anew.
    if (seen_.nodes != model_.cluster_model.nodes_version()) {
        rest_.from.reset();
    }
    seen_.nodes = model_.cluster_model.nodes_version();
    seen_.rules = model_.pod_rules.version();
    SchedulingCycle cycle = rest_.from ? std::exchange(rest_.cycle, {}) : SchedulingCycle{};
    model_.worklist.queue_changed = false;
    model_.fit_cache.placed.clear();
    // Gangs that are passed over cost work too: without going on where the last tick stopped,
    // enough of them would keep all others from ever being looked at.
    const std::optional<Rank> start = std::exchange(rest_.from, std::nullopt);
    model_.shares.history.advance(step_.now_ms);
    Turns turns(model_.shares, quota_.totals(), first_attempts(start, cycle));
    while (!turns.is_over()) {
        const Attempt next = turns.take();
        if (step_.work_left <= 0) {
            stop_cycle(turns, next, cycle);
            break;
        }
        const bool goes_on = attempt(*next.app, *next.gang_class, cycle) == AttemptResult::next;
        // Admitting has taken the gang out.
        turns.done(
            goes_on ? find_attempt(
                          *next.gang_class,
                          next.gang_class->second.members.upper_bound(next.app->order()),
                          cycle)
                    : std::nullopt);
    }
    if (model_.shares.history.is_on()) {
        model_.shares.history.observe(queues_short_of_room(model_), quota_.totals());
    }
    seen_.usage = model_.shares.usage.version();
    seen_.capacity = model_.cluster.room().gains().version();
    seen_.ceiling = model_.cluster_model.ceiling_version();
    if (cycle.cut_short) {
        refresh_.request();
    }
    if (seen_.rules != model_.pod_rules.version() && model_.pod_rules.waiting().size() > 0) {
        step_.wake_at(step_.now_ms);  // who was placed in this cycle may have made room by a rule
    }
    if (rest_.from || start) {
        model_.worklist.queue_changed = true;  // also those before the rest, who may fit by now
        step_.wake_at(step_.now_ms);
    }
}

/// Of each class the first, or where the last cycle stopped.
std::vector<Attempt> Admission::first_attempts(
    const std::optional<Rank>& start, SchedulingCycle& cycle) {
    const auto positions = std::exchange(rest_.positions, {});
    std::vector<Attempt> attempts;
    for (auto& gang_class : model_.waiting.classes().all()) {
        for (const auto view :
             {core::View::free, core::View::without_gangs, core::View::allocatable}) {
            verdicts_.keep_refusal(gang_class, view);
        }
        const Line& members = gang_class.second.members;
        auto first = members.begin();
        if (start && !quota_.is_active()) {
            first = members.lower_bound(*start);
        } else if (start) {
            const auto position = positions.find(gang_class.first);
            if (position != positions.end()) {
                first = position->second ? members.lower_bound(*position->second) : members.end();
            }
        }
        if (const auto next_attempt = find_attempt(gang_class, first, cycle)) {
            attempts.push_back(*next_attempt);
        }
    }
    return attempts;
}

/// The tick has no work left for `next`. Queues have their turns by what they hold, not by rank:
/// each class goes on by itself.
void Admission::stop_cycle(const Turns& turns, const Attempt& next, const SchedulingCycle& cycle) {
    rest_.from = next.app->rank();
    rest_.cycle = cycle;
    if (!quota_.is_active()) {
        return;
    }
    for (const auto& gang_class : model_.waiting.classes().all()) {
        rest_.positions.emplace(gang_class.first, std::nullopt);
    }
    rest_.positions[next.gang_class->first] = next.app->rank();
    for (const Attempt& other : turns.rest()) {
        rest_.positions[other.gang_class->first] = other.app->rank();
    }
}

/// The first from there who is not known to be in vain, or has not been told so yet.
std::optional<Attempt> Admission::find_attempt(
    KeyedClass& entry, Line::const_iterator from, SchedulingCycle& cycle) {
    EquivalenceClass& gang_class = entry.second;
    const auto& verdicts = gang_class.verdicts;
    std::int64_t in_vain = std::min(
        verdicts[static_cast<std::size_t>(core::View::allocatable)].refused,
        verdicts[static_cast<std::size_t>(core::View::without_gangs)].refused);
    if (entry.first.is_surplus) {
        in_vain = std::min(in_vain, verdicts[static_cast<std::size_t>(core::View::free)].refused);
    }
    if (gang_class.over_quota_at == model_.shares.usage.version()) {
        in_vain = std::min(in_vain, gang_class.over_quota);
    }
    // Who has executors uses as much of each limit as one who has one, or more.
    if (!cycle.quota.by_queue.empty() && quota_.holds_up(entry.first, 1, cycle.quota)) {
        in_vain = std::min<std::int64_t>(in_vain, 1);
    }
    if (gang_class.unattempted == 0 && !gang_class.sizes.empty() &&
        gang_class.sizes.begin()->first >= in_vain) {
        cycle.cut_short = true;
        return std::nullopt;  // all of them
    }
    for (; from != gang_class.members.end(); ++from) {
        const QueueEntry& queue_entry = model_.waiting.entry(**from);
        if (!queue_entry.is_attempted || queue_entry.size < in_vain) {
            return Attempt{*from, &entry};
        }
        cycle.cut_short = true;
    }
    return std::nullopt;
}

Admission::AttemptResult Admission::attempt(
    Application& app, KeyedClass& gang_class, SchedulingCycle& cycle) {
    step_.work_left -= work_per_attempt;
    ++step_.counters.attempts;
    model_.settle_gpus();  // whoever was admitted before it may have taken what it wishes
    PodEntry& entry = model_.pods.at(app.uid);
    status_.report_warnings(app, entry);
    if (quota_.is_active()) {
        if (const auto result = keep_to_quota(app, entry, gang_class, cycle)) {
            return *result;
        }
    }
    QueueEntry& queue_entry = model_.waiting.entry(app);
    if (cycle.blocked && !head_.is_apart(gang_class, cycle)) {
        cycle.cut_short = true;
        const bool is_in_the_way = head_.wait_behind(app, gang_class, cycle, [&] {
            return !verdicts_.is_infeasible(app, gang_class, queue_entry.size);
        });
        return is_in_the_way ? AttemptResult::none : AttemptResult::next;
    }
    model_.waiting.classes().note_attempt(queue_entry);
    queue_entry.position = 0;
    queue_entry.is_behind = false;
    const bool was_infeasible = std::exchange(queue_entry.is_infeasible, false);
    if (status_.report_obstacle(app, entry)) {
        return AttemptResult::next;
    }
    if (verdicts_.note_infeasible(queue_entry)) {
        model_.demand.note(app, step_.now_ms);
        status_.report_unless(queue_entry.is_reported && was_infeasible, app, cycle);
        return AttemptResult::next;
    }
    if (head_.pause_for_retry(app, gang_class, cycle)) {
        return AttemptResult::next;
    }
    ClassVerdict& verdict = gang_class.second.verdicts[static_cast<std::size_t>(core::View::free)];
    if (queue_entry.size < verdict.refused) {
        if (admitter_.try_now(app, entry, queue_entry, cycle)) {
            return AttemptResult::next;
        }
        verdict.refused = queue_entry.size;
        verdict.refused_at = model_.cluster.room().gains().version();
        verdict.unchanged_at = model_.cluster_model.version_of(core::View::free);
    }
    if (!app.is_surplus) {
        head_.block(gang_class, app, cycle, verdicts_.what_it_waits_for(app, gang_class));
        cycle.cut_short = cycle.cut_short || gang_class.second.members.upper_bound(app.order()) !=
                                                 gang_class.second.members.end();
    }
    model_.demand.note(app, step_.now_ms);
    // Else only numbers may have changed in what it was told.
    const ReasonCode code = model_.demand.code_for(app.uid, ReasonCode::waiting_for_capacity);
    status_.report_unless(
        queue_entry.is_reported &&
            (is_about_capacity(queue_entry.code) || queue_entry.code == code),
        app,
        cycle);
    queue_entry.code = code;
    return app.is_surplus ? AttemptResult::next : AttemptResult::none;
}

/// Nothing: its quota does not keep it waiting.
std::optional<Admission::AttemptResult> Admission::keep_to_quota(
    Application& app, PodEntry& entry, KeyedClass& gang_class, SchedulingCycle& cycle) {
    QueueEntry& queue_entry = model_.waiting.entry(app);
    const EquivalenceKey& key = gang_class.first;
    if (!entry.is_ready(step_.now_ms)) {
        return std::nullopt;
    }
    const QuotaAnswer answer = quota_.ask(queue_entry, cycle.quota);
    // Who could not be placed whatever its quota is told that, and holds up nobody.
    if (answer.code == ReasonCode::none ||
        verdicts_.is_infeasible(app, gang_class, queue_entry.size)) {
        return std::nullopt;
    }
    model_.waiting.classes().note_attempt(queue_entry);
    queue_entry.position = 0;
    queue_entry.is_behind = false;
    queue_entry.is_infeasible = false;
    const bool is_known = queue_entry.is_reported && queue_entry.code == answer.code;
    queue_entry.code = answer.code;
    status_.report_unless(is_known, app, cycle);
    queue_entry.code = answer.code;
    const bool is_for_ever = answer.code == ReasonCode::exceeds_quota;
    if (is_for_ever || !quota_.keeps_order(key)) {
        // Larger ones of its class are so as well, and it keeps none of those behind it waiting.
        EquivalenceClass& known = gang_class.second;
        const bool is_new = known.over_quota_at != model_.shares.usage.version();
        known.over_quota = is_new ? queue_entry.size : std::min(known.over_quota, queue_entry.size);
        known.over_quota_at = model_.shares.usage.version();
    }
    if (is_for_ever) {
        return AttemptResult::next;
    }
    if (!key.is_surplus) {
        queue_entry.position = ++cycle.ahead_in_queue[key.lane.queue];
    }
    quota_.await(key, answer.shortages, cycle.quota);
    const bool is_last = quota_.holds_up(key, 0, cycle.quota);
    cycle.cut_short = cycle.cut_short || is_last;
    return is_last ? AttemptResult::none : AttemptResult::next;
}

}  // namespace gang
