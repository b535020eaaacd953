#include "k8s/codec/codec_lease.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace k8s {
namespace {

using Allocator = rapidjson::Document::AllocatorType;

rapidjson::Value& child(rapidjson::Value& parent, const char* name, Allocator& memory) {
    auto it = parent.FindMember(name);
    if (it != parent.MemberEnd()) {
        if (!it->value.IsObject()) it->value.SetObject();
        return it->value;
    }
    rapidjson::Value made(rapidjson::kObjectType);
    parent.AddMember(rapidjson::Value(name, memory), made, memory);
    return parent.FindMember(name)->value;
}

void set(rapidjson::Value& object, const char* name, rapidjson::Value value, Allocator& memory) {
    auto it = object.FindMember(name);
    if (it != object.MemberEnd()) {
        it->value = value;
    } else {
        object.AddMember(rapidjson::Value(name, memory), value, memory);
    }
}

// Anybody may edit it: what is no number is nothing.
std::int64_t read_epoch(const std::string& text) {
    std::int64_t epoch = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, epoch);
    return problem == std::errc() && stop == end && epoch > 0 ? epoch : 0;
}

core::Result<protocol::Lease> decode_lease_value(const rapidjson::Value& value) {
    Fields fields;
    const auto* metadata = find_member(value, "metadata");
    if (metadata == nullptr || fields.text(value, "kind") != "Lease") {
        return core::Error{"expected a Lease"};
    }
    protocol::Lease lease;
    lease.resource_version = fields.text(*metadata, "resourceVersion");
    if (const auto* annotations = find_member(*metadata, "annotations"); annotations != nullptr) {
        lease.epoch = read_epoch(fields.text(*annotations, epoch_annotation));
        const std::int64_t settled = read_epoch(fields.text(*annotations, settled_annotation));
        lease.scheduler_names = fields.text(*annotations, scheduler_names_annotation);
        lease.api = fields.text(*annotations, api_annotation);
        lease.settled = settled != 0 && settled == lease.epoch;
    }
    if (const auto* spec = find_member(value, "spec"); spec != nullptr) {
        constexpr std::int64_t seconds_max = protocol::lease_duration_ms_max / 1'000;
        lease.holder = fields.text(*spec, "holderIdentity");
        const std::int64_t seconds = fields.integer(*spec, "leaseDurationSeconds");
        lease.duration_ms = std::clamp<std::int64_t>(seconds, 0, seconds_max) * 1'000;
        lease.transitions = std::max<std::int64_t>(fields.integer(*spec, "leaseTransitions"), 0);
        lease.renewed = fields.text(*spec, "renewTime");
    }
    if (!fields.problem().empty()) return core::Error{"Lease: " + fields.problem()};
    return lease;
}

std::string text_of(const rapidjson::Value& value) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
    value.Accept(json);
    return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace

core::Result<protocol::Lease> decode_lease(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    return decode_lease_value(document);
}

core::Result<LeaseLine> decode_lease_line(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    Fields fields;
    const std::string type = document.IsObject() ? fields.text(document, "type") : "";
    const auto* object = find_member(document, "object");
    if (object == nullptr) return core::Error{"a watch event without an object"};
    LeaseLine line;
    if (type == "ERROR") {
        line.status = static_cast<int>(fields.integer(*object, "code", 500));
        line.message = one_line(fields.text(*object, "message"), status_message_max);
        return line;
    }
    if (type == "BOOKMARK") return line;
    auto lease = decode_lease_value(*object);
    if (!lease) return lease.error();
    line.name = fields.text(*find_member(*object, "metadata"), "name");
    line.event = type == "DELETED" ? LeaseEvent::deleted : LeaseEvent::changed;
    line.lease = *std::move(lease);
    line.json = text_of(*object);
    return line;
}

std::string encode_lease(const LeaseWrite& write, const std::string& seen) {
    rapidjson::Document document;
    std::string base = seen;
    if (base.empty() || !parse_in_place(base, document) || !document.IsObject()) {
        document.SetObject();
    }
    Allocator& memory = document.GetAllocator();
    const auto text = [&](const std::string& value) { return rapidjson::Value(value, memory); };
    set(document, "apiVersion", text("coordination.k8s.io/v1"), memory);
    set(document, "kind", text("Lease"), memory);
    rapidjson::Value& metadata = child(document, "metadata", memory);
    set(metadata, "name", text(write.name), memory);
    set(metadata, "namespace", text(write.namespace_name), memory);
    if (!write.resource_version.empty()) {
        set(metadata, "resourceVersion", text(write.resource_version), memory);
    }
    rapidjson::Value& annotations = child(metadata, "annotations", memory);
    if (write.acquired) {
        set(annotations, epoch_annotation, text(std::to_string(write.epoch)), memory);
    }
    if (write.acquired && !write.scheduler_names.empty()) {
        set(annotations, scheduler_names_annotation, text(write.scheduler_names), memory);
    }
    if (write.acquired) {
        annotations.RemoveMember(api_annotation);  // of the holder before
    }
    if (write.acquired && !write.api.empty()) {
        set(annotations, api_annotation, text(write.api), memory);
    }
    annotations.RemoveMember(settled_annotation);
    if (write.settled) {
        const std::string epoch = Fields().text(annotations, epoch_annotation);
        set(annotations, settled_annotation, text(epoch), memory);
    }
    rapidjson::Value& spec = child(document, "spec", memory);
    const std::string now = format_micro_time(write.unix_time_ms);
    const std::int64_t seconds = std::max<std::int64_t>((write.duration_ms + 999) / 1'000, 1);
    // The API server takes no empty holder: a released lease has none.
    if (write.holder.empty()) {
        spec.RemoveMember("holderIdentity");
    } else {
        set(spec, "holderIdentity", text(write.holder), memory);
    }
    set(spec, "leaseDurationSeconds", rapidjson::Value(seconds), memory);
    set(spec, "leaseTransitions", rapidjson::Value(write.transitions), memory);
    set(spec, "renewTime", text(now), memory);
    if (write.acquired) set(spec, "acquireTime", text(now), memory);
    return text_of(document);
}

}  // namespace k8s
