#include "k8s/codec/pod/pod_history.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/json/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace k8s {
namespace {

using rapidjson::Value;

std::int64_t time_at(const Value& object, const char* name) {
    Fields fields;
    return parse_time(fields.text(object, name)).value_or(0);
}

const Value* state_of(const Value& container, const char* state) {
    const Value* states = find_member(container, "state");
    return states != nullptr ? find_member(*states, state) : nullptr;
}

void read_container(const Value& container, PodHistory& pod) {
    Fields fields;
    std::int64_t started = 0;
    if (const Value* running = state_of(container, "running")) {
        started = time_at(*running, "startedAt");
    }
    if (const Value* ended = state_of(container, "terminated")) {
        started = time_at(*ended, "startedAt");
        pod.ended_ms = std::max(pod.ended_ms, time_at(*ended, "finishedAt"));
        const std::int64_t code = fields.integer(*ended, "exitCode");
        if (code != 0 && pod.end_reason.empty()) {
            pod.end_reason =
                fmt::format("{}, exit code {}", fields.text(*ended, "reason", "Error"), code);
        }
    }
    if (started > 0 && (pod.started_ms == 0 || started < pod.started_ms)) {
        pod.started_ms = started;
    }
}

void read_status(const Value& status, PodHistory& pod) {
    Fields fields;
    pod.phase = parse_phase(fields.text(status, "phase"));
    for (const Value& condition : fields.objects(status, "conditions")) {
        if (fields.text(condition, "type") == "PodScheduled" &&
            fields.text(condition, "status") == "True") {
            pod.bound_ms = time_at(condition, "lastTransitionTime");
        }
    }
    for (const Value& container : fields.objects(status, "containerStatuses")) {
        read_container(container, pod);
    }
    if (pod.started_ms == 0) {
        pod.started_ms = time_at(status, "startTime");
    }
    const std::string reason = fields.text(status, "reason");
    if (!reason.empty() && pod.phase == core::PodPhase::failed) {
        pod.end_reason = reason;  // the kubelet's own word: OutOfcpu, Evicted
    }
}

PodHistory read_pod(const Value& object) {
    Fields fields;
    PodHistory pod;
    if (const Value* metadata = fields.object(object, "metadata")) {
        pod.namespace_name = fields.text(*metadata, "namespace");
        pod.name = fields.text(*metadata, "name");
        pod.uid = fields.text(*metadata, "uid");
        pod.created_ms = time_at(*metadata, "creationTimestamp");
        const std::int64_t grace = fields.integer(*metadata, "deletionGracePeriodSeconds");
        const std::int64_t deadline = time_at(*metadata, "deletionTimestamp");
        pod.deleting_ms =
            deadline > 0 ? deadline - std::clamp<std::int64_t>(grace, 0, 86'400) * 1'000 : 0;
        pod.annotations = fields.map(*metadata, "annotations", "gang-scheduler/");
        const core::StringMap labels = fields.map(*metadata, "labels", "spark-");
        const auto label = [&labels](std::string_view key) {
            const std::string* value = core::find_value(labels, key);
            return value != nullptr ? *value : std::string();
        };
        pod.application = label("spark-app-selector");
        pod.app_name = label("spark-app-name");
        pod.is_of_spark = !label("spark-role").empty();
        for (const Value& owner : fields.objects(*metadata, "ownerReferences")) {
            if (fields.flag(owner, "controller")) {
                pod.controller_uid = fields.text(owner, "uid");
            }
        }
    }
    if (const Value* spec = fields.object(object, "spec")) {
        pod.node = fields.text(*spec, "nodeName");
        pod.scheduler_name = fields.text(*spec, "schedulerName");
    }
    if (const Value* status = fields.object(object, "status")) {
        read_status(*status, pod);
    }
    return pod;
}

RecordedEvent read_event(const Value& object) {
    Fields fields;
    RecordedEvent event;
    event.reason = fields.text(object, "reason");
    event.message = fields.text(object, "message");
    event.warning = fields.text(object, "type") == "Warning";
    event.component = fields.text(object, "reportingComponent");
    event.time_ms = std::max(time_at(object, "eventTime"), time_at(object, "lastTimestamp"));
    if (const Value* series = fields.object(object, "series")) {
        event.time_ms = std::max(event.time_ms, time_at(*series, "lastObservedTime"));
    }
    const Value* metadata = fields.object(object, "metadata");
    if (event.time_ms == 0 && metadata != nullptr) {
        event.time_ms = time_at(*metadata, "creationTimestamp");
    }
    return event;
}

template <typename T>
core::Result<ListPage<T>> read_list(
    const std::string& json, const char* kind, T (*read)(const Value&)) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError() || !document.IsObject()) {
        return core::Error{"the answer is not a JSON object"};
    }
    Fields fields;
    if (fields.text(document, "kind") != kind) {
        return core::Error{fmt::format("the answer is no {}", kind)};
    }
    ListPage<T> page;
    if (const Value* metadata = fields.object(document, "metadata")) {
        page.continue_token = fields.text(*metadata, "continue");
    }
    for (const Value& item : fields.objects(document, "items")) {
        page.items.push_back(read(item));
    }
    return page;
}

}  // namespace

core::Result<ListPage<PodHistory>> decode_pod_histories(const std::string& json) {
    return read_list<PodHistory>(json, "PodList", read_pod);
}

core::Result<ListPage<RecordedEvent>> decode_events(const std::string& json) {
    return read_list<RecordedEvent>(json, "EventList", read_event);
}

}  // namespace k8s
