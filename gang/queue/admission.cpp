#include "gang/queue/admission.hpp"

#include "core/cluster/cluster.hpp"
#include "core/cluster/trial.hpp"
#include "core/value/pod.hpp"
#include "gang/explain.hpp"
#include "gang/model/group/group_records.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/work.hpp"
#include "gang/report/messages.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gang {

bool Admission::run() {
    model_.settle_gpus();
    max_waits_.run();
    model_.worklist.queue_changed =
        model_.worklist.queue_changed || !model_.waiting.is_classified();
    classify_waiting();
    if (!model_.waiting.is_classified()) {
        step_.wake_at(step_.now_ms);  // the tick's work was used up
        return false;
    }
    admit_with_held_room();
    const bool is_same = !model_.worklist.queue_changed &&
                         seen_.capacity == model_.cluster.free_capacity_version() &&
                         seen_.ceiling == model_.cluster_model.ceiling_version() &&
                         seen_.rules == model_.placed_pods.version() &&
                         seen_.usage == model_.shares.usage.version();
    if (!is_same) {
        run_cycle();
    }
    refresh_.run();
    return !rest_.from;
}

/// Room that others were evicted for (gang/preempt), or that an autoscaler was asked for
/// (gang/demand), is held for them: with it they go first.
bool Admission::admit_with_held_room() {
    std::set<std::string> held;
    for (const auto& [uid, nomination] : model_.nominations.all()) {
        held.insert(uid);
    }
    for (const auto& [uid, bought] : model_.bought.all()) {
        held.insert(uid);
    }
    bool was_bought = false;
    for (const std::string& uid : held) {
        Application* const app = model_.gangs.find(uid);
        if (app == nullptr || !WaitingLine::contains(*app) || app->phase != Phase::waiting ||
            !app->declared.driver_shape) {
            continue;
        }
        PodEntry& entry = model_.pods.at(uid);
        const QueueEntry& queue_entry = model_.waiting.entry(*app);
        if (queue_entry.gang_class == nullptr || !entry.is_ready(step_.now_ms) ||
            !quota_.keeps_to_quotas(*app) || quota_.passes_overdue(*app) ||
            domain_placer_.is_reached(*app)) {
            continue;
        }
        if (const auto plan = plan_with_held_room(*app)) {
            was_bought = was_bought || model_.bought.find(uid) != nullptr;
            model_.nominations.give_back(uid, model_.cluster);
            model_.bought.give_back(uid, model_.cluster);
            admit(*app, entry, *plan);
        }
    }
    return was_bought;
}

std::optional<core::Plan> Admission::plan_with_held_room(const Application& app) {
    core::Trial trial(model_.cluster);
    if (const Nomination* const nomination = model_.nominations.find(app.uid)) {
        for (const core::AllocationId room : nomination->held) {
            trial.release(room);
        }
    }
    if (const BoughtRoom* const bought = model_.bought.find(app.uid)) {
        for (const BoughtRoom::Place& place : bought->places) {
            trial.release(place.room);
        }
    }
    return placer_.find_plan(app);
}

/// Gangs that cannot be placed whatever room there is are of no class: they are told why.
void Admission::classify_waiting() {
    const Line unclassified = model_.waiting.take_unclassified();
    for (Application* const next : unclassified) {
        Application& app = *next;
        if (step_.work_left <= 0) {
            model_.waiting.changed(app);
            continue;
        }
        step_.work_left -= work_per_attempt;
        expect_executors(app);
        PodEntry& entry = model_.pods.at(app.uid);
        if (!app.declared.diagnostics->problem.empty() || app.declared.conf_needed ||
            model_.gangs.awaits_group(app) || !app.declared.driver_shape ||
            app.declared.queue_problem.is_made() || app.declared.is_held ||
            quota_.is_stopped(app) || model_.find_claim_obstacle(app, entry.pod)) {
            model_.quotas.rest(app);
            status_.report_warnings(app, entry);
            status_.report_obstacle(app, entry);
            refresh_.request();  // those behind it are one fewer
            continue;
        }
        if (!keeps_to_namespace(app, entry)) {
            status_.report_warnings(app, entry);
            status_.report_obstacle(app, entry);
            refresh_.request();  // those behind it are one fewer
            continue;
        }
        called_.prepare(app, entry);
        EquivalenceKey key{
            app.is_surplus,
            placer_.order_of(app),
            placer_.wish_of(app),
            {*app.declared.driver_shape},
            {}};
        std::int64_t size = 0;
        for (const GangShape& shape : app.declared.shapes) {
            key.shapes.push_back(shape.id);
            key.counts.push_back(shape.count);
            size += shape.count;
        }
        if (key.counts.size() < 2) {
            key.counts.clear();
        }
        if (app.declared.min_resources) {
            key.min_resources.push_back(*app.declared.min_resources);
        }
        max_waits_.look_at(app);
        quota_.place(app, key);
        model_.waiting.classify(app, std::move(key), size);
    }
}

/// Quotas of its namespace let its executors in.
bool Admission::keeps_to_namespace(const Application& app, const PodEntry& entry) {
    model_.quotas.want(app, entry.pod, step_.now_ms);
    return !model_.find_quota_obstacle(app, entry.pod);
}

/// Rules that are new are counted at the beginning of a Tick.
void Admission::expect_executors(Application& app) {
    const std::size_t before = model_.placed_pods.waiting_count();
    std::string problem = domain_placer_.expect_executors(app);
    if (!problem.empty() && app.declared.diagnostics->problem.empty()) {
        app.set_problem(std::move(problem));
    }
    if (model_.placed_pods.waiting_count() != before) {
        step_.wake_at(step_.now_ms);
    }
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
    seen_.rules = model_.placed_pods.version();
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
    seen_.capacity = model_.cluster.free_capacity_version();
    seen_.ceiling = model_.cluster_model.ceiling_version();
    if (cycle.cut_short) {
        refresh_.request();
    }
    if (seen_.rules != model_.placed_pods.version() && model_.placed_pods.waiting_count() > 0) {
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
    for (auto& gang_class : model_.waiting.gang_classes()) {
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
    for (const auto& gang_class : model_.waiting.gang_classes()) {
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
    model_.waiting.note_attempt(queue_entry);
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
        if (domain_placer_.is_reached(app)) {
            if (placer_.has_min_resources(app, core::View::free) &&
                keep_to_rules(app, entry, queue_entry, cycle)) {
                return AttemptResult::next;
            }
        } else if (const auto plan = placer_.find_plan(app)) {
            admit(app, entry, *plan);
            return AttemptResult::next;
        }
        verdict.refused = queue_entry.size;
        verdict.refused_at = model_.cluster.free_capacity_version();
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
    model_.waiting.note_attempt(queue_entry);
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

/// Of one that rules between pods reach. True: it was admitted, or the rules alone are in its way:
/// then it holds up nobody. False: there is no room for it, whatever they say.
bool Admission::keep_to_rules(
    Application& app, PodEntry& entry, QueueEntry& queue_entry, SchedulingCycle& cycle) {
    const std::uint64_t state =
        model_.placed_pods.version() + model_.cluster.free_capacity_version() + 1;
    if (queue_entry.refused_by_rules_at == state) {
        return true;
    }
    const bool is_ready = domain_placer_.is_ready(app);
    if (is_ready) {
        const core::Placement placement = domain_placer_.place(app);
        if (const auto* plan = std::get_if<core::Plan>(&placement)) {
            admit(app, entry, *plan);
            return true;
        }
    }
    if (!placer_.fits(app, core::View::free)) {
        return false;
    }
    queue_entry.refused_by_rules_at = is_ready ? state : 0;
    status_.report_unless(
        queue_entry.is_reported && queue_entry.code == ReasonCode::pod_rules_not_met, app, cycle);
    queue_entry.code = ReasonCode::pod_rules_not_met;
    return true;
}

void Admission::admit(Application& app, PodEntry& entry, const core::Plan& plan) {
    called_.placed(app);
    if (model_.bought.find(app.uid) != nullptr) {  // it fits without, or elsewhere
        model_.bought.give_back(app.uid, model_.cluster);
        step_.wake_at(step_.now_ms);
    }
    model_.ledger.expect(app, model_.waiting.entry(app).size);
    for (std::size_t shape = 0; shape < app.declared.shapes.size(); ++shape) {
        for (const core::NodeCount& found : plan.executors[shape]) {
            model_.ledger.add_open(app, shape, found.node, found.count);
        }
    }
    core::StringMap annotations;
    if (app.is_driver) {
        const auto before = app.group.empty() ? std::nullopt : newest_record(model_, app.group);
        app.published.first_generation = before ? before->age.generation : 0;
        app.published.generation = app.published.first_generation + 1;
        app.published.epoch = model_.term.epoch;
        app.published.annotation = model_.texts.keep(publisher_.text_of(app));
        app.published.text_generation = app.published.generation;
        app.published.stored = app.published.first_generation;
        app.published.is_shown = true;  // the bind brings it: no bound state can be without it
        if (!annotation_fits(app)) {
            model_.ledger.drop(app);
            return;
        }
        annotations = {{std::string(reservation_annotation), app.published.annotation.str()}};
    } else if (!app.surplus_of.empty()) {
        const Application* gang = model_.gangs.find_owner(entry);
        annotations = {
            {std::string(slot_annotation),
             gang != nullptr && gang->is_slotless()
                 ? gang->gang_uid() + "/" + std::string(unnumbered_slot)
                 : std::string(surplus_slot)}};
    }
    app.phase = Phase::assumed;
    app.milestones.make().admitted_ms = step_.now_ms;
    app.assumed_node = model_.texts.keep(model_.cluster.node_name(plan.driver));
    model_.waiting.erase(app);
    model_.quotas.admitted(app);
    verdicts_.note_admitted();
    if (Application* gang = model_.gangs.find_owner(entry)) {
        gang->remove_pending(entry.rank());
    }
    if (const auto placed = model_.fit_cache.placed.find({app.surplus_of.str(), entry.profile});
        placed != model_.fit_cache.placed.end()) {
        ++placed->second;
    }
    // Who was remembered to fit may not, now that this room is taken.
    model_.fit_cache.forget_fits();
    binder_.send_bind(entry, app.assumed_node, std::move(annotations));
    model_.ledger.settle(entry);
    binder_.say_cards(entry, model_.cluster.find_pod(entry.pod.uid));
}

/// Past 256 KiB of annotations nobody could write the pod again, so a gang
/// spread too widely is not admitted. What the pod carries beside ours is added
/// up by the edge, which sees all of it.
bool Admission::annotation_fits(Application& app) {
    const std::size_t bytes = app.published.annotation.str().size();
    if (bytes <= reservation_bytes_max) {
        return true;
    }
    app.set_problem(
        "the gang's reservation would be an annotation of " + std::to_string(bytes) +
        " bytes, more than the " + std::to_string(reservation_bytes_max) + " allowed");
    status_.set_message(
        app, problem_message(model_.cluster.node_count(), app.declared.diagnostics->problem));
    return false;
}

}  // namespace gang
