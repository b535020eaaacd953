// Waiting gangs, first come first served, each as a whole or not at all. The first gang that could
// fit the cluster and does not fit now blocks those behind it; a gang that could not fit even an
// emptier cluster is passed over, as is one whose conf is not known.
//
// Executors without a slot are elastic. They keep their turn, so that gangs which came later do not
// starve them, and hold up nobody: what does not fit now is passed over. An application that runs
// with the executors it has may want more for as long as it lives; gangs do not wait for that.

#include "core/mutant.hpp"
#include "gang/engine.hpp"
#include "gang/messages.hpp"
#include "gang/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// A pod that is changed by others all the time must not hold up the queue with it.
constexpr int failures_in_row_max = 3;
/// "Not found" is normal until Spark has made the config map; said when it lasts.
constexpr std::int64_t conf_patience_ms = 900;

}  // namespace

core::PlacementRequest Engine::request_of(const Application& app, core::View view) const {
    core::PlacementRequest request;
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
    // A plan reads each node a few times per shape.
    const auto shapes = static_cast<std::int64_t>(request.executors.size()) + 1;
    work_left_ -= static_cast<std::int64_t>(cluster_.node_count()) * shapes + 1;
    ++counters_.placements;
    return planner_.place(cluster_, request);
}

Engine::Memo& Engine::memo_of(core::View view) {
    MemoAt& memo = memos_[static_cast<std::size_t>(view)];
    if (core::is_mutant(core::Mutant::memo_kept)) {
        return memo.gangs;
    }
    const std::uint64_t current = view == core::View::free          ? cluster_.room_version()
                                  : view == core::View::allocatable ? nodes_version_
                                                                    : ceiling_version_;
    if (memo.version != current) {
        memo.gangs.clear();
        memo.version = current;
    }
    return memo.gangs;
}

const std::optional<core::Rejection>* Engine::find_memo(const Application& app) {
    const Memo& memo = memo_of(core::View::free);
    const auto it = memo.find(key_of(app));
    return it == memo.end() ? nullptr : &it->second;
}

/// Why the gang does not fit, or nothing. Equal gangs are answered by one look, as long as nothing
/// has changed that could change the answer.
const std::optional<core::Rejection>& Engine::reject_or_fit(
    const Application& app, core::View view) {
    const auto [it, inserted] = memo_of(view).try_emplace(key_of(app));
    if (inserted) {
        auto placement = place(request_of(app, view));
        if (auto* rejection = std::get_if<core::Rejection>(&placement)) {
            it->second = std::move(*rejection);
        }
    }
    return it->second;
}

void Engine::admit_waiting() {
    const bool is_same = !queue_changed_ && walked_room_ == cluster_.room_version() &&
                         walked_ceiling_ == ceiling_version_;
    if (is_same && !(full_walk_due_ && now_ms_ >= next_full_walk_ms_)) {
        return;
    }
    Walk walk;
    walk.full = now_ms_ >= next_full_walk_ms_;
    queue_changed_ = false;
    placed_.clear();
    // Gangs that are passed over cost work too: without going on where the last tick stopped,
    // enough of them would keep all others from ever being looked at.
    const auto start = walk_from_ ? waiting_.lower_bound(*walk_from_) : waiting_.begin();
    const bool is_rest = start != waiting_.begin();
    walk_from_.reset();
    for (auto it = start; it != waiting_.end();) {
        const Rank rank = *it++;  // admitting takes the gang out
        Application& app = apps_.at(rank.uid);
        if (work_left_ <= 0) {
            walk.left_over = true;
            (walk.blocked ? look_from_ : walk_from_) = rank;
            break;
        }
        if (!consider(app, pods_.at(rank.uid), walk)) {
            break;
        }
    }
    walked_room_ = cluster_.room_version();
    walked_ceiling_ = ceiling_version_;
    // Behind a blocked head there are only words to be found, and those have time.
    full_walk_due_ = walk.cut_short || (walk.left_over && walk.blocked);
    if (walk.full && !walk_from_) {
        next_full_walk_ms_ = now_ms_ + full_walk_ms;
        look_from_ = walk.left_over ? look_from_ : std::nullopt;
    }
    if (walk_from_ || is_rest) {
        queue_changed_ = true;  // also those before the rest, who may fit by now
        wake_at(now_ms_);
    } else if (full_walk_due_) {
        wake_at(next_full_walk_ms_);
    }
}

/// One gang's turn. False: the walk need not go on.
bool Engine::consider(Application& app, PodEntry& entry, Walk& walk) {
    --work_left_;
    tell_warnings(app, entry);
    if (walk.blocked && !walk.full) {
        walk.cut_short = true;
        return false;
    }
    if (walk.blocked && look_from_ && app.rank < *look_from_) {
        app.attempt.position = app.attempt.position == 0 ? 0 : ++walk.ahead;
        return true;  // was looked at last time
    }
    app.attempt.position = 0;
    if (is_passed_over(app, entry)) {
        return true;
    }
    if (!is_ready(entry)) {
        // A changed pod is tried again within moments: that is not worth a condition, which would
        // be one more change.
        app.attempt.saying = retry_saying(cluster_.node_count(), entry.retry);
        if (entry.retry.stale_version.empty()) {
            set_saying(app, app.attempt.saying);
        }
        if (holds_up_others(entry) && !app.is_elastic) {
            block(app, walk);
        }
        return true;
    }
    if (walk.blocked && !is_apart(app, walk)) {
        look_behind_head(app, entry, walk);
        return true;
    }
    const std::optional<core::Rejection>* known = find_memo(app);
    if (known == nullptr || !*known) {
        auto placement = place(request_of(app, core::View::free));
        if (const auto* plan = std::get_if<core::Plan>(&placement)) {
            admit(app, entry, *plan);
            return true;
        }
        known =
            &(memo_of(core::View::free)[key_of(app)] =
                  std::get<core::Rejection>(std::move(placement)));
    }
    set_saying(app, capacity_saying(subject_of(app, entry.pod), **known, nullptr));
    if (!app.is_elastic) {
        block(app, walk);
    }
    return true;
}

void Engine::block(Application& app, Walk& walk) {
    if (core::is_mutant(core::Mutant::younger_overtakes)) {
        return;
    }
    walk.head = walk.blocked ? walk.head : &app;
    walk.blocked = true;
    app.attempt.position = ++walk.ahead;
    walk.blocked_nodes.add(cluster_.eligible(cluster_.class_of(*app.driver_shape)));
    for (const GangShape& shape : app.shapes) {
        walk.blocked_nodes.add(cluster_.eligible(cluster_.class_of(shape.id)));
    }
}

/// Nobody who waits before it could use any of its nodes, so it takes nothing from them: pools that
/// share no node are lines of their own.
bool Engine::is_apart(const Application& app, const Walk& walk) const {
    const auto shares = [this, &walk](core::ShapeId shape) {
        return cluster_.eligible(cluster_.class_of(shape)).intersects(walk.blocked_nodes);
    };
    return !shares(*app.driver_shape) &&
           std::none_of(app.shapes.begin(), app.shapes.end(), [&shares](const GangShape& shape) {
               return shares(shape.id);
           });
}

/// What failed by chance keeps its place, or every hiccup would reorder the queue; not for ever.
bool Engine::holds_up_others(const PodEntry& entry) const {
    return entry.retry.code == ReasonCode::backing_off &&
           entry.retry.failures <= failures_in_row_max;
}

/// Gangs that cannot be admitted whatever room there is: others need not wait for them.
bool Engine::is_passed_over(Application& app, const PodEntry& entry) {
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
    // The empty cluster first: that answer stays while pods of others come and go.
    const auto& exceeds = reject_or_fit(app, core::View::allocatable);
    const auto& rejection = exceeds ? exceeds : reject_or_fit(app, core::View::without_gangs);
    app.attempt.parked = rejection.has_value();
    if (!rejection) {
        return false;
    }
    // Room that pods of others hold may come back by itself; a cluster does not grow by itself.
    const std::string subject = subject_of(app, entry.pod);
    set_saying(
        app, exceeds ? exceeds_saying(subject, *exceeds) : foreign_saying(subject, *rejection));
    return true;
}

/// Nothing, unless the executor is one more than its application said it would ever have. Spark's
/// own bound is one for each resource profile.
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
    set_saying(
        app,
        rejection ? capacity_saying(subject, *rejection, walk.head)
                  : queue_saying(cluster_.node_count(), subject, walk.ahead, walk.head));
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
    std::erase_if(memo_of(core::View::free), [](const auto& entry_of) { return !entry_of.second; });
    send_bind(entry, app.claimed_node, std::move(annotations));
    if (!core::is_mutant(core::Mutant::claimed_driver_not_counted)) {
        ledger_.settle(entry);
    }
}

/// Past 256 KiB of annotations nobody could write the pod again, so a gang spread too widely is not
/// admitted. What the pod carries beside ours is added up by the edge, which sees all of it.
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
        announcer_.say_quietly(pod, std::move(saying), now_ms_);  // no events for executors
    }
}

}  // namespace gang
