#include "k8s/codec/pod/codec_pod.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/exclusive.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/codec/pod/pod_rules.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/codec/pod/spark_volumes.hpp"
#include "k8s/codec/pod/task_groups.hpp"
#include "k8s/json/json_fields.hpp"
#include "k8s/json/json_filter.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace k8s {
namespace {

using rapidjson::Value;

std::int64_t decode_created(Fields& fields, const Value& metadata) {
    const std::string_view text = fields.text_view(metadata, "creationTimestamp");
    const auto time_ms = parse_time(text);
    if (!text.empty() && !time_ms) {
        fields.wrong("creationTimestamp", "a time");
    }
    return time_ms.value_or(0) / 1000;
}

/// Of some only that they are there; what is a document becomes lines.
core::StringMap decode_annotations(Fields& fields, const Value& metadata) {
    core::StringMap annotations = fields.map(metadata, "annotations", core::is_kept_annotation);
    for (auto& [key, value] : annotations) {
        if (core::is_kept_without_value(key)) {
            value.clear();
            value.shrink_to_fit();
        } else if (key == task_groups_annotation) {
            value = plain_task_groups(std::move(value));
        }
    }
    return annotations;
}

void decode_metadata(Fields& fields, const Value& metadata, core::Pod& pod) {
    pod.namespace_name = fields.text(metadata, "namespace", "default");
    pod.uid = fields.text(metadata, "uid");
    pod.resource_version = fields.text(metadata, "resourceVersion");
    pod.created = decode_created(fields, metadata);
    pod.deleting = find_member(metadata, "deletionTimestamp") != nullptr;
    pod.labels = fields.map(metadata, "labels");
    pod.annotations = decode_annotations(fields, metadata);
    const auto owners = fields.objects(metadata, "ownerReferences");
    pod.owners.reserve(owners.Size());
    for (const Value& owner : owners) {
        pod.owners.push_back(
            {fields.text(owner, "kind"),
             fields.text(owner, "name"),
             fields.text(owner, "uid"),
             fields.flag(owner, "controller")});
    }
}

void decode_priority(Fields& fields, const Value& spec, core::Pod& pod) {
    const std::int64_t priority = fields.integer(spec, "priority");
    using Limits = std::numeric_limits<std::int32_t>;
    if (priority < Limits::min() || priority > Limits::max()) {
        fields.wrong("priority", "a number of 32 bits");
        return;
    }
    pod.priority = static_cast<std::int32_t>(priority);
    pod.never_preempts = fields.text_view(spec, "preemptionPolicy") == "Never";
}

/// What it asks of cards. The answer says why a pod that has no node yet is not to get one.
std::string add_cards(core::Pod& pod, const core::PodRequests& parts) {
    std::string problem = core::refused_card_words(pod.annotations, pod.requests);
    if (pod.requests.extended.empty() || !core::asks_for_cards(pod.requests)) {
        return problem;
    }
    const std::string wrong_parts = core::check_asking_containers(parts);
    const std::string wrong_amounts = core::add_card_ask(pod.requests);
    return !problem.empty() ? problem : !wrong_amounts.empty() ? wrong_amounts : wrong_parts;
}

void decode_requests(Fields& fields, const Value& spec, core::Pod& pod) {
    const core::PodRequests parts = decode_pod_requests(fields, spec);
    const auto requests = core::effective_requests(parts);
    if (!requests) {
        pod.problem = requests.error().message;
        return;
    }
    pod.requests = *requests;
    const std::string problem = add_cards(pod, parts);
    if (pod.node_name.empty()) {
        pod.problem = problem;
    }
}

/// Where it may go, and what it takes there.
void decode_placement(Fields& fields, const Value& spec, core::Pod& pod) {
    decode_requests(fields, spec, pod);
    core::Constraints constraints = decode_constraints(fields, spec);
    const auto ports = decode_host_ports(fields, spec);
    constraints.has_host_ports = !ports.empty();
    constraints.images = decode_images(fields, spec, "containers");
    for (std::string& image : decode_images(fields, spec, "initContainers")) {
        constraints.images.push_back(std::move(image));
    }
    // Volumes are read for other reasons, too: where nobody asks for images there are none of containers.
    if (!constraints.images.empty()) {
        for (std::string& image : decode_image_volumes(fields, spec)) {
            constraints.images.push_back(std::move(image));
        }
    }
    core::add_host_ports(pod.requests, ports);
    core::add_disks(pod.requests, decode_disks(fields, spec));
    pod.constraints = std::move(constraints);
}

/// Each once, in order: who mounts a claim twice has one claim.
core::Boxed<std::vector<core::ClaimUse>> decode_claims(
    Fields& fields, const Value& spec, const std::string& pod_name) {
    std::vector<core::ClaimUse> claims;
    for (const Value& volume : fields.objects(spec, "volumes")) {
        if (const Value* claim = fields.object(volume, "persistentVolumeClaim")) {
            claims.push_back({fields.text(*claim, "claimName"), false});
        } else if (find_member(volume, "ephemeral") != nullptr) {
            claims.push_back({pod_name + "-" + fields.text(volume, "name"), true});
        }
    }
    std::sort(claims.begin(), claims.end());
    claims.erase(std::unique(claims.begin(), claims.end()), claims.end());
    core::Boxed<std::vector<core::ClaimUse>> result;
    if (!claims.empty()) {
        result = std::move(claims);
    }
    return result;
}

void decode_spec(Fields& fields, const Value& spec, core::Pod& pod) {
    pod.scheduler_name = fields.text(spec, "schedulerName", "default-scheduler");
    pod.node_name = fields.text(spec, "nodeName");
    pod.gated = !fields.objects(spec, "schedulingGates").Empty();
    if (const Value* group = fields.object(spec, "schedulingGroup")) {
        pod.pod_group = fields.text(*group, "podGroupName");
    }
    decode_priority(fields, spec, pod);
    if (auto account = fields.text(spec, "serviceAccountName", "default");
        account != "default" && !account.empty()) {
        pod.service_account = std::move(account);
    }
    decode_placement(fields, spec, pod);
    if (!fields.objects(spec, "resourceClaims").Empty() && pod.node_name.empty()) {
        pod.problem = no_resource_claims;
    }
    pod.rules = decode_pod_rules(fields, spec, pod.namespace_name, pod.labels);
    pod.claims = decode_claims(fields, spec, pod.name);
    pod.spark_properties = find_spark_properties(spec);
    if (pod.spark_properties) {
        pod.executor_template = find_executor_template(spec);
    }
}

/// When the last container ended, Unix seconds; 0: nothing is said of it. Lenient: nothing of
/// scheduling depends on it.
std::int64_t decode_end(const Value& status) {
    const Value* containers = find_member(status, "containerStatuses");
    std::int64_t ended_ms = 0;
    if (containers == nullptr || !containers->IsArray()) {
        return 0;
    }
    for (const Value& container : containers->GetArray()) {
        const Value* state = container.IsObject() ? find_member(container, "state") : nullptr;
        const Value* end =
            state != nullptr && state->IsObject() ? find_member(*state, "terminated") : nullptr;
        if (end != nullptr && end->IsObject()) {
            Fields fields;
            ended_ms =
                std::max(ended_ms, parse_time(fields.text_view(*end, "finishedAt")).value_or(0));
        }
    }
    return ended_ms / 1000;
}

void decode_status(Fields& fields, const Value& status, core::Pod& pod) {
    pod.phase = parse_phase(fields.text_view(status, "phase"));
    if (pod.phase == core::PodPhase::succeeded) {
        pod.ended = decode_end(status);
    }
    if (pod.phase == core::PodPhase::failed) {
        pod.failure = fields.text(status, "reason");
    }
    for (const Value& condition : fields.objects(status, "conditions")) {
        if (fields.text_view(condition, "type") == "PodScheduled") {
            pod.scheduled = core::ScheduledCondition{
                fields.text_view(condition, "status") == "True",
                fields.text(condition, "reason"),
                fields.text(condition, "message")};
            if (pod.scheduled->status) {
                const auto since_ms = parse_time(fields.text_view(condition, "lastTransitionTime"));
                pod.scheduled->since = since_ms.value_or(0) / 1000;
            }
        }
    }
}

}  // namespace

core::PodPhase parse_phase(std::string_view text) {
    if (text.empty() || text == "Pending") {
        return core::PodPhase::pending;
    }
    if (text == "Running") {
        return core::PodPhase::running;
    }
    if (text == "Succeeded") {
        return core::PodPhase::succeeded;
    }
    return text == "Failed" ? core::PodPhase::failed : core::PodPhase::unknown;
}

core::Result<core::Pod> decode_pod_value(const Value& object) {
    const Value* metadata = find_member(object, "metadata");
    Fields identity;
    core::Pod pod;
    pod.name = metadata ? identity.text(*metadata, "name") : std::string();
    if (pod.name.empty()) {
        return core::Error{"this is not a pod: it has no metadata.name"};
    }
    Fields fields;
    decode_metadata(fields, *metadata, pod);
    if (const Value* spec = fields.object(object, "spec")) {
        decode_spec(fields, *spec, pod);
    } else {
        fields.wrong("spec", "an object");
    }
    if (const Value* status = fields.object(object, "status")) {
        decode_status(fields, *status, pod);
    }
    if (!fields.problem().empty()) {
        pod.problem = fields.problem();
    }
    return pod;
}

core::Result<core::Pod> decode_pod(std::string_view json) {
    FilteredParser parser(0);
    const auto parsed = parser.parse(json, pod_shape);
    return parsed ? decode_pod_value(parser.root()) : core::Result<core::Pod>(parsed.error());
}

}  // namespace k8s
