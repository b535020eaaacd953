#include "gang/app/daemon/execute/object_writer.hpp"

#include "gang/app/daemon/execute/log_names.hpp"
#include "gang/host/requests.hpp"

namespace gang::app {
namespace {

using config::LogLevel;
using gang::to_event;

}  // namespace

void ObjectWriter::write(const SetCondition& decision) {
    wiring_.log->write(
        LogLevel::info,
        "condition",
        {{"pod", full_name(decision.pod)},
         {"reason", decision.reason},
         {"message", decision.message}});
    if (!decision.fence) {
        wiring_.metrics->found_unschedulable();
        wiring_.writer->patch_status(to_patch(decision), {});
        return;
    }
    wiring_.writer->patch_status(
        to_patch(decision), [this, uid = decision.pod.uid](const k8s::StatusResult& result) {
            wiring_.answer(to_event(uid, result));
        });
}

void ObjectWriter::write(const UpdateReservation& decision) {
    wiring_.log->write(
        LogLevel::info, "reservation changed", {{"pod", full_name(decision.driver)}});
    k8s::StatusPatch patch = to_patch(decision);
    wiring_.seal->close(decision.driver.uid, patch.annotations);
    wiring_.writer->patch_status(
        std::move(patch), [this, driver = decision.driver](const k8s::StatusResult& result) {
            if (!result.written) {
                wiring_.log->write(
                    LogLevel::warning,
                    "reservation not written",
                    {{"pod", full_name(driver)}, {"why", result.message}});
            }
            wiring_.answer(to_event(driver.uid, result));
        });
}

void ObjectWriter::write(const EvictPod& decision) {
    wiring_.log->write(
        LogLevel::info,
        "evict",
        {{"pod", full_name(decision.pod)}, {"reason", to_string(decision.reason)}});
    wiring_.writer->evict(
        to_name(decision), [this, pod = decision.pod](const k8s::EvictResult& result) {
            EvictFinished event = to_event(pod.uid, result);
            wiring_.log->write(
                event.outcome == EvictOutcome::evicted ? LogLevel::debug : LogLevel::warning,
                "eviction answered",
                {{"pod", full_name(pod)},
                 {"outcome", to_string(event.outcome)},
                 {"why", event.message}});
            wiring_.answer(std::move(event));
        });
}

void ObjectWriter::write(const RecordEvent& decision) {
    // Nearly always the same words as a condition or a bind, which have their line.
    wiring_.log->write(
        LogLevel::debug,
        "event",
        {{"pod", full_name(decision.pod)},
         {"reason", decision.reason},
         {"message", decision.message}});
    wiring_.writer->record_event(to_pod_event(decision));
}

void ObjectWriter::write(const WriteGroupStatus& decision) {
    const std::string name = full_name(decision.namespace_name, decision.name);
    wiring_.log->write(
        LogLevel::debug,
        "pod group status",
        {{"group", name},
         {"reason", decision.status.reason},
         {"message", decision.status.message}});
    wiring_.writer->write_group_status(
        to_request(decision), [this, decision, name](const k8s::ObjectStatusResult& result) {
            GroupStatusWritten event = to_event(decision, result);
            if (event.outcome != GroupStatusOutcome::written) {
                // One object that is written by others, or gone, is nothing to be told twice.
                const bool is_new = std::exchange(group_problem_, event.message) != event.message;
                wiring_.log->write(
                    is_new && event.outcome == GroupStatusOutcome::forbidden ? LogLevel::warning
                                                                             : LogLevel::debug,
                    "pod group status not written",
                    {{"group", name}, {"why", event.message}});
            }
            wiring_.answer(std::move(event));
        });
}

}  // namespace gang::app
