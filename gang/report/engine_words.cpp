// What waiting gangs are told, and what is shown of them. A sentence is made when it is to be
// written or is asked for; what is kept of a gang is its row in the line.
//
// A look at everybody, once a second while anything changes, finds places and reasons: numbers and
// comparisons alone, since one answer does for all of a kind (waiting_line.hpp). Whose reason is
// another one is told at once. Where only numbers in the text may have changed, it is said anew in
// turns, soft_per_second a second: that is as fast as it may be written.

#include "gang/engine.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// "Not found" is normal until Spark has made the config map; said when it lasts.
constexpr std::int64_t conf_patience_ms = 900;

}  // namespace

Engine::MemoKey Engine::key_of(const Application& app) const {
    MemoKey key{{*app.driver_shape, 1}};
    for (const GangShape& shape : app.shapes) {
        key.emplace_back(shape.id, shape.count);
    }
    return key;
}

/// As the view is now: what was known of another state of it is forgotten.
Engine::Memo& Engine::memo_of(core::View view, Wording& wording) const {
    Memo& memo = wording.memos[static_cast<std::size_t>(view)];
    if (memo.version != version_of(view)) {
        memo = {};
        memo.version = version_of(view);
    }
    return memo;
}

/// Of the empty nodes. Where none is closed, all that counts is whether there is one.
core::OpenRoom Engine::room_if_open(core::ShapeId shape, Wording& wording) const {
    if (!cluster_.has_closed_nodes()) {
        return {cluster_.eligible(cluster_.class_of(shape)).count(), 0, 0};
    }
    const auto [it, inserted] =
        memo_of(core::View::allocatable, wording).if_open.try_emplace(shape);
    if (inserted) {
        ++wording.searches;
        it->second = cluster_.room_if_open(shape, core::View::allocatable);
    }
    return it->second;
}

/// What is in the way of a gang that not even the empty nodes take. Closed nodes are, if all nodes
/// together could take as many pods of each of its shapes as it has. That is said too often rather
/// than too seldom (a driver takes room from its executors): who is told that he asks for too much
/// gives up.
ReasonCode Engine::refusal_of(const Application& app, Wording& wording) const {
    bool is_enough = true;
    bool is_closed = false;
    std::vector<core::ShapeCount> parts = request_of(app, core::View::allocatable).executors;
    parts.push_back({*app.driver_shape, 1});
    for (const core::ShapeCount& part : parts) {
        const core::OpenRoom room = room_if_open(part.shape, wording);
        if (room.nodes == 0 && part.count > 0 && cluster_.node_count() > 0) {
            return ReasonCode::constraints_unsatisfiable;
        }
        is_enough = is_enough && room.pods >= part.count;
        is_closed = is_closed || room.closed > 0;
    }
    return is_enough && is_closed ? ReasonCode::waiting_for_capacity : ReasonCode::exceeds_cluster;
}

/// Why the gang does not fit, or nothing. Equal gangs are answered by one look, as long as nothing
/// has changed that could change the answer.
const std::optional<core::Rejection>& Engine::find_rejection(
    const Application& app, core::View view, Wording& wording) const {
    Memo& memo = memo_of(view, wording);
    const auto [it, inserted] = memo.gangs.try_emplace(key_of(app));
    if (inserted) {
        ++wording.searches;
        auto placement = wording.planner.place(cluster_, request_of(app, view));
        if (auto* rejection = std::get_if<core::Rejection>(&placement)) {
            it->second = std::move(*rejection);
        }
        memo.has_fits = memo.has_fits || !it->second;
    }
    return it->second;
}

/// Why no room would help it, or a reason of none: it is too early to say so. Nothing: room would.
std::optional<Saying> Engine::find_obstacle(
    const Application& app, const PodEntry& entry, Placed& placed) const {
    const std::size_t nodes = cluster_.node_count();
    if (!app.remarks->problem.empty()) {
        return problem_saying(nodes, app.remarks->problem);
    }
    if (app.conf_needed) {
        const bool quickly =
            app.conf->problem == ConfProblem::not_found || app.conf->problem == ConfProblem::failed;
        const bool is_time = app.conf->misses > 0 &&
                             (!quickly || now_ms_ - app.conf->first_miss_ms >= conf_patience_ms);
        return is_time ? conf_saying(nodes, app, entry.pod) : Saying{};
    }
    if (const auto limit = elastic_limit(app, placed)) {
        return limit_saying(nodes, *find_app(app.elastic_of), *limit);
    }
    return std::nullopt;
}

/// Gangs that cannot be admitted whatever room there is: others need not wait for them.
bool Engine::is_not_to_be_placed(Application& app, const PodEntry& entry) {
    auto obstacle = find_obstacle(app, entry, placed_);
    if (obstacle && obstacle->code != ReasonCode::none) {
        set_saying(app, std::move(*obstacle));
    }
    return obstacle.has_value();
}

/// Nothing, unless the executor is one more than its application said it would ever have. Spark's
/// own bound is one for each resource profile.
std::optional<std::int64_t> Engine::elastic_limit(const Application& app, Placed& placed) const {
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
    const auto [it, inserted] = placed.try_emplace({gang->uid, profile});
    if (inserted) {
        const auto members = pods_.members_of(gang->uid);
        it->second = std::count_if(members.begin(), members.end(), [&](PodId member) {
            return pods_.holds_room(member) && pods_.profile(member) == profile;
        });
    }
    return it->second >= limit ? std::optional(limit) : std::nullopt;
}

/// The sentence of one that waits, as it is now; a reason of none: there is nothing to say. `head`
/// is the first who is blocked.
Saying Engine::words_of(const Application& app, const Application* head, Wording& wording) const {
    const std::size_t nodes = cluster_.node_count();
    const PodEntry& entry = pods_.at(app.uid);
    const WaitingRow* const row = waiting_.find_row(app);
    if (row == nullptr) {
        return {};
    }
    if (auto obstacle = find_obstacle(app, entry, wording.placed)) {
        return std::move(*obstacle);
    }
    if (!app.driver_shape) {
        return {};
    }
    const std::string subject = subject_of(app, entry.pod);
    if (row->is_parked) {
        // Room that pods of others hold may come back by itself; a cluster does not grow by itself.
        if (const auto& exceeds = find_rejection(app, core::View::allocatable, wording)) {
            return parked_saying(refusal_of(app, wording), subject, *exceeds);
        }
        if (const auto& foreign = find_rejection(app, core::View::without_gangs, wording)) {
            return foreign_saying(subject, *foreign);
        }
    }
    if (!is_ready(entry)) {
        return retry_saying(nodes, *entry.retry);
    }
    const Application* const before = row->is_behind && head != &app ? head : nullptr;
    if (const auto& rejection = find_rejection(app, core::View::free, wording)) {
        return capacity_saying(subject, *rejection, before);
    }
    return row->is_behind ? queue_saying(nodes, subject, row->ahead, before) : Saying{};
}

ReasonCode Engine::code_of(const Application& app) const {
    const WaitingRow* const row = waiting_.find_row(app);
    return row != nullptr ? row->code : ReasonCode::none;
}

/// False: it was told so before.
bool Engine::tell(Application& app, const Application* head) {
    Wording wording{planner_, memos_, placed_};
    ++counters_.sentences;
    Saying saying = words_of(app, head, wording);
    counters_.placements += static_cast<std::uint64_t>(wording.searches);
    work_left_ -= work_per_saying + work_of(wording);
    return saying.code != ReasonCode::none && set_saying(app, std::move(saying));
}

bool Engine::set_saying(Application& app, Saying saying) {
    WaitingRow& row = waiting_.row(app);
    row.code = saying.code;
    row.is_told = true;
    const core::Pod& pod = pods_.at(app.uid).pod;
    return app.is_elastic ? announcer_.say_quietly(pod, std::move(saying), now_ms_)  // no events
                          : announcer_.say(pod, std::move(saying), now_ms_);
}

/// What has time: once a second, and over as many ticks as it takes.
void Engine::look() {
    const bool is_due = now_ms_ >= next_look_ms_;
    if (look_ || (is_look_due_ && is_due)) {
        work_left_ = look_work_per_tick;
        look_at_all();
    } else if (refresh_left_ > 0 && is_due) {
        next_look_ms_ = now_ms_ + full_walk_ms;
        refresh();
    }
    if (!look_ && (is_look_due_ || refresh_left_ > 0)) {
        wake_at(next_look_ms_);
    }
}

/// Everybody's place and reason; nobody is admitted. What was found in earlier ticks is kept: room
/// that has changed meanwhile is for the next look.
void Engine::look_at_all() {
    if (look_ && (looked_nodes_ != cluster_model_.nodes_version() ||
                  (look_->blocked && find_app(look_->head) == nullptr))) {
        look_.reset();
    }
    if (!look_) {
        look_.emplace();
        look_from_.reset();
        looked_nodes_ = cluster_model_.nodes_version();
        is_look_due_ = false;
    }
    std::vector<WaitingRow>& rows = waiting_.sorted_rows();
    const auto from = look_from_ ? waiting_.lower_bound(*look_from_) : waiting_.begin();
    std::size_t at = from == waiting_.end() ? rows.size() : (*from)->row;
    for (; at < rows.size(); ++at) {
        if (rows[at].app == nullptr) {
            continue;
        }
        if (work_left_ <= 0) {
            look_from_ = rows[at].app->rank();
            wake_at(now_ms_);
            return;
        }
        look_at(rows[at], *look_);
    }
    looked_head_ = std::move(look_->head);
    look_.reset();
    next_look_ms_ = now_ms_ + full_walk_ms;
    refresh_left_ = waiting_.size();
    refresh();
}

void Engine::look_at(WaitingRow& row, Walk& walk) {
    work_left_ -= work_per_look;
    ++counters_.looks;
    row.position = 0;
    if (row.kind == nullptr) {
        if (!row.is_told) {
            work_left_ -= work_per_saying;
            is_not_to_be_placed(*row.app, pods_.at(row.app->uid));  // it may be time to say so
        }
        return;
    }
    const ReasonCode before = row.code;
    const bool was_told = row.is_told;
    if (!find_place(row, walk)) {
        return;
    }
    if (!was_told || (row.code != before && !(is_about_room(row.code) && is_about_room(before)))) {
        tell_warnings(*row.app, pods_.at(row.app->uid));
        tell(*row.app, walk.head == row.app->uid ? nullptr : find_app(walk.head));
    }
}

/// False: there is nothing to be said to it now.
bool Engine::find_place(WaitingRow& row, Walk& walk) {
    KindEntry& kind = *row.kind;
    Application& app = *row.app;
    const bool is_elastic = kind.first.is_elastic;
    row.is_behind = false;
    row.is_parked = false;
    if (is_elastic && elastic_limit(app, placed_)) {
        row.code = ReasonCode::misconfigured;
        return true;
    }
    row.is_parked = is_parked(app, kind, row.size);
    if (row.is_parked) {
        waiting_.see(row);
        row.code = parked_code(app, kind, row.size);
        return true;
    }
    if (row.failed_before && waits_for_retry(app, kind, walk)) {
        return false;
    }
    row.is_behind = walk.blocked && !is_apart(kind, walk);
    const bool is_refused_now = is_refused(app, kind, row.size, core::View::free);
    if (!row.is_behind && !is_refused_now) {
        return false;  // its turn is about to come
    }
    row.code = is_refused_now ? ReasonCode::waiting_for_capacity : ReasonCode::waiting_in_queue;
    row.ahead = walk.ahead;
    if (row.is_behind) {
        row.position = is_elastic ? 0 : ++walk.ahead;
    } else if (!is_elastic) {
        block(kind, app, walk);
    }
    return true;
}

/// Which of the reasons to be parked it is.
ReasonCode Engine::parked_code(const Application& app, KindEntry& kind, std::int64_t size) {
    if (!is_refused(app, kind, size, core::View::allocatable)) {
        return ReasonCode::waiting_for_capacity;
    }
    Wording wording{planner_, memos_, placed_};
    const ReasonCode code = refusal_of(app, wording);
    work_left_ -= work_of(wording);
    return code;
}

/// Of the looks at every node that words have cost.
std::int64_t Engine::work_of(const Wording& wording) const {
    return wording.searches * static_cast<std::int64_t>(cluster_.node_count()) *
           work_per_node_explained;
}

/// Those whose numbers may have changed, in turns; the first who is blocked before them.
void Engine::refresh() {
    work_left_ = refresh_work_per_look;
    Application* const head = find_app(looked_head_);
    std::int64_t changed = head != nullptr && say_anew(*head) ? 1 : 0;
    auto next = refresh_from_ ? waiting_.lower_bound(*refresh_from_) : waiting_.begin();
    while (refresh_left_ > 0 && work_left_ > 0 && changed < soft_per_second) {
        next = next == waiting_.end() ? waiting_.begin() : next;
        if (next == waiting_.end()) {
            refresh_left_ = 0;  // nobody waits any more
            break;
        }
        --refresh_left_;
        changed += say_anew(**next++) ? 1 : 0;
    }
    refresh_from_ = next == waiting_.end() ? std::nullopt : std::optional((*next)->rank());
}

/// True: in other words than before.
bool Engine::say_anew(Application& app) {
    const WaitingRow* const row = waiting_.find_row(app);
    if (row == nullptr || !row->is_told || (row->failed_before && !is_ready(pods_.at(app.uid)))) {
        return false;  // waits_for_retry() has said what is to be said
    }
    return tell(app, find_app(looked_head_));
}

}  // namespace gang
