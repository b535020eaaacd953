#include "gang/model/quota/quota_board.hpp"

#include <algorithm>

namespace gang {
namespace {

/// Between questions about one namespace, whoever comes or ends there.
constexpr std::int64_t gap_ms = 250;
/// While nothing changes, from the first to the longest.
constexpr std::int64_t pause_ms_min = 1'000;
constexpr std::int64_t pause_ms_max = 30'000;
/// An answer that takes longer is taken for lost.
constexpr std::int64_t answer_ms_max = 60'000;

bool is_to_come(const Slot& slot) {
    return slot.pod.is_none() &&
           (slot.state == SlotState::open || slot.state == SlotState::unplaced);
}

std::string amount(const core::QuotaGap& gap, std::int64_t number) {
    return core::quota_amount_text(gap.resource, number);
}

std::string gap_text(const std::string& namespace_name, const core::QuotaGap& gap) {
    const std::string quota = "ResourceQuota " + namespace_name + "/" + gap.quota;
    const std::string needs = "its executors need " + gap.resource + " " + amount(gap, gap.needs);
    if (gap.is_for_ever) {
        return needs + ", and " + quota + " allows " + amount(gap, gap.hard) +
               " in all, with its driver";
    }
    std::string text = needs + ", and of the " + amount(gap, gap.hard) + " of " + quota + " " +
                       amount(gap, gap.used) + " are used";
    if (gap.promised > 0) {
        text += " and " + amount(gap, gap.promised) +
                " promised to executors of other gangs that are yet to come";
    }
    return text + ": it starts when enough is free";
}

}  // namespace

void QuotaBoard::ask_at(Namespace& in, const std::string& name, std::int64_t at_ms) {
    schedule_.erase({in.next_ms, name});
    in.next_ms = std::max(at_ms, in.asked_ms < 0 ? at_ms : in.asked_ms + gap_ms);
    schedule_.insert({in.next_ms, name});
}

void QuotaBoard::pause(Namespace& in, const std::string& name, std::int64_t now_ms) {
    in.pause_ms = in.pause_ms == 0 ? pause_ms_min : std::min(in.pause_ms * 2, pause_ms_max);
    ask_at(in, name, now_ms + in.pause_ms);
}

void QuotaBoard::want(const Application& app, const core::Pod& driver, std::int64_t now_ms) {
    if (!is_on_ || !app.is_driver || !app.group.empty() || app.declared.shapes.empty()) {
        return;
    }
    const std::string name = app.namespace_name.str();
    Namespace& in = namespaces_[name];
    const bool is_new = in.waiting.try_emplace(app.uid, now_ms).second;
    if (in.is_known_for(app.uid)) {
        note(name, in, app, driver);
    } else if (is_new && !in.is_outstanding && (in.asked_ms < 0 || in.next_ms > now_ms)) {
        ask_at(in, name, now_ms);
    }
}

/// Those behind it are kept waiting, or are to be looked at again.
void QuotaBoard::note(
    const std::string& name, Namespace& in, const Application& app, const core::Pod& driver) {
    const QuotaJudgement judgement = judge_.judge(in, app, driver.requests);
    const Rank rank{app.created, app.uid};
    if (judgement.refusal.empty() && judgement.gap && !judgement.gap->is_for_ever) {
        in.waits[rank] = {driver.priority, judgement.gap->quota, judgement.gap->resource};
    } else if (in.waits.erase(rank) > 0) {
        overtaken_.insert(name);
    }
}

void QuotaBoard::stop(const std::string& name, Namespace& in, const std::string& uid) {
    in.waiting.erase(uid);
    if (std::erase_if(in.waits, [&uid](const auto& wait) { return wait.first.uid == uid; }) > 0) {
        overtaken_.insert(name);
    }
}

void QuotaBoard::rest(const Application& app) {
    const auto found = is_on_ ? namespaces_.find(app.namespace_name.str()) : namespaces_.end();
    if (found != namespaces_.end()) {
        stop(found->first, found->second, app.uid);
    }
}

void QuotaBoard::admitted(const Application& app) {
    const auto found = is_on_ ? namespaces_.find(app.namespace_name.str()) : namespaces_.end();
    if (found == namespaces_.end()) {
        return;
    }
    Namespace& in = found->second;
    stop(found->first, in, app.uid);
    if (!in.quotas || in.quotas->quotas.empty()) {
        return;
    }
    for (const GangShape& shape : app.declared.shapes) {
        const core::PodToCome pod = judge_.pod_of(shape);
        const core::QuotaUsage usage = core::judge(pod, *in.quotas).usage;
        core::add_usage(in.promised[pod.limits.priority_class], usage, shape.count);
        if (in.is_outstanding) {
            core::add_usage(in.promised_next[pod.limits.priority_class], usage, shape.count);
        }
    }
    overtaken_.insert(found->first);
}

void QuotaBoard::note_freed(const std::string& namespace_name, std::int64_t now_ms) {
    const auto found = namespaces_.find(namespace_name);
    if (found == namespaces_.end() || !found->second.quotas ||
        found->second.quotas->quotas.empty()) {
        return;
    }
    Namespace& in = found->second;
    in.pause_ms = 0;
    if (!in.is_outstanding && in.next_ms > now_ms) {
        ask_at(in, found->first, now_ms);
    }
}

void QuotaBoard::forget(const std::string& namespace_name) {
    const auto found = namespaces_.find(namespace_name);
    if (found != namespaces_.end()) {
        schedule_.erase({found->second.next_ms, found->first});
        overtaken_.erase(found->first);
        namespaces_.erase(found);
    }
}

std::optional<QuotaBoard::Obstacle> QuotaBoard::find_obstacle(
    const Application& app, const core::Pod& driver) const {
    const auto found = is_on_ ? namespaces_.find(app.namespace_name.str()) : namespaces_.end();
    if (found == namespaces_.end() || !found->second.waiting.contains(app.uid)) {
        return std::nullopt;
    }
    const auto& [name, in] = *found;
    if (!in.is_known_for(app.uid)) {
        return Obstacle{};
    }
    const QuotaJudgement judgement = judge_.judge(in, app, driver.requests);
    if (!judgement.refusal.empty()) {
        return Obstacle{
            ReasonCode::exceeds_quota,
            "no executor can be created in namespace " + name + ": " + judgement.refusal};
    }
    if (const auto& gap = judgement.gap) {
        return Obstacle{
            gap->is_for_ever ? ReasonCode::exceeds_quota : ReasonCode::waiting_for_quota,
            gap_text(name, *gap)};
    }
    if (const QuotaNamespace::Wait* const wait = find_before(in, app, driver, judgement.needs)) {
        return Obstacle{
            ReasonCode::waiting_for_quota,
            "gangs before it wait for " + wait->resource + " of ResourceQuota " + name + "/" +
                wait->quota + ", which it needs as well"};
    }
    return std::nullopt;
}

std::vector<std::string> QuotaBoard::due(std::int64_t now_ms) const {
    std::vector<std::string> names;
    for (const auto& [at_ms, name] : schedule_) {
        if (at_ms > now_ms) {
            break;
        }
        names.push_back(name);
    }
    return names;
}

std::vector<std::string> QuotaBoard::waiting_in(const std::string& namespace_name) const {
    std::vector<std::string> uids;
    for (const auto& [uid, since_ms] : namespaces_.find(namespace_name)->second.waiting) {
        uids.push_back(uid);
    }
    return uids;
}

void QuotaBoard::stop_waiting(const std::string& namespace_name, const std::string& uid) {
    const auto found = namespaces_.find(namespace_name);
    stop(found->first, found->second, uid);
}

void QuotaBoard::asked(
    const std::string& namespace_name,
    const std::vector<const Application*>& running,
    std::int64_t now_ms) {
    const auto found = namespaces_.find(namespace_name);
    Namespace& in = found->second;
    in.is_outstanding = true;
    in.asked_ms = now_ms;
    in.promised_next.clear();
    const core::NamespaceQuotas known = in.quotas ? *in.quotas : core::NamespaceQuotas{};
    for (const Application* const app : running) {
        std::vector<std::int64_t> counts(app->declared.shapes.size());
        for (const Slot& slot : app->slots) {
            if (is_to_come(slot) && slot.shape < counts.size()) {
                ++counts[slot.shape];
            }
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] > 0) {
                const core::PodToCome pod = judge_.pod_of(app->declared.shapes[i]);
                core::add_usage(
                    in.promised_next[pod.limits.priority_class],
                    core::judge(pod, known).usage,
                    counts[i]);
            }
        }
    }
    ask_at(in, found->first, now_ms + answer_ms_max);
}

std::vector<std::string> QuotaBoard::found(const QuotasFound& event, std::int64_t now_ms) {
    const auto found = namespaces_.find(event.namespace_name);
    if (found == namespaces_.end() || !found->second.is_outstanding) {
        return {};
    }
    Namespace& in = found->second;
    const bool is_other = in.quotas != event.quotas || in.promised != in.promised_next;
    in.quotas = event.quotas;
    in.misses = 0;
    return answered(in, found->first, is_other, now_ms);
}

std::vector<std::string> QuotaBoard::missing(const QuotasMissing& event, std::int64_t now_ms) {
    const auto found = namespaces_.find(event.namespace_name);
    if (found == namespaces_.end() || !found->second.is_outstanding) {
        return {};
    }
    Namespace& in = found->second;
    ++in.misses;
    if (event.problem == QuotaProblem::failed) {
        in.is_outstanding = false;
        pause(in, found->first, now_ms);
        return !in.quotas && in.misses == QuotaNamespace::misses_max ? waiting_in(found->first)
                                                                     : std::vector<std::string>{};
    }
    const bool is_other = !in.quotas || !in.quotas->is_empty();
    in.quotas = core::NamespaceQuotas{};
    in.pause_ms = pause_ms_max;
    return answered(in, found->first, is_other, now_ms);
}

std::vector<std::string> QuotaBoard::answered(
    Namespace& in, const std::string& name, bool is_other, std::int64_t now_ms) {
    const std::int64_t before_ms = std::exchange(in.as_of_ms, in.asked_ms);
    in.is_outstanding = false;
    in.promised = std::move(in.promised_next);
    in.promised_next.clear();
    in.pause_ms = is_other && !in.quotas->quotas.empty() ? 0 : in.pause_ms;
    pause(in, name, now_ms);
    std::vector<std::string> uids;
    bool is_late = false;
    for (const auto& [uid, since_ms] : in.waiting) {
        if (is_other || since_ms > before_ms) {
            uids.push_back(uid);
        }
        is_late = is_late || since_ms > in.as_of_ms;
    }
    if (is_late && !in.quotas->quotas.empty()) {
        ask_at(in, name, now_ms);  // they came while the question was under way
    }
    return uids;
}

std::vector<std::string> QuotaBoard::take_overtaken() {
    std::vector<std::string> uids;
    for (const std::string& name : std::exchange(overtaken_, {})) {
        const auto found = namespaces_.find(name);
        if (found == namespaces_.end()) {
            continue;
        }
        for (const auto& [uid, since_ms] : found->second.waiting) {
            uids.push_back(uid);
        }
    }
    return uids;
}

std::optional<std::int64_t> QuotaBoard::next_due_ms() const {
    if (!overtaken_.empty()) {
        return 0;  // at once
    }
    return schedule_.empty() ? std::nullopt : std::optional(schedule_.begin()->first);
}

void QuotaBoard::forget_questions(std::int64_t now_ms) {
    for (auto& [name, in] : namespaces_) {
        in.is_outstanding = false;
        in.asked_ms = -1;
        ask_at(in, name, now_ms);
    }
}

std::size_t QuotaBoard::remembered() const {
    std::size_t all = 0;
    for (const auto& [name, in] : namespaces_) {
        all += 1 + in.waiting.size();
    }
    return all;
}

}  // namespace gang
