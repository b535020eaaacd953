#include "gang/declare/conf_asker.hpp"

#include <algorithm>

namespace gang {
namespace {

/// spark-submit makes the config map some tens of milliseconds after the driver: a whole second
/// would be the longest wait in the life of most gangs.
constexpr std::int64_t conf_pause_ms_first = 100;

}  // namespace

void ConfAsker::want(const std::string& uid, std::int64_t now_ms) {
    const auto [it, inserted] = questions_.try_emplace(uid);
    if (inserted) {
        it->second.at_ms = now_ms;
        fresh_.emplace(now_ms, uid);
        ++unanswered_;
    }
}

void ConfAsker::forget(const std::string& uid) {
    const auto it = questions_.find(uid);
    if (it == questions_.end()) {
        return;
    }
    const Question& question = it->second;
    schedule_of(question).erase({question.at_ms, uid});
    outstanding_.erase(uid);
    unanswered_ -= question.answers > 0 ? 0 : 1;
    questions_.erase(it);
}

void ConfAsker::missing(const std::string& uid, std::int64_t now_ms) {
    const auto it = questions_.find(uid);
    if (it == questions_.end() || !it->second.outstanding) {
        return;
    }
    Question& question = it->second;
    outstanding_.erase(uid);
    question.outstanding = false;
    if (question.answers > 0) {
        question.answers = 2;
        question.at_ms = now_ms + question.pause_ms;
        question.pause_ms = std::min(question.pause_ms * 2, conf_pause_ms_max);
    } else {
        --unanswered_;
        question.answers = 1;
        question.at_ms = now_ms + conf_pause_ms_first;
    }
    schedule_of(question).emplace(question.at_ms, uid);
}

void ConfAsker::recall_lost(std::int64_t now_ms) {
    for (auto it = outstanding_.begin(); it != outstanding_.end();) {
        Question& question = questions_.at(*it);
        if (now_ms - question.at_ms < conf_answer_ms_max) {
            ++it;
            continue;
        }
        question.outstanding = false;
        question.at_ms = now_ms;
        schedule_of(question).emplace(now_ms, *it);
        it = outstanding_.erase(it);
    }
}

void ConfAsker::ask_from(Schedule& schedule, std::int64_t now_ms, std::vector<std::string>& asked) {
    while (!schedule.empty() && schedule.begin()->first <= now_ms &&
           outstanding_.size() < conf_outstanding_max &&
           (&schedule == &fresh_ || repeats_asked_ < conf_repeats_per_second)) {
        const std::string uid = schedule.begin()->second;
        schedule.erase(schedule.begin());
        Question& question = questions_.at(uid);
        question.outstanding = true;
        question.at_ms = now_ms;
        outstanding_.insert(uid);
        repeats_asked_ += question.answers < 2 ? 0 : 1;
        asked.push_back(uid);
    }
}

std::vector<std::string> ConfAsker::due(std::int64_t now_ms) {
    if (second_ != now_ms / 1000) {
        second_ = now_ms / 1000;
        repeats_asked_ = 0;
    }
    recall_lost(now_ms);
    std::vector<std::string> asked;
    ask_from(fresh_, now_ms, asked);
    ask_from(repeats_, now_ms, asked);
    return asked;
}

std::optional<std::int64_t> ConfAsker::next_due_ms(std::int64_t now_ms) const {
    std::optional<std::int64_t> next;
    const auto consider = [&next](std::int64_t at_ms) {
        next = next ? std::min(*next, at_ms) : at_ms;
    };
    if (!outstanding_.empty()) {
        // The oldest question asked is the first to be taken for lost; 32 are soon looked through.
        for (const std::string& uid : outstanding_) {
            consider(questions_.at(uid).at_ms + conf_answer_ms_max);
        }
    }
    if (outstanding_.size() == conf_outstanding_max) {
        return next;
    }
    if (!fresh_.empty()) {
        consider(std::max(fresh_.begin()->first, now_ms));
    }
    if (!repeats_.empty()) {
        const bool limited = repeats_asked_ >= conf_repeats_per_second;
        const std::int64_t from_ms = limited ? (second_ + 1) * 1000 : now_ms;
        consider(std::max(repeats_.begin()->first, from_ms));
    }
    return next;
}

}  // namespace gang
