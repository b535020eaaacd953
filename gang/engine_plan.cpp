// What a Tick starts, in which order, and when the next one is wanted.

#include "gang/engine.hpp"

#include <algorithm>
#include <utility>

namespace gang {

Decisions Engine::step(const StampedEvent& event) {
    empty_buffer(decisions_);
    const std::int64_t passed_ms = std::max<std::int64_t>(event.time_ms - now_ms_, 0);
    idle_milli_ms_ += term_.leads ? ledger_.open_milli() * passed_ms : 0;
    now_ms_ += passed_ms;
    std::visit([this](const auto& happened) { on(happened); }, event.event);
    return decisions_;
}

void Engine::on(const Tick&) {
    // What cannot be planned now (a list is under way, another leads) begins with another event.
    if (pods_list_ != List::complete || nodes_list_ != List::complete) {
        return;
    }
    if (!adopt_waiting()) {
        decisions_.emplace_back(WakeAt{now_ms_});  // nothing is planned on half a ledger
        return;
    }
    cluster_model_.expire_quarantine(now_ms_);
    if (!term_.leads) {
        return;
    }
    timers_.forget_past(now_ms_);
    plan();
    status_reporter_.flush(
        decisions_, now_ms_, [this](const std::string& uid) { return ref_of(pods_.at(uid).pod); });
    wake();
}

void Engine::plan() {
    work_left_ = work_per_tick;
    ask_for_confs();
    end_pauses();
    end_crash_backoffs();
    if (!classify_dirty_pods()) {
        return;  // whoever is not known yet may have to be fenced, or come before those who are
    }
    settle_declarations();
    fence_step();
    if (!fence_.view_is_current() && !is_fence_passed()) {
        publish_changed();
        return;  // what we see may be from before the last leader's end
    }
    check_stuck();
    check_missing();
    if (is_fence_passed()) {
        settle_declarations();  // there is free room from here on
        repair();
        if (oversized_capacity_ != cluster_.free_capacity_version()) {
            worklist_.dirty_gangs.insert(worklist_.oversized.begin(), worklist_.oversized.end());
        }
    }
    work_left_ = work_per_tick;  // executors have a budget of their own: no repair takes it
    match_dirty_gangs();
    oversized_capacity_ = is_fence_passed() ? cluster_.free_capacity_version() : 0;
    fence_step();  // executors beyond their gangs' slots are known only now
    publish_changed();
    term_.fence_is_complete = term_.fence_is_complete || fence_.view_is_current();
    if (!is_fence_passed() || is_first_plan_waiting()) {
        return;
    }
    if (!is_repaired_) {
        return;  // slots without room come before new gangs
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
            pod.executor_template ? std::optional(*pod.executor_template) : std::nullopt});
    }
}

bool Engine::is_first_plan_waiting() {
    if (term_.first_plan_done) {
        return false;
    }
    const bool is_one_lost = awaits_lost_declaration();
    const std::int64_t until_ms =
        is_one_lost ? term_.fence_raised_ms + fence_give_up_ms : term_.first_plan_until_ms;
    if ((is_one_lost || !asker_.all_answered_once()) && now_ms_ < until_ms) {
        wake_at(until_ms);
        return true;
    }
    term_.first_plan_done = true;
    return false;
}

void Engine::wake() {
    std::optional<std::int64_t> next;
    const auto consider = [&next](std::optional<std::int64_t> time_ms) {
        if (time_ms && (!next || *time_ms < *next)) {
            next = time_ms;
        }
    };
    consider(timers_.next_ms());
    consider(asker_.next_due_ms(now_ms_));
    consider(fence_.next_due_ms());
    consider(status_reporter_.next_due_ms());
    if (next) {
        decisions_.emplace_back(WakeAt{std::max(*next, now_ms_)});
    }
}

}  // namespace gang
