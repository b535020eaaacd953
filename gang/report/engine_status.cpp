// What waiting gangs are told, and what is shown of them. A sentence is made when it is to be
// written or is asked for; what is kept of a gang is its entry in the line.
//
// A status refresh, once a second while anything changes, finds places and reasons: numbers and
// comparisons alone, since one answer does for all of an equivalence class (waiting_line.hpp).
// Whose reason is another one is told at once. Where only numbers in the text may have changed, it
// is said anew in turns, soft_per_second a second: that is as fast as it may be written.

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
Engine::Memo& Engine::memo_of(core::View view, MessageContext& context) const {
    Memo& memo = context.memos[static_cast<std::size_t>(view)];
    if (memo.version != version_of(view)) {
        memo = {};
        memo.version = version_of(view);
    }
    return memo;
}

/// Of the empty nodes. Where none is closed, all that counts is whether there is one.
core::OpenCapacity Engine::capacity_if_open(core::ShapeId shape, MessageContext& context) const {
    if (!cluster_.has_closed_nodes()) {
        return {cluster_.eligible(cluster_.class_of(shape)).count(), 0, 0};
    }
    const auto [it, inserted] =
        memo_of(core::View::allocatable, context).if_open.try_emplace(shape);
    if (inserted) {
        ++context.searches;
        it->second = cluster_.capacity_if_open(shape, core::View::allocatable);
    }
    return it->second;
}

/// What is in the way of a gang that not even the empty nodes take. Closed nodes are, if all nodes
/// together could take as many pods of each of its shapes as it has. That is said too often rather
/// than too seldom (a driver takes room from its executors): who is told that he asks for too much
/// gives up.
ReasonCode Engine::refusal_of(const Application& app, MessageContext& context) const {
    bool is_enough = true;
    bool is_closed = false;
    std::vector<core::ShapeCount> parts = request_of(app, core::View::allocatable).executors;
    parts.push_back({*app.driver_shape, 1});
    for (const core::ShapeCount& part : parts) {
        const core::OpenCapacity capacity = capacity_if_open(part.shape, context);
        if (capacity.nodes == 0 && part.count > 0 && cluster_.node_count() > 0) {
            return ReasonCode::constraints_unsatisfiable;
        }
        is_enough = is_enough && capacity.pods >= part.count;
        is_closed = is_closed || capacity.closed > 0;
    }
    return is_enough && is_closed ? ReasonCode::waiting_for_capacity : ReasonCode::exceeds_cluster;
}

/// Why the gang does not fit, or nothing. Equal gangs are answered by one look, as long as nothing
/// has changed that could change the answer.
const std::optional<core::Rejection>& Engine::find_rejection(
    const Application& app, core::View view, MessageContext& context) const {
    Memo& memo = memo_of(view, context);
    const auto [it, inserted] = memo.gangs.try_emplace(key_of(app));
    if (inserted) {
        ++context.searches;
        auto placement = context.planner.place(cluster_, request_of(app, view));
        if (auto* rejection = std::get_if<core::Rejection>(&placement)) {
            it->second = std::move(*rejection);
        }
        memo.has_fits = memo.has_fits || !it->second;
    }
    return it->second;
}

/// Why no room would help it, or a reason of none: it is too early to say so. Nothing: room would.
std::optional<StatusMessage> Engine::find_obstacle(
    const Application& app, const PodEntry& entry, Placed& placed) const {
    const std::size_t nodes = cluster_.node_count();
    if (!app.diagnostics->problem.empty()) {
        return problem_message(nodes, app.diagnostics->problem);
    }
    if (app.conf_needed) {
        const bool quickly =
            app.conf->problem == ConfProblem::not_found || app.conf->problem == ConfProblem::failed;
        const bool is_time = app.conf->misses > 0 &&
                             (!quickly || now_ms_ - app.conf->first_miss_ms >= conf_patience_ms);
        return is_time ? conf_message(nodes, app, entry.pod) : StatusMessage{};
    }
    if (const auto limit = surplus_limit(app, placed)) {
        return limit_message(nodes, *find_app(app.surplus_of), *limit);
    }
    return std::nullopt;
}

/// Gangs that cannot be admitted whatever room there is: others need not wait for them.
bool Engine::is_not_to_be_placed(Application& app, const PodEntry& entry) {
    auto obstacle = find_obstacle(app, entry, placed_);
    if (obstacle && obstacle->code != ReasonCode::none) {
        set_message(app, std::move(*obstacle));
    }
    return obstacle.has_value();
}

/// Nothing, unless the executor is one more than its application said it would ever have. Spark's
/// own bound is one for each resource profile.
std::optional<std::int64_t> Engine::surplus_limit(const Application& app, Placed& placed) const {
    const Application* gang = app.surplus_of.empty() ? nullptr : find_app(app.surplus_of);
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
            return pods_.holds_capacity(member) && pods_.profile(member) == profile;
        });
    }
    return it->second >= limit ? std::optional(limit) : std::nullopt;
}

/// The sentence of one that waits, as it is now; a reason of none: there is nothing to say. `head`
/// is the first who is blocked.
StatusMessage Engine::message_of(
    const Application& app, const Application* head, MessageContext& context) const {
    const std::size_t nodes = cluster_.node_count();
    const PodEntry& entry = pods_.at(app.uid);
    const QueueEntry* const queue_entry = waiting_.find_entry(app);
    if (queue_entry == nullptr) {
        return {};
    }
    if (auto obstacle = find_obstacle(app, entry, context.placed)) {
        return std::move(*obstacle);
    }
    if (!app.driver_shape) {
        return {};
    }
    const std::string subject = subject_of(app, entry.pod);
    if (queue_entry->is_infeasible) {
        // Room that pods of others hold may come back by itself; a cluster does not grow by itself.
        if (const auto& exceeds = find_rejection(app, core::View::allocatable, context)) {
            return infeasible_message(refusal_of(app, context), subject, *exceeds);
        }
        if (const auto& by_others = find_rejection(app, core::View::without_gangs, context)) {
            return other_schedulers_message(subject, *by_others);
        }
    }
    if (!is_ready(entry)) {
        return retry_message(nodes, *entry.retry);
    }
    const Application* const before = queue_entry->is_behind && head != &app ? head : nullptr;
    if (const auto& rejection = find_rejection(app, core::View::free, context)) {
        return capacity_message(subject, *rejection, before);
    }
    return queue_entry->is_behind ? queue_message(nodes, subject, queue_entry->ahead, before)
                                  : StatusMessage{};
}

ReasonCode Engine::code_of(const Application& app) const {
    const QueueEntry* const queue_entry = waiting_.find_entry(app);
    return queue_entry != nullptr ? queue_entry->code : ReasonCode::none;
}

/// False: it was told so before.
bool Engine::report(Application& app, const Application* head) {
    MessageContext context{planner_, memos_, placed_};
    ++counters_.sentences;
    StatusMessage message = message_of(app, head, context);
    counters_.placements += static_cast<std::uint64_t>(context.searches);
    work_left_ -= work_per_message + work_of(context);
    return message.code != ReasonCode::none && set_message(app, std::move(message));
}

bool Engine::set_message(Application& app, StatusMessage message) {
    QueueEntry& queue_entry = waiting_.entry(app);
    queue_entry.code = message.code;
    queue_entry.is_reported = true;
    const core::Pod& pod = pods_.at(app.uid).pod;
    return app.is_surplus
               ? status_reporter_.report_quietly(pod, std::move(message), now_ms_)  // no events
               : status_reporter_.report(pod, std::move(message), now_ms_);
}

/// What has time: once a second, and over as many ticks as it takes.
void Engine::refresh_status() {
    const bool is_due = now_ms_ >= next_refresh_ms_;
    if (refresh_cycle_ || (is_refresh_due_ && is_due)) {
        work_left_ = refresh_work_per_tick;
        refresh_all();
    } else if (messages_left_ > 0 && is_due) {
        next_refresh_ms_ = now_ms_ + status_refresh_ms;
        refresh_messages();
    }
    if (!refresh_cycle_ && (is_refresh_due_ || messages_left_ > 0)) {
        wake_at(next_refresh_ms_);
    }
}

/// Everybody's place and reason; nobody is admitted. What was found in earlier ticks is kept: room
/// that has changed meanwhile is for the next refresh.
void Engine::refresh_all() {
    if (refresh_cycle_ &&
        (refreshed_nodes_ != cluster_model_.nodes_version() ||
         (refresh_cycle_->blocked && find_app(refresh_cycle_->head) == nullptr))) {
        refresh_cycle_.reset();
    }
    if (!refresh_cycle_) {
        refresh_cycle_.emplace();
        refresh_all_from_.reset();
        refreshed_nodes_ = cluster_model_.nodes_version();
        is_refresh_due_ = false;
    }
    std::vector<QueueEntry>& entries = waiting_.sorted_entries();
    const auto from =
        refresh_all_from_ ? waiting_.lower_bound(*refresh_all_from_) : waiting_.begin();
    std::size_t at = from == waiting_.end() ? entries.size() : (*from)->entry_index;
    for (; at < entries.size(); ++at) {
        if (entries[at].app == nullptr) {
            continue;
        }
        if (work_left_ <= 0) {
            refresh_all_from_ = entries[at].app->rank();
            wake_at(now_ms_);
            return;
        }
        refresh_entry(entries[at], *refresh_cycle_);
    }
    refreshed_head_ = std::move(refresh_cycle_->head);
    refresh_cycle_.reset();
    next_refresh_ms_ = now_ms_ + status_refresh_ms;
    messages_left_ = waiting_.size();
    refresh_messages();
}

void Engine::refresh_entry(QueueEntry& queue_entry, SchedulingCycle& cycle) {
    work_left_ -= work_per_refresh;
    ++counters_.refreshes;
    queue_entry.position = 0;
    if (queue_entry.gang_class == nullptr) {
        if (!queue_entry.is_reported) {
            work_left_ -= work_per_message;
            is_not_to_be_placed(
                *queue_entry.app, pods_.at(queue_entry.app->uid));  // it may be time to say so
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
        report_warnings(*queue_entry.app, pods_.at(queue_entry.app->uid));
        report(
            *queue_entry.app, cycle.head == queue_entry.app->uid ? nullptr : find_app(cycle.head));
    }
}

/// False: there is nothing to be said to it now.
bool Engine::find_place(QueueEntry& queue_entry, SchedulingCycle& cycle) {
    KeyedClass& gang_class = *queue_entry.gang_class;
    Application& app = *queue_entry.app;
    const bool is_surplus = gang_class.first.is_surplus;
    queue_entry.is_behind = false;
    queue_entry.is_infeasible = false;
    if (is_surplus && surplus_limit(app, placed_)) {
        queue_entry.code = ReasonCode::misconfigured;
        return true;
    }
    queue_entry.is_infeasible = is_infeasible(app, gang_class, queue_entry.size);
    if (queue_entry.is_infeasible) {
        waiting_.note_attempt(queue_entry);
        queue_entry.code = infeasible_code(app, gang_class, queue_entry.size);
        return true;
    }
    if (queue_entry.failed_before && waits_for_retry(app, gang_class, cycle)) {
        return false;
    }
    queue_entry.is_behind = cycle.blocked && !is_apart(gang_class, cycle);
    const bool is_refused_now = is_refused(app, gang_class, queue_entry.size, core::View::free);
    if (!queue_entry.is_behind && !is_refused_now) {
        return false;  // it is about to be tried
    }
    queue_entry.code =
        is_refused_now ? ReasonCode::waiting_for_capacity : ReasonCode::waiting_in_queue;
    queue_entry.ahead = cycle.ahead;
    if (queue_entry.is_behind) {
        queue_entry.position = is_surplus ? 0 : ++cycle.ahead;
    } else if (!is_surplus) {
        block(gang_class, app, cycle);
    }
    return true;
}

/// Which of the reasons to be infeasible it is.
ReasonCode Engine::infeasible_code(
    const Application& app, KeyedClass& gang_class, std::int64_t size) {
    if (!is_refused(app, gang_class, size, core::View::allocatable)) {
        return ReasonCode::waiting_for_capacity;
    }
    MessageContext context{planner_, memos_, placed_};
    const ReasonCode code = refusal_of(app, context);
    work_left_ -= work_of(context);
    return code;
}

/// What the searches over every node cost that messages have made.
std::int64_t Engine::work_of(const MessageContext& context) const {
    return context.searches * static_cast<std::int64_t>(cluster_.node_count()) *
           work_per_node_explained;
}

/// Those whose numbers may have changed, in turns; the first who is blocked before them.
void Engine::refresh_messages() {
    work_left_ = refresh_messages_work;
    Application* const head = find_app(refreshed_head_);
    std::int64_t changed = head != nullptr && refresh_message(*head) ? 1 : 0;
    auto next = messages_from_ ? waiting_.lower_bound(*messages_from_) : waiting_.begin();
    while (messages_left_ > 0 && work_left_ > 0 && changed < soft_per_second) {
        next = next == waiting_.end() ? waiting_.begin() : next;
        if (next == waiting_.end()) {
            messages_left_ = 0;  // nobody waits any more
            break;
        }
        --messages_left_;
        changed += refresh_message(**next++) ? 1 : 0;
    }
    messages_from_ = next == waiting_.end() ? std::nullopt : std::optional((*next)->rank());
}

/// True: in other words than before.
bool Engine::refresh_message(Application& app) {
    const QueueEntry* const queue_entry = waiting_.find_entry(app);
    if (queue_entry == nullptr || !queue_entry->is_reported ||
        (queue_entry->failed_before && !is_ready(pods_.at(app.uid)))) {
        return false;  // waits_for_retry() has said what is to be said
    }
    return report(app, find_app(refreshed_head_));
}

}  // namespace gang
