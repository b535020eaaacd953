// Waiting gangs, first come first served, each as a whole or not at all. The
// first gang that could fit the cluster and does not fit now blocks those
// behind it; a gang that could not fit even an emptier cluster is passed over,
// as is one whose conf is not known.
//
// Gangs that ask for the same are of one kind (waiting_line.hpp): what refuses
// one of them refuses all that are as large or larger, as long as no node that
// could take a pod of theirs has got room.
//
// Executors without a slot are elastic. They keep their turn, so that gangs
// which came later do not starve them, and hold up nobody: what does not fit
// now is passed over. An application that runs with the executors it has may
// want more for as long as it lives; gangs do not wait for that.

#include "core/mutant.hpp"
#include "gang/engine.hpp"
#include "gang/messages.hpp"
#include "gang/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// A pod that is changed by others all the time must not hold up the queue with
/// it.
constexpr int failures_in_row_max = 3;
/// "Not found" is normal until Spark has made the config map; said when it
/// lasts.
constexpr std::int64_t conf_patience_ms = 900;

}  // namespace

/// The driver's word, or its profile's.
core::PackingPolicy Engine::policy_of(const Application& app) const {
    return app.packing ? *app.packing : schema_.packing_of(pods_.at(app.uid).pod.scheduler_name);
}

core::PlacementRequest Engine::request_of(const Application& app, core::View view) const {
    core::PlacementRequest request;
    request.policy = policy_of(app);
    request.driver = app.driver_shape;
    request.view = view;
    for (const GangShape& shape : app.shapes) {
        const bool is_short = core::is_mutant(core::Mutant::gang_one_short) && shape.count > 0;
        request.executors.push_back({shape.id, shape.count - (is_short ? 1 : 0)});
        if (core::is_mutant(core::Mutant::half_gang)) {
            request.executors.back().count = 0;
        }
    }
    return request;
}

Engine::MemoKey Engine::key_of(const Application& app) const {
    MemoKey key{{*app.driver_shape, 1}};
    for (const GangShape& shape : app.shapes) {
        key.emplace_back(shape.id, shape.count);
    }
    return key;
}

core::Placement Engine::place(const core::PlacementRequest& request) {
    const std::uint64_t before = planner_.groups_scanned();
    ++counters_.placements;
    core::Placement placement = planner_.place(cluster_, request);
    const auto scanned = static_cast<std::int64_t>(planner_.groups_scanned() - before);
    work_left_ -= work_per_turn + scanned * work_per_group_scanned;
    if (std::holds_alternative<core::Rejection>(placement)) {
        work_left_ -= static_cast<std::int64_t>(cluster_.node_count()) * work_per_node_explained;
    }
    return placement;
}

bool Engine::fits(const core::PlacementRequest& request) {
    const std::uint64_t before = planner_.groups_scanned();
    ++counters_.placements;
    const bool does = planner_.fits(cluster_, request);
    const auto scanned = static_cast<std::int64_t>(planner_.groups_scanned() - before);
    work_left_ -= work_per_turn + scanned * work_per_group_scanned;
    return does;
}

/// Of what the view is made of.
std::uint64_t Engine::version_of(core::View view) const {
    return view == core::View::free          ? cluster_.room_version()
           : view == core::View::allocatable ? nodes_version_
                                             : ceiling_version_;
}

Engine::Memo& Engine::memo_of(core::View view) {
    MemoAt& memo = memos_[static_cast<std::size_t>(view)];
    if (core::is_mutant(core::Mutant::memo_kept)) {
        return memo.gangs;
    }
    const std::uint64_t current = version_of(view);
    if (memo.version != current) {
        memo.gangs.clear();
        memo.version = current;
    }
    return memo.gangs;
}

/// Why the gang does not fit, or nothing. Equal gangs are answered by one look,
/// as long as nothing has changed that could change the answer.
const std::optional<core::Rejection>& Engine::reject_or_fit(
    const Application& app, core::View view) {
    const auto [it, inserted] = memo_of(view).try_emplace(key_of(app));
    if (inserted) {
        auto placement = place(request_of(app, view));
        if (auto* rejection = std::get_if<core::Rejection>(&placement)) {
            it->second = std::move(*rejection);
        }
        is_fit_kept_ = is_fit_kept_ || (!it->second && view == core::View::free);
    }
    return it->second;
}

/// Room and gangs that have changed are walked at once, and then by kind. What
/// is said to those who wait behind others has time: everybody is looked at
/// once a second, if anything has changed.
void Engine::admit_waiting() {
    queue_changed_ = queue_changed_ || !waiting_.is_filed();
    file_waiting();
    if (!waiting_.is_filed()) {
        wake_at(now_ms_);  // the tick's work was used up
        return;
    }
    const bool is_same = !queue_changed_ && walked_room_ == cluster_.room_version() &&
                         walked_ceiling_ == ceiling_version_;
    if (!is_same) {
        walk_kinds();
    }
    if (look_ || (is_look_due_ && now_ms_ >= next_look_ms_)) {
        work_left_ = look_work_per_tick;
        look_at_all();
    } else if (is_look_due_) {
        wake_at(next_look_ms_);
    }
}

/// Gangs that cannot be placed whatever room there is are of no kind: they are
/// told why.
void Engine::file_waiting() {
    const WaitingLine::Ranks unfiled = waiting_.take_unfiled();
    for (const Rank& rank : unfiled) {
        if (work_left_ <= 0) {
            waiting_.changed(rank);
            continue;
        }
        work_left_ -= work_per_turn;
        Application& app = apps_.at(rank.uid);
        if (!app.problem.empty() || app.conf.needed || !app.driver_shape) {
            tell_warnings(app, pods_.at(rank.uid));
            is_not_to_be_placed(app, pods_.at(rank.uid));
            continue;
        }
        KindKey key{app.is_elastic, policy_of(app), {*app.driver_shape}, {}};
        std::int64_t size = 0;
        for (const GangShape& shape : app.shapes) {
            key.shapes.push_back(shape.id);
            key.counts.push_back(shape.count);
            size += shape.count;
        }
        if (key.counts.size() < 2) {
            key.counts.clear();
        }
        waiting_.file(rank, std::move(key), size);
    }
}

/// In order of rank, by the first of each kind. A kind is left as soon as its
/// first gang is refused, or stands behind one that is: what is true of it is
/// true of all behind it.
void Engine::walk_kinds() {
    // The rest of a walk goes on behind the same heads. Positions move with nodes: then it begins
    // anew.
    if (walked_nodes_ != nodes_version_) {
        walk_from_.reset();
    }
    walked_nodes_ = nodes_version_;
    Walk walk = walk_from_ ? std::exchange(rest_, {}) : Walk{};
    queue_changed_ = false;
    placed_.clear();
    // Gangs that are passed over cost work too: without going on where the last
    // tick stopped, enough of them would keep all others from ever being looked
    // at.
    const std::optional<Rank> start = std::exchange(walk_from_, std::nullopt);
    std::vector<KindTurn> turns;
    const auto is_later = [](const KindTurn& a, const KindTurn& b) { return *b.rank < *a.rank; };
    for (auto& kind : waiting_.kinds()) {
        for (const auto view :
             {core::View::free, core::View::without_gangs, core::View::allocatable}) {
            keep_refusal(kind, view);
        }
        auto& members = kind.second.members;
        const auto first = start ? members.lower_bound(*start) : members.begin();
        if (const auto turn = find_turn(kind, first, walk)) {
            turns.push_back(*turn);
        }
    }
    std::make_heap(turns.begin(), turns.end(), is_later);
    while (!turns.empty()) {
        std::pop_heap(turns.begin(), turns.end(), is_later);
        KindEntry& kind = *turns.back().kind;
        const Rank rank = *turns.back().rank;  // admitting takes the gang out
        turns.pop_back();
        if (work_left_ <= 0) {
            walk_from_ = rank;
            rest_ = walk;
            break;
        }
        if (take_turn(apps_.at(rank.uid), pods_.at(rank.uid), kind, walk) == Turn::none) {
            continue;
        }
        if (const auto turn = find_turn(kind, kind.second.members.upper_bound(rank), walk)) {
            turns.push_back(*turn);
            std::push_heap(turns.begin(), turns.end(), is_later);
        }
    }
    walked_room_ = cluster_.room_version();
    walked_ceiling_ = ceiling_version_;
    is_look_due_ = is_look_due_ || walk.cut_short || waiting_.has_unkind();
    if (walk_from_ || start) {
        queue_changed_ = true;  // also those before the rest, who may fit by now
        wake_at(now_ms_);
    }
}

/// What was refused stays refused as long as none of the nodes with new room
/// since takes a pod of the kind in that view.
void Engine::keep_refusal(KindEntry& kind, core::View view) {
    KindVerdict& verdict = kind.second.verdicts[static_cast<std::size_t>(view)];
    if (verdict.refused == KindVerdict{}.refused || core::is_mutant(core::Mutant::memo_kept)) {
        return;
    }
    bool is_helped = false;
    if (verdict.unchanged_at != version_of(view)) {
        const bool is_known = cluster_.for_each_gain(verdict.refused_at, [&](core::NodeIndex node) {
            is_helped =
                is_helped ||
                std::any_of(
                    kind.first.shapes.begin(), kind.first.shapes.end(), [&](core::ShapeId shape) {
                        return cluster_.capacity(node, shape, view) > 0;
                    });
        });
        is_helped = is_helped || !is_known;
    }
    if (is_helped) {
        verdict.refused = KindVerdict{}.refused;
        return;
    }
    verdict.refused_at = cluster_.room_version();
    verdict.unchanged_at = version_of(view);
}

/// The first from there who is not known to be in vain, or has not been told so
/// yet.
std::optional<Engine::KindTurn> Engine::find_turn(
    KindEntry& kind, std::map<Rank, WaitingKind::Member>::iterator from, Walk& walk) {
    const auto& verdicts = kind.second.verdicts;
    std::int64_t in_vain = std::min(
        verdicts[static_cast<std::size_t>(core::View::allocatable)].refused,
        verdicts[static_cast<std::size_t>(core::View::without_gangs)].refused);
    if (kind.first.is_elastic) {
        in_vain = std::min(in_vain, verdicts[static_cast<std::size_t>(core::View::free)].refused);
    }
    for (; from != kind.second.members.end(); ++from) {
        if (!from->second.is_seen || from->second.size < in_vain) {
            return KindTurn{&from->first, &kind};
        }
        walk.cut_short = true;
    }
    return std::nullopt;
}

Engine::Turn Engine::take_turn(Application& app, PodEntry& entry, KindEntry& kind, Walk& walk) {
    work_left_ -= work_per_turn;
    tell_warnings(app, entry);
    if (walk.blocked && !is_apart(app, walk)) {
        walk.cut_short = true;
        return Turn::none;
    }
    const std::int32_t position = std::exchange(app.attempt.position, 0);
    WaitingKind::Member& member = kind.second.members.at(app.rank);
    const bool was_seen = std::exchange(member.is_seen, true);
    if (is_not_to_be_placed(app, entry) || is_parked(app, entry, kind) ||
        waits_for_retry(app, entry, walk)) {
        return Turn::next;
    }
    KindVerdict& verdict = kind.second.verdicts[static_cast<std::size_t>(core::View::free)];
    const bool is_known = member.size >= verdict.refused;
    if (!is_known) {
        auto placement = place(request_of(app, core::View::free));
        if (const auto* plan = std::get_if<core::Plan>(&placement)) {
            admit(app, entry, *plan);
            return Turn::next;
        }
        verdict.refused = member.size;
        verdict.refused_at = cluster_.room_version();
        verdict.unchanged_at = version_of(core::View::free);
        memo_of(core::View::free)[key_of(app)] = std::get<core::Rejection>(std::move(placement));
    }
    if (is_known && was_seen && position == walk.ahead + 1) {
        walk.cut_short = true;  // only numbers may have changed in what it was told
    } else if (const auto& rejection = reject_or_fit(app, core::View::free)) {
        set_saying(app, capacity_saying(subject_of(app, entry.pod), *rejection, nullptr));
    }
    if (app.is_elastic) {
        return Turn::next;
    }
    block(app, walk);
    walk.cut_short =
        walk.cut_short || kind.second.members.upper_bound(app.rank) != kind.second.members.end();
    return core::is_mutant(core::Mutant::younger_overtakes) ? Turn::next : Turn::none;
}

/// True: the pause after a failed attempt is not over.
bool Engine::waits_for_retry(Application& app, PodEntry& entry, Walk& walk) {
    if (is_ready(entry)) {
        return false;
    }
    // A changed pod is tried again within moments: that is not worth a condition,
    // which would be one more change.
    app.attempt.saying = retry_saying(cluster_.node_count(), entry.retry);
    if (entry.retry.stale_version.empty()) {
        set_saying(app, app.attempt.saying);
    }
    if (holds_up_others(entry) && !app.is_elastic) {
        block(app, walk);
    }
    return true;
}

/// Everybody's place and words; nobody is admitted. What was found in earlier
/// ticks is kept: room that has changed meanwhile is for the next look.
void Engine::look_at_all() {
    if (look_ && look_->blocked && find_app(look_->head) == nullptr) {
        look_.reset();
    }
    if (!look_) {
        look_.emplace();
        look_from_.reset();
        is_look_due_ = false;
    }
    auto it = look_from_ ? waiting_.lower_bound(*look_from_) : waiting_.begin();
    for (; it != waiting_.end(); ++it) {
        if (work_left_ <= 0) {
            look_from_ = *it;
            wake_at(now_ms_);
            return;
        }
        look_at(apps_.at(it->uid), pods_.at(it->uid), *look_);
    }
    look_.reset();
    next_look_ms_ = now_ms_ + full_walk_ms;
    if (is_look_due_) {
        wake_at(next_look_ms_);
    }
}

void Engine::look_at(Application& app, PodEntry& entry, Walk& walk) {
    work_left_ -= work_per_turn + work_per_saying;
    tell_warnings(app, entry);
    app.attempt.position = 0;
    if (is_not_to_be_placed(app, entry) || !app.driver_shape || is_said_to_be_parked(app, entry) ||
        waits_for_retry(app, entry, walk)) {
        return;
    }
    if (walk.blocked && !is_apart(app, walk)) {
        look_behind_head(app, entry, walk);
        return;
    }
    const auto& rejection = reject_or_fit(app, core::View::free);
    if (!rejection) {
        return;  // its turn is about to come
    }
    set_saying(app, capacity_saying(subject_of(app, entry.pod), *rejection, nullptr));
    if (!app.is_elastic) {
        block(app, walk);
    }
}

void Engine::block(Application& app, Walk& walk) {
    if (core::is_mutant(core::Mutant::younger_overtakes)) {
        return;
    }
    walk.head = walk.blocked ? walk.head : app.uid;
    walk.blocked = true;
    app.attempt.position = ++walk.ahead;
    walk.blocked_nodes.add(cluster_.eligible(cluster_.class_of(*app.driver_shape)));
    for (const GangShape& shape : app.shapes) {
        walk.blocked_nodes.add(cluster_.eligible(cluster_.class_of(shape.id)));
    }
}

/// Nobody who waits before it could use any of its nodes, so it takes nothing
/// from them: pools that share no node are lines of their own.
bool Engine::is_apart(const Application& app, const Walk& walk) const {
    const auto shares = [this, &walk](core::ShapeId shape) {
        return cluster_.eligible(cluster_.class_of(shape)).intersects(walk.blocked_nodes);
    };
    return !shares(*app.driver_shape) &&
           std::none_of(app.shapes.begin(), app.shapes.end(), [&shares](const GangShape& shape) {
               return shares(shape.id);
           });
}

/// What failed by chance keeps its place, or every hiccup would reorder the
/// queue; not for ever.
bool Engine::holds_up_others(const PodEntry& entry) const {
    return entry.retry.code == ReasonCode::backing_off &&
           entry.retry.failures <= failures_in_row_max;
}

/// Gangs that cannot be admitted whatever room there is: others need not wait
/// for them.
bool Engine::is_not_to_be_placed(Application& app, const PodEntry& entry) {
    const std::size_t nodes = cluster_.node_count();
    if (!app.problem.empty()) {
        set_saying(app, problem_saying(nodes, app.problem));
        return true;
    }
    if (app.conf.needed) {
        const bool quickly =
            app.conf.problem == ConfProblem::not_found || app.conf.problem == ConfProblem::failed;
        if (app.conf.misses > 0 &&
            (!quickly || now_ms_ - app.conf.first_miss_ms >= conf_patience_ms)) {
            set_saying(app, conf_saying(nodes, app, entry.pod));
        }
        return true;
    }
    if (const auto limit = elastic_limit(app)) {
        set_saying(app, limit_saying(nodes, *find_app(app.elastic_of), *limit));
        return true;
    }
    return false;
}

/// The same of gangs that would not fit even if no other gang were there. The
/// empty cluster first: that answer stays while pods of others come and go.
bool Engine::is_parked(Application& app, PodEntry& entry, KindEntry& kind) {
    const std::int64_t size = kind.second.members.at(app.rank).size;
    app.attempt.parked = is_refused(app, kind, size, core::View::allocatable) ||
                         is_refused(app, kind, size, core::View::without_gangs);
    return app.attempt.parked && is_said_to_be_parked(app, entry);
}

bool Engine::is_refused(
    const Application& app, KindEntry& kind, std::int64_t size, core::View view) {
    KindVerdict& verdict = kind.second.verdicts[static_cast<std::size_t>(view)];
    if (size >= verdict.refused) {
        return true;
    }
    if (verdict.fits_at != shrink_version_) {
        verdict.fits = -1;
        verdict.fits_at = shrink_version_;
    }
    if (size <= verdict.fits) {
        return false;
    }
    if (fits(request_of(app, view))) {
        verdict.fits = size;
        return false;
    }
    verdict.refused = size;
    verdict.refused_at = cluster_.room_version();
    verdict.unchanged_at = version_of(view);
    return true;
}

bool Engine::is_said_to_be_parked(Application& app, const PodEntry& entry) {
    const auto& exceeds = reject_or_fit(app, core::View::allocatable);
    const auto& rejection = exceeds ? exceeds : reject_or_fit(app, core::View::without_gangs);
    app.attempt.parked = rejection.has_value();
    if (!rejection) {
        return false;
    }
    // Room that pods of others hold may come back by itself; a cluster does not
    // grow by itself.
    const std::string subject = subject_of(app, entry.pod);
    set_saying(
        app, exceeds ? exceeds_saying(subject, *exceeds) : foreign_saying(subject, *rejection));
    return true;
}

/// Nothing, unless the executor is one more than its application said it would
/// ever have. Spark's own bound is one for each resource profile.
std::optional<std::int64_t> Engine::elastic_limit(const Application& app) {
    const Application* gang = app.elastic_of.empty() ? nullptr : find_app(app.elastic_of);
    if (gang == nullptr || gang->shapes.empty()) {
        return std::nullopt;
    }
    const std::int32_t profile = profile_of(pods_.at(app.uid).pod);
    const auto declared =
        std::find_if(gang->shapes.begin(), gang->shapes.end(), [profile](const GangShape& shape) {
            return shape.profile == profile;
        });
    const std::int64_t limit =
        declared == gang->shapes.end() ? gang->shapes.front().max : declared->max;
    if (limit <= 0) {
        return std::nullopt;
    }
    const auto [it, inserted] = placed_.try_emplace({gang->uid, profile});
    if (inserted) {
        const auto members = pods_.members_of(gang->uid);
        it->second = std::count_if(members.begin(), members.end(), [&](PodId member) {
            return pods_.holds_room(member) && pods_.profile(member) == profile;
        });
    }
    return it->second >= limit ? std::optional(limit) : std::nullopt;
}

void Engine::look_behind_head(Application& app, const PodEntry& entry, Walk& walk) {
    const auto& rejection = reject_or_fit(app, core::View::free);
    const std::string subject = subject_of(app, entry.pod);
    const Application* const head = find_app(walk.head);
    set_saying(
        app,
        rejection ? capacity_saying(subject, *rejection, head)
                  : queue_saying(cluster_.node_count(), subject, walk.ahead, head));
    app.attempt.position = app.is_elastic ? 0 : ++walk.ahead;
}

void Engine::admit(Application& app, PodEntry& entry, const core::Plan& plan) {
    for (std::size_t shape = 0; shape < app.shapes.size(); ++shape) {
        for (const core::NodeCount& found : plan.executors[shape]) {
            for (std::int64_t i = 0; i < found.count; ++i) {
                const std::string& node = cluster_.node_name(found.node);
                ledger_.open(app, ledger_.add(app, shape, node), node);
            }
        }
        if (core::is_mutant(core::Mutant::half_gang)) {
            for (std::int64_t i = 0; i < app.shapes[shape].count; ++i) {
                ledger_.add(app, shape, {});
            }
        }
    }
    core::StringMap annotations;
    if (app.is_driver) {
        app.generation = 1;
        app.epoch = epoch_;
        app.annotation = reservation_text(app);
        app.text_generation = app.generation;
        app.stored = 0;
        app.is_shown = true;  // the bind brings it: no bound state can be without it
        if (!annotation_fits(app)) {
            ledger_.drop(app);
            return;
        }
        if (!core::is_mutant(core::Mutant::reservation_after_bind)) {
            annotations = {{std::string(reservation_annotation), app.annotation}};
        }
    } else if (!app.elastic_of.empty()) {
        annotations = {{std::string(slot_annotation), std::string(elastic_mark)}};
    }
    app.phase = Phase::claimed;
    app.milestones.admitted_ms = now_ms_;
    app.claimed_node = cluster_.node_name(plan.driver);
    waiting_.erase(app.rank);
    if (Application* gang = find_owner(entry)) {
        gang->pending.erase(entry.rank());
    }
    app.attempt = {};
    if (const auto placed = placed_.find({app.elastic_of, profile_of(entry.pod)});
        placed != placed_.end()) {
        ++placed->second;
    }
    // Who was remembered to fit may not, now that this room is taken.
    if (std::exchange(is_fit_kept_, false)) {
        std::erase_if(
            memo_of(core::View::free), [](const auto& entry_of) { return !entry_of.second; });
    }
    send_bind(entry, app.claimed_node, std::move(annotations));
    if (!core::is_mutant(core::Mutant::claimed_driver_not_counted)) {
        ledger_.settle(entry);
    }
}

/// Past 256 KiB of annotations nobody could write the pod again, so a gang
/// spread too widely is not admitted. What the pod carries beside ours is added
/// up by the edge, which sees all of it.
bool Engine::annotation_fits(Application& app) {
    if (app.annotation.size() <= reservation_bytes_max) {
        return true;
    }
    app.problem = "the gang's reservation would be an annotation of " +
                  std::to_string(app.annotation.size()) + " bytes, more than the " +
                  std::to_string(reservation_bytes_max) + " allowed";
    set_saying(app, problem_saying(cluster_.node_count(), app.problem));
    return false;
}

void Engine::set_saying(Application& app, Saying saying) {
    app.attempt.saying = saying;
    const core::Pod& pod = pods_.at(app.uid).pod;
    if (!app.is_elastic) {
        announcer_.say(pod, std::move(saying), now_ms_);
    } else {
        announcer_.say_quietly(pod, std::move(saying),
                               now_ms_);  // no events for executors
    }
}

}  // namespace gang
