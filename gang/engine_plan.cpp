// What a Tick starts, in which order, and when the next one is wanted.

#include "gang/engine.hpp"

#include <algorithm>
#include <utility>

namespace gang {

Decisions Engine::step(const StampedEvent& event) {
    decisions_.clear();
    now_ms_ = std::max(now_ms_, event.time_ms);
    std::visit([this](const auto& happened) { on(happened); }, event.event);
    return decisions_;
}

void Engine::on(const Tick&) {
    // What cannot be planned now (a list is under way, another leads) begins with another event.
    if (pods_list_ != List::complete || nodes_list_ != List::complete) {
        return;
    }
    adopt_waiting();
    end_distrust();
    if (!leads_) {
        return;
    }
    timers_.erase(timers_.begin(), timers_.upper_bound(now_ms_));
    plan();
    announcer_.flush(decisions_, now_ms_);
    wake();
}

void Engine::plan() {
    ask_for_confs();
    end_pauses();
    check_stuck();
    repair();
    if (oversized_room_ != cluster_.room_version()) {
        dirty_gangs_.insert(oversized_.begin(), oversized_.end());
    }
    classify_dirty_pods();
    work_left_ = work_per_tick;  // executors have a budget of their own: no repair takes it
    match_dirty_gangs();
    oversized_room_ = cluster_.room_version();
    publish_changed();
    fence_step();
    if (!fence_.passed() || is_first_plan_waiting()) {
        return;
    }
    work_left_ = work_per_tick;
    admit_waiting();
}

void Engine::ask_for_confs() {
    for (const std::string& uid : asker_.due(now_ms_)) {
        const core::Pod& pod = pods_.at(uid).pod;
        const std::string* version = core::find_value(pod.labels, "spark-version");
        decisions_.emplace_back(FetchSparkConf{
            ref_of(pod),
            version == nullptr ? std::string() : *version,
            *pod.spark_properties,
            pod.executor_template});
    }
}

/// What is in every fence's text of this leader and in no other's.
std::string Engine::epoch_mark() const {
    return "scheduler epoch " + std::to_string(epoch_) + " has taken over";
}

void Engine::fence_step() {
    if (!fence_raised_) {
        // Everything that may have been in an older leader's hands: what starts a gang and is
        // unbound.
        std::vector<std::string> uids;
        for (const Rank& rank : waiting_) {
            uids.push_back(rank.uid);
        }
        fence_.raise(uids, now_ms_);
        fence_raised_ = true;
        first_plan_until_ms_ = now_ms_ + first_plan_wait_ms_max;
    }
    for (const std::string& uid : fence_.due(now_ms_)) {
        expected_status_[uid].push_back(StatusKind::fence);
        announcer_.say_fence(
            pods_.at(uid).pod,
            "0/" + std::to_string(cluster_.node_count()) + " nodes looked at yet: " + epoch_mark() +
                " and reads the queue [WaitingInQueue]");
    }
}

bool Engine::is_first_plan_waiting() {
    if (first_plan_done_) {
        return false;
    }
    if (!asker_.all_answered_once() && now_ms_ < first_plan_until_ms_) {
        wake_at(first_plan_until_ms_);
        return true;
    }
    first_plan_done_ = true;
    return false;
}

void Engine::wake() {
    std::optional<std::int64_t> next;
    const auto consider = [&next](std::optional<std::int64_t> time_ms) {
        if (time_ms && (!next || *time_ms < *next)) {
            next = time_ms;
        }
    };
    if (!timers_.empty()) {
        consider(*timers_.begin());
    }
    consider(asker_.next_due_ms(now_ms_));
    consider(fence_.next_due_ms());
    consider(announcer_.next_due_ms());
    if (next) {
        decisions_.emplace_back(WakeAt{std::max(*next, now_ms_)});
    }
}

}  // namespace gang
