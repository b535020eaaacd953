#include "gang/backfill/backfill.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace gang {
namespace {

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();
/// Of a pass: about 20 ms, after which nobody else is tried.
constexpr std::int64_t work_per_pass = 20'000'000;
/// Passes take a twentieth of the time at most.
constexpr std::int64_t pass_gap_ms_min = 100;
constexpr std::int64_t work_per_gap_ms = 50'000;
/// Starts and ends are known to the second, and pods take some to go.
constexpr std::int64_t overdue_after_ms = 10'000;

}  // namespace

Backfill::Seen Backfill::state() const {
    return {
        model_.cluster.room().gains().version(),
        model_.cluster_model.ceiling_version(),
        model_.cluster_model.nodes_version(),
        model_.shares.usage.version(),
        model_.run_times.version(),
        step_.counters.attempts,
        model_.waiting.size()};
}

bool Backfill::run() {
    if (!runs_.is_on()) {
        return false;
    }
    step_.work_left = work_per_pass;
    if (std::exchange(are_starts_due_, false)) {
        promises_.expect(list_.collect());
        pause();
    }
    const bool is_overdue = next_overdue_ms_ > 0 && step_.now_ms >= next_overdue_ms_;
    if (seen_ == state() && !is_overdue) {
        return false;
    }
    if (step_.now_ms < next_pass_ms_) {
        step_.wake_at(next_pass_ms_);
        return false;
    }
    model_.settle_gpus();
    forget_started();
    std::vector<Waiter> waiters = list_.collect();
    count_broken(waiters);
    promises_.plan(waiters);
    const bool is_any = pass_by(waiters);
    pause();
    seen_ = state();
    are_starts_due_ = true;
    step_.wake_at(step_.now_ms);
    return is_any;
}

/// No pass for twenty times as long as it took.
void Backfill::pause() {
    const std::int64_t work = work_per_pass - step_.work_left;
    next_pass_ms_ =
        std::max(next_pass_ms_, step_.now_ms + pass_gap_ms_min) + work / work_per_gap_ms;
}

/// Who was told a start, and has started: how far off was it?
void Backfill::forget_started() {
    auto& all = model_.outlooks.all();
    for (auto outlook = all.begin(); outlook != all.end();) {
        const Application* const app = model_.gangs.find(outlook->first);
        // One whose bind is under way may be back: it has been passed as often as before.
        if (app != nullptr && (app->phase == Phase::waiting || app->phase == Phase::assumed)) {
            ++outlook;
            continue;
        }
        const std::int64_t admitted_ms = app == nullptr ? 0 : app->milestones->admitted_ms;
        if (admitted_ms > 0 && outlook->second.first_start_ms > 0) {
            const std::int64_t error_ms = admitted_ms - outlook->second.first_start_ms;
            step_.counters.start_errors.add(error_ms < 0 ? -error_ms : error_ms);
        }
        outlook = all.erase(outlook);
    }
}

/// Runs past nine of ten while somebody waits for room. Who is not past yet: a tick is wanted then.
void Backfill::count_broken(const std::vector<Waiter>& waiters) {
    next_overdue_ms_ = 0;
    if (waiters.empty()) {
        return;
    }
    for (auto& [uid, run] : model_.run_times.all()) {
        const auto expected = run.start_ms > 0 && !run.is_overdue ? model_.run_times.expected(run)
                                                                   : std::nullopt;
        if (!expected) {
            continue;
        }
        const std::int64_t end_ms = run.start_ms + expected->safe_ms + overdue_after_ms;
        if (end_ms < step_.now_ms) {
            run.is_overdue = true;
            ++step_.counters.broken_promises;
        } else if (next_overdue_ms_ == 0 || end_ms < next_overdue_ms_) {
            next_overdue_ms_ = end_ms + 1;
        }
    }
    if (next_overdue_ms_ > 0) {
        step_.wake_at(next_overdue_ms_);
    }
}

bool Backfill::pass_by(std::vector<Waiter>& waiters) {
    KeptRoom kept(model_);
    kept.set(waiters);
    core::NodeBitmap strict;
    bool is_any = false;
    for (std::size_t i = 0; i < waiters.size() && step_.work_left > 0; ++i) {
        Waiter& waiter = waiters[i];
        const bool passes = i > 0 && !waiter.is_overdue && may_pass(waiter, strict);
        const auto plan = passes ? find_plan(waiter, kept) : std::optional<core::Plan>();
        if (plan) {
            kept.drop(*waiter.app);
            admitter_.admit(*waiter.app, model_.pods.at(waiter.app->uid), *plan);
            if (waiter.app->phase == Phase::assumed) {
                ++step_.counters.backfilled;
                count_bypass(waiters, i, strict);
                is_any = true;
                continue;
            }
        }
        if (waiter.is_strict) {
            strict.add(waiter.nodes);
        }
    }
    return is_any;
}

/// GPUs by their metrics are offered anew after each admission: who wishes them waits his turn. Who
/// passed just now may have taken what this one needs of its quota, or its claim.
bool Backfill::may_pass(const Waiter& waiter, const core::NodeBitmap& strict) const {
    const auto& verdict =
        waiter.gang_class->second.verdicts[static_cast<std::size_t>(core::View::free)];
    const auto& shapes = waiter.gang_class->first.shapes;
    return waiter.size < verdict.refused && !waiter.nodes.intersects(strict) &&
           model_.pods.at(waiter.app->uid).is_ready(step_.now_ms) &&
           !domain_placer_.is_reached(*waiter.app) && list_.keeps_to_quota(*waiter.app) &&
           !model_.find_claim_obstacle(*waiter.app, model_.pods.at(waiter.app->uid).pod) &&
           std::none_of(shapes.begin(), shapes.end(), [this](core::ShapeId shape) {
               return model_.cluster.demand(shape).wants_gpus;
           });
}

/// Beside the room that must be kept for as long as it is expected to run.
std::optional<core::Plan> Backfill::find_plan(const Waiter& waiter, KeptRoom& kept) {
    const auto expected = model_.run_times.expected(waiter.app->uid);
    kept.take(*waiter.app, expected ? step_.now_ms + expected->safe_ms : forever);
    return placer_.find_plan(*waiter.app);
}

/// All who wait before it and could use its nodes have been passed. Who has been passed as often as
/// may be is passed no more.
void Backfill::count_bypass(
    const std::vector<Waiter>& waiters, std::size_t passing, core::NodeBitmap& strict) {
    for (std::size_t i = 0; i < passing; ++i) {
        const Waiter& before = waiters[i];
        if (before.app->phase != Phase::waiting ||
            !before.nodes.intersects(waiters[passing].nodes)) {
            continue;
        }
        if (++model_.outlooks.ensure(before.app->uid).bypasses >=
            model_.schema.backfill.max_bypass) {
            strict.add(before.nodes);
        }
    }
}

}  // namespace gang
