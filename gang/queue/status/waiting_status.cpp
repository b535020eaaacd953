#include "gang/queue/status/waiting_status.hpp"

#include "core/value/pod.hpp"
#include "gang/explain.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/model/work.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace gang {

void WaitingStatus::report_warnings(Application& app, const PodEntry& entry) {
    if (app.declared.diagnostics->warnings.empty()) {
        return;
    }
    std::string text;
    for (const std::string& warning : std::exchange(app.declared.diagnostics.make().warnings, {})) {
        text += (text.empty() ? "" : "; ") + warning;
    }
    status_reporter_.event(entry.pod, true, "DeclarationMismatch", std::move(text));
}

bool WaitingStatus::report_obstacle(Application& app, const PodEntry& entry) {
    auto obstacle = messages_.find_obstacle(app, entry, model_.fit_cache.placed);
    if (obstacle && obstacle->code != ReasonCode::none) {
        set_message(app, *std::move(obstacle));
    }
    return obstacle.has_value();
}

bool WaitingStatus::report(Application& app, const Application* head) {
    MessageContext context{model_.fit_cache};
    ++step_.counters.sentences;
    StatusMessage message = messages_.message_of(app, head, context);
    step_.counters.placements += static_cast<std::uint64_t>(context.searches);
    step_.work_left -= work_per_message + messages_.work_of(context);
    return message.code != ReasonCode::none && set_message(app, std::move(message));
}

/// Whose object shows what the pod is told, by key; empty: none. Of members that start one by one,
/// one speaks for all as long as it waits.
std::string WaitingStatus::find_told_group(const Application& app, const PodEntry& entry) {
    if (const std::string* named = model_.groups.find_driver_group(app.uid)) {
        return *named;
    }
    const bool is_single = entry.alone == Alone::single;
    if (entry.group.empty() || (app.group.empty() && !is_single)) {
        return {};
    }
    PodGroup* const group = model_.groups.find(entry.group.str());
    if (group != nullptr && is_single && group->told_to != app.uid) {
        const PodEntry* const told = model_.pods.find_active(group->told_to);
        if (told != nullptr && told->is_bindable()) {
            return {};
        }
        group->told_to = app.uid;
    }
    return entry.group.str();
}

bool WaitingStatus::set_message(Application& app, StatusMessage message) {
    message = messages_.with_size(app, std::move(message));
    QueueEntry& queue_entry = model_.waiting.entry(app);
    queue_entry.code = message.code;
    queue_entry.is_reported = true;
    const PodEntry& entry = model_.pods.at(app.uid);
    const std::string key = find_told_group(app, entry);
    if (PodGroup* const group = model_.groups.find(key)) {
        group->told_code = message.code;
        group->told = message.sentence;
        model_.worklist.group_statuses.insert(key);
    }
    const core::Pod& pod = entry.pod;
    const bool has_event = !app.is_surplus && messages_.is_worth_an_event(app, message.code);
    return has_event ? status_reporter_.report(pod, std::move(message), step_.now_ms)
                     : status_reporter_.report_quietly(pod, std::move(message), step_.now_ms);
}

void WaitingStatus::report_unless(bool is_known, Application& app, SchedulingCycle& cycle) {
    if (is_known) {
        cycle.cut_short = true;
    } else {
        report(app, nullptr);
    }
}

}  // namespace gang
