#include "gang/report/status_reporter.hpp"

#include "gang/report/fencing_token.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace gang {
namespace {

/// An executor that comes while its driver is being bound is told to wait only when that lasts:
/// nothing is written for a gang that is admitted at once.
constexpr std::int64_t brief_wait_ms = 2'000;

/// The event of a pod that begins to wait for something.
constexpr std::string_view failed = "FailedScheduling";

/// Names and messages of users end up here: no control characters, and a bound.
std::string clean(std::string text, std::size_t bytes_max) {
    std::replace_if(
        text.begin(),
        text.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; },
        '?');
    if (text.size() > bytes_max) {
        std::size_t cut = bytes_max - 3;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) {
            --cut;  // never inside a UTF-8 sequence
        }
        text.resize(cut);
        text += "...";
    }
    return text;
}

std::string with_code(const StatusMessage& message) {
    if (message.is_bare) {
        return clean(message.sentence, status_message_bytes_max);
    }
    // The sentence is cut, never the code: it is what other programs read.
    const std::string code = " [" + std::string(to_string(message.code)) + "]";
    return clean(message.sentence, status_message_bytes_max - code.size()) + code;
}

/// Equal texts are not written again. Two with one hash would at worst leave the older one
/// standing.
std::size_t hash_of(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

bool is_said_unscheduled(const core::Pod& pod) {
    return pod.scheduled && !pod.scheduled->status;
}

/// Of a pod that nothing was said of yet.
template <typename Reported>
void begin_briefly(Reported& said, ReasonCode code, std::int64_t now_ms) {
    if (said.text != 0 || said.code != ReasonCode::none) {
        return;
    }
    said.code = code;  // so this text is a soft change, and due when it has lasted
    said.at_ms = now_ms + brief_wait_ms - soft_gap_ms;
}

}  // namespace

bool is_about_capacity(ReasonCode code) {
    return code == ReasonCode::waiting_for_capacity || code == ReasonCode::waiting_in_queue;
}

PodRef ref_of(const core::Pod& pod) {
    return {pod.namespace_name, pod.name, pod.uid};
}

StatusReporter::Reported& StatusReporter::recall(const core::Pod& pod) {
    const auto [it, inserted] = reported_.try_emplace(pod.uid);
    if (inserted && is_said_unscheduled(pod)) {
        // After a restart the API server remembers for us.
        it->second.text = hash_of(pod.scheduled->message);
        it->second.code = find_code(pod.scheduled->message);
        it->second.is_fence = find_fence_epoch(pod.scheduled->message) != 0;
    }
    return it->second;
}

StatusReporter::Note StatusReporter::note(
    const core::Pod& pod, const StatusMessage& message, Voice voice, std::int64_t now_ms) {
    Reported& said = recall(pod);
    std::string text = with_code(message);
    if (!said.waiting.empty()) {
        soft_.erase({said.at_ms + soft_gap_ms, &pod.uid});
        said.waiting = {};
    }
    if (said.text == hash_of(text)) {
        said.code = message.code;
        return Note::known;
    }
    const bool soft = message.code == said.code ||
                      (is_about_capacity(message.code) && is_about_capacity(said.code));
    if (soft) {
        said.waiting = texts_.keep(text);
        said.waiting_code = message.code;
        said.is_transition = !is_said_unscheduled(pod);
        said.has_event =
            said.is_fence && voice == Voice::loud && said.before_fence != hash_of(text);
        soft_.insert({said.at_ms + soft_gap_ms, &reported_.find(pod.uid)->first});
        return Note::later;
    }
    said.code = message.code;
    said.text = hash_of(text);
    said.at_ms = now_ms;
    said.is_resaid = said.is_fence && said.before_fence == said.text;
    said.is_fence = false;
    said.lacks_event = voice == Voice::quiet && !said.is_resaid;
    write(ref_of(pod), message.code, std::move(text), !is_said_unscheduled(pod));
    return Note::now;
}

void StatusReporter::write(PodRef pod, ReasonCode code, std::string text, bool is_transition) {
    ready_.emplace_back(SetCondition{
        std::move(pod),
        std::string(condition_reason(code)),
        std::move(text),
        false,
        {},
        is_transition});
}

bool StatusReporter::report(const core::Pod& pod, StatusMessage message, std::int64_t now_ms) {
    const Note noted = note(pod, message, Voice::loud, now_ms);
    Reported& said = recall(pod);
    if ((noted == Note::now && !said.is_resaid) || (noted == Note::known && said.lacks_event)) {
        event(pod, true, std::string(failed), with_code(message));
        said.lacks_event = false;
    }
    return noted != Note::known;
}

bool StatusReporter::report_quietly(
    const core::Pod& pod, StatusMessage message, std::int64_t now_ms) {
    if (message.code == ReasonCode::waiting_in_queue) {
        begin_briefly(recall(pod), message.code, now_ms);
    }
    return note(pod, message, Voice::quiet, now_ms) != Note::known;
}

void StatusReporter::report_fence(const core::Pod& pod, std::string text) {
    std::size_t before = 0;
    if (const auto known = reported_.find(pod.uid); known != reported_.end()) {
        const Reported& had = known->second;
        before = had.is_fence ? had.before_fence : had.lacks_event ? 0 : had.text;
    }
    forget(pod.uid);
    Reported& said = reported_[pod.uid];
    said.before_fence = before;
    said.code = find_code(text);
    said.text = hash_of(text);
    said.is_fence = true;
    ready_.emplace_back(SetCondition{
        ref_of(pod),
        std::string(condition_reason(said.code)),
        std::move(text),
        true,
        pod.resource_version,
        !is_said_unscheduled(pod)});
}

void StatusReporter::event(
    const core::Pod& pod, bool warning, std::string reason, std::string message) {
    ready_.emplace_back(RecordEvent{
        ref_of(pod),
        warning,
        std::move(reason),
        clean(std::move(message), status_message_bytes_max)});
}

void StatusReporter::forget(const std::string& uid) {
    const auto it = reported_.find(uid);
    if (it != reported_.end()) {
        soft_.erase({it->second.at_ms + soft_gap_ms, &uid});
        reported_.erase(it);
    }
}

void StatusReporter::forget_all() {
    soft_.clear();
    reported_.clear();
    ready_.clear();
}

void StatusReporter::flush(
    std::vector<Decision>& decisions, std::int64_t now_ms, const FindPod& find_pod) {
    if (second_ != now_ms / 1000) {
        second_ = now_ms / 1000;
        soft_written_ = 0;
    }
    while (!soft_.empty() && soft_.begin()->at_ms <= now_ms && soft_written_ < soft_per_second) {
        const std::string& uid = *soft_.begin()->uid;
        soft_.erase(soft_.begin());
        Reported& said = reported_.at(uid);
        const core::Text text = std::exchange(said.waiting, {});
        said.code = said.waiting_code;
        said.text = hash_of(text.str());
        said.at_ms = now_ms;
        said.is_fence = false;
        const PodRef pod = find_pod(uid);
        write(pod, said.code, text, said.is_transition);
        if (said.has_event) {
            ready_.emplace_back(RecordEvent{pod, true, std::string(failed), text});
        }
        ++soft_written_;
    }
    std::move(ready_.begin(), ready_.end(), std::back_inserter(decisions));
    empty_buffer(ready_);
}

std::optional<std::int64_t> StatusReporter::next_due_ms() const {
    if (soft_.empty()) {
        return std::nullopt;
    }
    const bool limited = soft_written_ >= soft_per_second;
    return limited ? std::max(soft_.begin()->at_ms, (second_ + 1) * 1000) : soft_.begin()->at_ms;
}

}  // namespace gang
