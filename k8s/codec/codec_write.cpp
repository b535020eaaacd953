#include "k8s/codec/codec_write.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <string_view>

namespace k8s {
namespace {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void text(JsonWriter& json, std::string_view value) {
    json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void member(JsonWriter& json, const char* key, std::string_view value) {
    json.Key(key);
    text(json, value);
}

void annotations(JsonWriter& json, const core::StringMap& map) {
    if (map.empty()) return;
    json.Key("annotations");
    json.StartObject();
    for (const auto& [key, value] : map) {
        text(json, key);
        text(json, value);
    }
    json.EndObject();
}

void preconditions(JsonWriter& json, const std::string& uid, const std::string& version) {
    if (!uid.empty()) member(json, "uid", uid);
    if (!version.empty()) member(json, "resourceVersion", version);
}

std::string finished(const rapidjson::StringBuffer& buffer) {
    return std::string(buffer.GetString(), buffer.GetSize());
}

void condition(JsonWriter& json, const PodCondition& value, std::int64_t unix_time_ms) {
    json.Key("status");
    json.StartObject();
    json.Key("conditions");
    json.StartArray();
    json.StartObject();
    member(json, "type", "PodScheduled");
    member(json, "status", "False");
    member(json, "reason", value.reason);
    member(json, "message", one_line(value.message, condition_message_max));
    if (value.is_transition) member(json, "lastTransitionTime", format_time(unix_time_ms));
    json.EndObject();
    json.EndArray();
    json.EndObject();
}

}  // namespace

std::string encode_binding(const BindRequest& request) {
    rapidjson::StringBuffer buffer;
    JsonWriter json(buffer);
    json.StartObject();
    member(json, "apiVersion", "v1");
    member(json, "kind", "Binding");
    json.Key("metadata");
    json.StartObject();
    member(json, "name", request.pod.name);
    member(json, "namespace", request.pod.namespace_name);
    preconditions(json, request.pod.uid, request.resource_version);
    annotations(json, request.annotations);
    json.EndObject();
    json.Key("target");
    json.StartObject();
    member(json, "apiVersion", "v1");
    member(json, "kind", "Node");
    member(json, "name", request.node);
    json.EndObject();
    json.EndObject();
    return finished(buffer);
}

std::string encode_status_patch(const StatusPatch& patch, std::int64_t unix_time_ms) {
    rapidjson::StringBuffer buffer;
    JsonWriter json(buffer);
    json.StartObject();
    json.Key("metadata");
    json.StartObject();
    preconditions(json, patch.pod.uid, patch.resource_version);
    annotations(json, patch.annotations);
    json.EndObject();
    if (patch.condition) condition(json, *patch.condition, unix_time_ms);
    json.EndObject();
    return finished(buffer);
}

std::string encode_eviction(const PodName& pod) {
    rapidjson::StringBuffer buffer;
    JsonWriter json(buffer);
    json.StartObject();
    member(json, "apiVersion", "policy/v1");
    member(json, "kind", "Eviction");
    json.Key("metadata");
    json.StartObject();
    member(json, "name", pod.name);
    member(json, "namespace", pod.namespace_name);
    json.EndObject();
    json.Key("deleteOptions");
    json.StartObject();
    json.Key("preconditions");
    json.StartObject();
    member(json, "uid", pod.uid);
    json.EndObject();
    json.EndObject();
    json.EndObject();
    return finished(buffer);
}

std::string encode_event(
    const PodEvent& event,
    const EventSource& source,
    std::int64_t unix_time_ms,
    std::uint64_t serial) {
    constexpr std::size_t pod_name_max = 200;  // names end at 253
    rapidjson::StringBuffer buffer;
    JsonWriter json(buffer);
    json.StartObject();
    member(json, "apiVersion", "events.k8s.io/v1");
    member(json, "kind", "Event");
    json.Key("metadata");
    json.StartObject();
    const std::string name = event.pod.name.substr(0, pod_name_max);
    member(json, "name", fmt::format("{}.{:x}.{:x}", name, unix_time_ms, serial));
    member(json, "namespace", event.pod.namespace_name);
    json.EndObject();
    member(json, "eventTime", format_micro_time(unix_time_ms));
    member(json, "reportingController", source.component);
    member(json, "reportingInstance", source.instance);
    member(json, "action", "Scheduling");
    member(json, "reason", event.reason);
    member(json, "type", event.warning ? "Warning" : "Normal");
    member(json, "note", one_line(event.message, event_note_max));
    json.Key("regarding");
    json.StartObject();
    const bool is_about_group = !event.group_api_version.empty();
    member(json, "apiVersion", is_about_group ? event.group_api_version : "v1");
    member(
        json, "kind", is_about_group ? "PodGroup" : event.is_about_node ? "Node" : "Pod");
    if (!event.is_about_node) member(json, "namespace", event.pod.namespace_name);
    member(json, "name", event.pod.name);
    member(json, "uid", event.pod.uid);
    json.EndObject();
    json.EndObject();
    return finished(buffer);
}

}  // namespace k8s
