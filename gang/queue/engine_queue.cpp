// Waiting gangs, first come first served, each as a whole or not at all. The first gang that could
// fit the cluster and does not fit now blocks those behind it; a gang that could not fit even an
// emptier cluster is passed over, as is one whose conf is not known.
//
// Gangs that ask for the same are of one equivalence class (waiting_line.hpp): what refuses one of
// them refuses all that are as large or larger, as long as no node that could take a pod of theirs
// has got room.
//
// Executors without a slot are surplus executors. They keep their place, so that gangs which came
// later do not starve them, and hold up nobody: what does not fit now is passed over. An
// application that runs with the executors it has may want more for as long as it lives; gangs do
// not wait for that.
//
// What they are told meanwhile: engine_status.cpp.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// A pod that is changed by others all the time must not hold up the queue with it.
constexpr int failures_in_row_max = 3;

}  // namespace

/// The driver's word, or its profile's.
core::PackingPolicy Engine::policy_of(const Application& app) const {
    return app.packing ? *app.packing
                       : schema_.packing_of(pods_.scheduler_name(pods_.id_of(app.uid)));
}

core::PlacementRequest Engine::request_of(const Application& app, core::View view) const {
    core::PlacementRequest request;
    request.policy = policy_of(app);
    request.driver = app.driver_shape;
    request.view = view;
    for (const GangShape& shape : app.shapes) {
        request.executors.push_back({shape.id, shape.count});
    }
    return request;
}

core::Placement Engine::place(const core::PlacementRequest& request) {
    const std::uint64_t before = planner_.groups_scanned();
    ++counters_.placements;
    core::Placement placement = planner_.place(cluster_, request);
    const auto scanned = static_cast<std::int64_t>(planner_.groups_scanned() - before);
    work_left_ -= work_per_attempt + scanned * work_per_group_scanned;
    if (std::holds_alternative<core::Rejection>(placement)) {
        work_left_ -= static_cast<std::int64_t>(cluster_.node_count()) * work_per_node_explained;
    }
    return placement;
}

/// The same without the reasons of a "no".
std::optional<core::Plan> Engine::find_plan(const core::PlacementRequest& request) {
    const std::uint64_t before = planner_.groups_scanned();
    ++counters_.placements;
    auto plan = planner_.find(cluster_, request);
    const auto scanned = static_cast<std::int64_t>(planner_.groups_scanned() - before);
    work_left_ -= work_per_attempt + scanned * work_per_group_scanned;
    return plan;
}

bool Engine::fits(const core::PlacementRequest& request) {
    const std::uint64_t before = planner_.groups_scanned();
    ++counters_.placements;
    const bool does = planner_.fits(cluster_, request);
    const auto scanned = static_cast<std::int64_t>(planner_.groups_scanned() - before);
    work_left_ -= work_per_attempt + scanned * work_per_group_scanned;
    return does;
}

/// Of what the view is made of.
std::uint64_t Engine::version_of(core::View view) const {
    return view == core::View::free          ? cluster_.free_capacity_version()
           : view == core::View::allocatable ? cluster_model_.nodes_version()
                                             : cluster_model_.ceiling_version();
}

/// Room and gangs that have changed are tried at once, by equivalence class. What is said to those
/// who wait behind others has time: everybody is looked at once a second, if anything has changed.
void Engine::admit_waiting() {
    queue_changed_ = queue_changed_ || !waiting_.is_classified();
    classify_waiting();
    if (!waiting_.is_classified()) {
        wake_at(now_ms_);  // the tick's work was used up
        return;
    }
    const bool is_same = !queue_changed_ && cycle_capacity_ == cluster_.free_capacity_version() &&
                         cycle_ceiling_ == cluster_model_.ceiling_version();
    if (!is_same) {
        run_cycle();
    }
    refresh_status();
}

/// Gangs that cannot be placed whatever room there is are of no class: they are told why.
void Engine::classify_waiting() {
    const Line unclassified = waiting_.take_unclassified();
    for (Application* const next : unclassified) {
        Application& app = *next;
        if (work_left_ <= 0) {
            waiting_.changed(app);
            continue;
        }
        work_left_ -= work_per_attempt;
        if (!app.diagnostics->problem.empty() || app.conf_needed || !app.driver_shape) {
            const PodEntry& entry = pods_.at(app.uid);
            report_warnings(app, entry);
            is_not_to_be_placed(app, entry);
            is_refresh_due_ = true;  // those behind it are one fewer
            continue;
        }
        EquivalenceKey key{app.is_surplus, policy_of(app), {*app.driver_shape}, {}};
        std::int64_t size = 0;
        for (const GangShape& shape : app.shapes) {
            key.shapes.push_back(shape.id);
            key.counts.push_back(shape.count);
            size += shape.count;
        }
        if (key.counts.size() < 2) {
            key.counts.clear();
        }
        waiting_.classify(app, std::move(key), size);
    }
}

/// In order of rank, by the first of each class. A class is left as soon as its first gang is
/// refused, or stands behind one that is: what is true of it is true of all behind it.
void Engine::run_cycle() {
    // The rest of a cycle goes on behind the same heads. Positions move with nodes: then it begins
    // anew.
    if (cycle_nodes_ != cluster_model_.nodes_version()) {
        cycle_from_.reset();
    }
    cycle_nodes_ = cluster_model_.nodes_version();
    SchedulingCycle cycle = cycle_from_ ? std::exchange(paused_cycle_, {}) : SchedulingCycle{};
    queue_changed_ = false;
    placed_.clear();
    // Gangs that are passed over cost work too: without going on where the last tick stopped,
    // enough of them would keep all others from ever being looked at.
    const std::optional<Rank> start = std::exchange(cycle_from_, std::nullopt);
    std::vector<Attempt> attempts;
    const auto is_later = [](const Attempt& a, const Attempt& b) {
        return b.app->order() < a.app->order();
    };
    for (auto& gang_class : waiting_.gang_classes()) {
        for (const auto view :
             {core::View::free, core::View::without_gangs, core::View::allocatable}) {
            keep_refusal(gang_class, view);
        }
        const Line& members = gang_class.second.members;
        const auto first = start ? members.lower_bound(*start) : members.begin();
        if (const auto next_attempt = find_attempt(gang_class, first, cycle)) {
            attempts.push_back(*next_attempt);
        }
    }
    std::make_heap(attempts.begin(), attempts.end(), is_later);
    while (!attempts.empty()) {
        std::pop_heap(attempts.begin(), attempts.end(), is_later);
        KeyedClass& gang_class = *attempts.back().gang_class;
        Application& app = *attempts.back().app;
        attempts.pop_back();
        if (work_left_ <= 0) {
            cycle_from_ = app.rank();
            paused_cycle_ = cycle;
            break;
        }
        if (attempt(app, gang_class, cycle) == AttemptResult::none) {
            continue;
        }
        // Admitting has taken the gang out.
        if (const auto next_attempt = find_attempt(
                gang_class, gang_class.second.members.upper_bound(app.order()), cycle)) {
            attempts.push_back(*next_attempt);
            std::push_heap(attempts.begin(), attempts.end(), is_later);
        }
    }
    cycle_capacity_ = cluster_.free_capacity_version();
    cycle_ceiling_ = cluster_model_.ceiling_version();
    is_refresh_due_ = is_refresh_due_ || cycle.cut_short;
    if (cycle_from_ || start) {
        queue_changed_ = true;  // also those before the rest, who may fit by now
        wake_at(now_ms_);
    }
}

/// What was refused stays refused as long as none of the nodes with new room since takes a pod of
/// the class in that view.
void Engine::keep_refusal(KeyedClass& gang_class, core::View view) {
    ClassVerdict& verdict = gang_class.second.verdicts[static_cast<std::size_t>(view)];
    if (verdict.refused == ClassVerdict{}.refused) {
        return;
    }
    bool is_helped = false;
    if (verdict.unchanged_at != version_of(view)) {
        const bool is_known = cluster_.for_each_gain(verdict.refused_at, [&](core::NodeIndex node) {
            is_helped = is_helped || std::any_of(
                                         gang_class.first.shapes.begin(),
                                         gang_class.first.shapes.end(),
                                         [&](core::ShapeId shape) {
                                             return cluster_.capacity(node, shape, view) > 0;
                                         });
        });
        is_helped = is_helped || !is_known;
    }
    if (is_helped) {
        verdict.refused = ClassVerdict{}.refused;
        return;
    }
    verdict.refused_at = cluster_.free_capacity_version();
    verdict.unchanged_at = version_of(view);
}

/// The first from there who is not known to be in vain, or has not been told so yet.
std::optional<Engine::Attempt> Engine::find_attempt(
    KeyedClass& entry, Line::const_iterator from, SchedulingCycle& cycle) {
    EquivalenceClass& gang_class = entry.second;
    const auto& verdicts = gang_class.verdicts;
    std::int64_t in_vain = std::min(
        verdicts[static_cast<std::size_t>(core::View::allocatable)].refused,
        verdicts[static_cast<std::size_t>(core::View::without_gangs)].refused);
    if (entry.first.is_surplus) {
        in_vain = std::min(in_vain, verdicts[static_cast<std::size_t>(core::View::free)].refused);
    }
    if (gang_class.unattempted == 0 && !gang_class.sizes.empty() &&
        gang_class.sizes.begin()->first >= in_vain) {
        cycle.cut_short = true;
        return std::nullopt;  // all of them
    }
    for (; from != gang_class.members.end(); ++from) {
        const QueueEntry& queue_entry = waiting_.entry(**from);
        if (!queue_entry.is_attempted || queue_entry.size < in_vain) {
            return Attempt{*from, &entry};
        }
        cycle.cut_short = true;
    }
    return std::nullopt;
}

Engine::AttemptResult Engine::attempt(
    Application& app, KeyedClass& gang_class, SchedulingCycle& cycle) {
    work_left_ -= work_per_attempt;
    ++counters_.attempts;
    PodEntry& entry = pods_.at(app.uid);
    report_warnings(app, entry);
    if (cycle.blocked && !is_apart(gang_class, cycle)) {
        cycle.cut_short = true;
        return AttemptResult::none;
    }
    QueueEntry& queue_entry = waiting_.entry(app);
    waiting_.note_attempt(queue_entry);
    queue_entry.position = 0;
    queue_entry.is_behind = false;
    const bool was_infeasible = std::exchange(queue_entry.is_infeasible, false);
    if (is_not_to_be_placed(app, entry)) {
        return AttemptResult::next;
    }
    queue_entry.is_infeasible = is_infeasible(app, gang_class, queue_entry.size);
    if (queue_entry.is_infeasible) {
        report_unless(queue_entry.is_reported && was_infeasible, app, cycle);
        return AttemptResult::next;
    }
    if (waits_for_retry(app, gang_class, cycle)) {
        return AttemptResult::next;
    }
    ClassVerdict& verdict = gang_class.second.verdicts[static_cast<std::size_t>(core::View::free)];
    if (queue_entry.size < verdict.refused) {
        if (const auto plan = find_plan(request_of(app, core::View::free))) {
            admit(app, entry, *plan);
            return AttemptResult::next;
        }
        verdict.refused = queue_entry.size;
        verdict.refused_at = cluster_.free_capacity_version();
        verdict.unchanged_at = version_of(core::View::free);
    }
    if (!app.is_surplus) {
        block(gang_class, app, cycle);
        cycle.cut_short = cycle.cut_short || gang_class.second.members.upper_bound(app.order()) !=
                                                 gang_class.second.members.end();
    }
    // Else only numbers may have changed in what it was told.
    report_unless(queue_entry.is_reported && is_about_capacity(queue_entry.code), app, cycle);
    queue_entry.code = ReasonCode::waiting_for_capacity;
    return app.is_surplus ? AttemptResult::next : AttemptResult::none;
}

/// Reports to one that is tried: nobody is before it.
void Engine::report_unless(bool is_known, Application& app, SchedulingCycle& cycle) {
    if (is_known) {
        cycle.cut_short = true;
    } else {
        report(app, nullptr);
    }
}

/// True: the pause after a failed attempt is not over.
bool Engine::waits_for_retry(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle) {
    const PodEntry& entry = pods_.at(app.uid);
    if (is_ready(entry)) {
        return false;
    }
    // A changed pod is tried again within moments: that is not worth a condition, which would be
    // one more change.
    if (entry.retry->stale_version.empty()) {
        set_message(app, retry_message(cluster_.node_count(), *entry.retry));
    }
    waiting_.entry(app).code = entry.retry->code;
    if (holds_up_others(entry) && !app.is_surplus) {
        block(gang_class, app, cycle);
    }
    return true;
}

void Engine::block(KeyedClass& gang_class, const Application& app, SchedulingCycle& cycle) {
    cycle.head = cycle.blocked ? cycle.head : app.uid;
    cycle.blocked = true;
    QueueEntry& queue_entry = waiting_.entry(app);
    queue_entry.ahead = cycle.ahead;
    queue_entry.position = ++cycle.ahead;
    for (const core::ShapeId shape : gang_class.first.shapes) {
        cycle.blocked_nodes.add(cluster_.eligible(cluster_.class_of(shape)));
    }
    cycle.blocked_state = ++blocked_states_;
}

/// Nobody who waits before it could use any of its nodes, so it takes nothing from them: pools that
/// share no node are lines of their own. What is true of one of a class is true of all.
bool Engine::is_apart(KeyedClass& gang_class, const SchedulingCycle& cycle) const {
    EquivalenceClass& known = gang_class.second;
    if (known.apart_for != cycle.blocked_state) {
        known.apart_for = cycle.blocked_state;
        known.is_apart = std::none_of(
            gang_class.first.shapes.begin(),
            gang_class.first.shapes.end(),
            [&](core::ShapeId shape) {
                return cluster_.eligible(cluster_.class_of(shape)).intersects(cycle.blocked_nodes);
            });
    }
    return known.is_apart;
}

/// What failed by chance keeps its place, or every hiccup would reorder the queue; not for ever.
bool Engine::holds_up_others(const PodEntry& entry) const {
    return entry.retry->code == ReasonCode::backing_off &&
           entry.retry->failures <= failures_in_row_max;
}

/// Gangs that would not fit even if no other gang were there: others need not wait for them. The
/// empty cluster first: that answer stays while pods of others come and go.
bool Engine::is_infeasible(const Application& app, KeyedClass& gang_class, std::int64_t size) {
    return is_refused(app, gang_class, size, core::View::allocatable) ||
           is_refused(app, gang_class, size, core::View::without_gangs);
}

/// Whether the view has no room for it, by comparison with others of its class, if that tells.
bool Engine::is_refused(
    const Application& app, KeyedClass& gang_class, std::int64_t size, core::View view) {
    ClassVerdict& verdict = gang_class.second.verdicts[static_cast<std::size_t>(view)];
    if (size >= verdict.refused) {
        return true;
    }
    // What is free is taken by those who are admitted, too.
    const std::uint64_t may_shrink =
        view == core::View::free
            ? cluster_model_.shrink_version() + cluster_.free_capacity_version() + admitted_
            : cluster_model_.shrink_version();
    if (verdict.fits_at != may_shrink) {
        verdict.fits = -1;
        verdict.fits_at = may_shrink;
    }
    if (size <= verdict.fits) {
        return false;
    }
    if (fits(request_of(app, view))) {
        verdict.fits = size;
        return false;
    }
    verdict.refused = size;
    verdict.refused_at = cluster_.free_capacity_version();
    verdict.unchanged_at = version_of(view);
    return true;
}

void Engine::admit(Application& app, PodEntry& entry, const core::Plan& plan) {
    ledger_.expect(app, waiting_.entry(app).size);
    for (std::size_t shape = 0; shape < app.shapes.size(); ++shape) {
        for (const core::NodeCount& found : plan.executors[shape]) {
            ledger_.add_open(app, shape, found.node, found.count);
        }
    }
    core::StringMap annotations;
    if (app.is_driver) {
        app.first_generation = 0;
        app.generation = 1;
        app.epoch = term_.epoch;
        app.annotation = texts_.keep(reservation_text(app));
        app.text_generation = app.generation;
        app.stored = 0;
        app.is_shown = true;  // the bind brings it: no bound state can be without it
        if (!annotation_fits(app)) {
            ledger_.drop(app);
            return;
        }
        annotations = {{std::string(reservation_annotation), app.annotation.str()}};
    } else if (!app.surplus_of.empty()) {
        const Application* gang = find_owner(entry);
        annotations = {
            {std::string(slot_annotation),
             is_slotless(gang) ? gang->uid + "/" + std::string(unnumbered_slot)
                               : std::string(surplus_slot)}};
    }
    app.phase = Phase::assumed;
    app.milestones.make().admitted_ms = now_ms_;
    app.assumed_node = texts_.keep(cluster_.node_name(plan.driver));
    waiting_.erase(app);
    ++admitted_;
    if (Application* gang = find_owner(entry)) {
        gang->remove_pending(entry.rank());
    }
    if (const auto placed = placed_.find({app.surplus_of.str(), profile_of(entry.pod)});
        placed != placed_.end()) {
        ++placed->second;
    }
    // Who was remembered to fit may not, now that this room is taken.
    Memo& memo = memos_[static_cast<std::size_t>(core::View::free)];
    if (std::exchange(memo.has_fits, false)) {
        std::erase_if(memo.gangs, [](const auto& known) { return !known.second; });
    }
    send_bind(entry, app.assumed_node, std::move(annotations));
    ledger_.settle(entry);
}

/// Past 256 KiB of annotations nobody could write the pod again, so a gang
/// spread too widely is not admitted. What the pod carries beside ours is added
/// up by the edge, which sees all of it.
bool Engine::annotation_fits(Application& app) {
    const std::size_t bytes = app.annotation.str().size();
    if (bytes <= reservation_bytes_max) {
        return true;
    }
    app.set_problem(
        "the gang's reservation would be an annotation of " + std::to_string(bytes) +
        " bytes, more than the " + std::to_string(reservation_bytes_max) + " allowed");
    set_message(app, problem_message(cluster_.node_count(), app.diagnostics->problem));
    return false;
}

}  // namespace gang
