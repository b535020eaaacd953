#include "k8s/codec/queue/codec_queue_status.hpp"

#include "core/value/quantity.hpp"
#include "k8s/codec/queue/read_amounts.hpp"
#include "k8s/json/json.hpp"

#include <string_view>

namespace k8s {
namespace {

using QueueJson = rapidjson::Writer<rapidjson::StringBuffer>;

void put_text(QueueJson& json, const char* key, std::string_view value) {
    json.Key(key);
    json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

std::string amount_text(const core::ExtendedResource& one) {
    return one.name == "cpu" ? core::format_cpu(one.amount) : std::to_string(one.amount);
}

/// Volcano's kind before 1.12 has no status without `allocated`, and what is applied as an empty map in
/// place of another is none at all.
void put_nothing_used(QueueJson& json) {
    json.Key("allocated");
    json.StartObject();
    put_text(json, "cpu", "0");
    put_text(json, "memory", "0");
    json.EndObject();
}

void put_usage(QueueJson& json, const core::QueueObjectStatus& status) {
    json.Key("pending");
    json.Int64(status.pending);
    json.Key("running");
    json.Int64(status.running);
    json.Key("allocated");
    json.StartObject();
    for (const core::ExtendedResource& one : status.allocated) {
        put_text(json, one.name.c_str(), amount_text(one));
    }
    json.EndObject();
}

}  // namespace

std::string encode_queue_status(const QueueStatusWrite& write) {
    rapidjson::StringBuffer buffer;
    QueueJson json(buffer);
    json.StartObject();
    put_text(json, "apiVersion", "scheduling.volcano.sh/v1beta1");
    put_text(json, "kind", "Queue");
    json.Key("metadata");
    json.StartObject();
    put_text(json, "name", write.name);
    put_text(json, "uid", write.uid);
    json.EndObject();
    json.Key("status");
    json.StartObject();
    if (write.part == QueueStatusPart::usage) put_usage(json, write.status);
    if (write.part == QueueStatusPart::state) put_text(json, "state", write.status.state);
    if (write.part == QueueStatusPart::none) put_nothing_used(json);
    json.EndObject();
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize());
}

core::QueueObjectStatus decode_queue_status(const rapidjson::Value& object) {
    core::QueueObjectStatus status;
    Fields fields;
    if (const rapidjson::Value* const found = fields.object(object, "status")) {
        status.state = fields.text(*found, "state");
        status.pending = fields.integer(*found, "pending", 0);
        status.running = fields.integer(*found, "running", 0);
        status.allocated = read_amounts(fields, *found, "allocated");
    }
    return status;
}

}  // namespace k8s
