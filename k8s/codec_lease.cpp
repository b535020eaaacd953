#include "k8s/codec_lease.hpp"

#include "k8s/json_fields.hpp"
#include "k8s/time.hpp"

#include <algorithm>
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

}  // namespace

core::Result<protocol::Lease> decode_lease(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    Fields fields;
    const auto* metadata = find_member(document, "metadata");
    if (metadata == nullptr || fields.text(document, "kind") != "Lease") {
        return core::Error{"expected a Lease"};
    }
    protocol::Lease lease;
    lease.resource_version = fields.text(*metadata, "resourceVersion");
    if (const auto* spec = find_member(document, "spec"); spec != nullptr) {
        constexpr std::int64_t seconds_max = 86'400;
        lease.holder = fields.text(*spec, "holderIdentity");
        const std::int64_t seconds = fields.integer(*spec, "leaseDurationSeconds");
        lease.duration_ms = std::clamp<std::int64_t>(seconds, 0, seconds_max) * 1'000;
        lease.transitions = std::max<std::int64_t>(fields.integer(*spec, "leaseTransitions"), 0);
        lease.renewed = fields.text(*spec, "renewTime");
    }
    if (!fields.problem().empty()) return core::Error{"Lease: " + fields.problem()};
    return lease;
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
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
    document.Accept(json);
    return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace k8s
