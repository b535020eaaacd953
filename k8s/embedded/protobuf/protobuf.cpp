#include "k8s/embedded/protobuf/protobuf.hpp"

#include "k8s/embedded/protobuf/protobuf_reader.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace k8s::embedded {
namespace {

// Messages are described, not coded: the field numbers are those of generated.proto in k8s.io/api
// and k8s.io/apimachinery. Fields that the server sets itself (creationTimestamp, generation,
// managedFields, status) are left out, and are passed over like unknown ones.
enum class Type : std::uint8_t {
    text,
    boolean,
    integer,
    message,
    texts,
    messages,
    text_map,
    bytes_map
};

struct FieldRule {
    std::uint32_t number;
    const char* name;
    Type type;
    std::span<const FieldRule> message = {};
};

constexpr std::array<FieldRule, 6> owner_reference = {{
    {1, "kind", Type::text},
    {3, "name", Type::text},
    {4, "uid", Type::text},
    {5, "apiVersion", Type::text},
    {6, "controller", Type::boolean},
    {7, "blockOwnerDeletion", Type::boolean},
}};

constexpr std::array<FieldRule, 9> object_meta = {{
    {1, "name", Type::text},
    {2, "generateName", Type::text},
    {3, "namespace", Type::text},
    {5, "uid", Type::text},
    {6, "resourceVersion", Type::text},
    {11, "labels", Type::text_map},
    {12, "annotations", Type::text_map},
    {13, "ownerReferences", Type::messages, owner_reference},
    {14, "finalizers", Type::texts},
}};

constexpr std::array<FieldRule, 1> namespace_spec = {{{1, "finalizers", Type::texts}}};

constexpr std::array<FieldRule, 2> namespace_object = {{
    {1, "metadata", Type::message, object_meta},
    {2, "spec", Type::message, namespace_spec},
}};

constexpr std::array<FieldRule, 4> config_map = {{
    {1, "metadata", Type::message, object_meta},
    {2, "data", Type::text_map},
    {3, "binaryData", Type::bytes_map},
    {4, "immutable", Type::boolean},
}};

constexpr std::array<FieldRule, 7> object_reference = {{
    {1, "kind", Type::text},
    {2, "namespace", Type::text},
    {3, "name", Type::text},
    {4, "uid", Type::text},
    {5, "apiVersion", Type::text},
    {6, "resourceVersion", Type::text},
    {7, "fieldPath", Type::text},
}};

constexpr std::array<FieldRule, 1> local_reference = {{{1, "name", Type::text}}};

constexpr std::array<FieldRule, 4> service_account = {{
    {1, "metadata", Type::message, object_meta},
    {2, "secrets", Type::messages, object_reference},
    {3, "imagePullSecrets", Type::messages, local_reference},
    {4, "automountServiceAccountToken", Type::boolean},
}};

constexpr std::array<FieldRule, 7> resource_attributes = {{
    {1, "namespace", Type::text},
    {2, "verb", Type::text},
    {3, "group", Type::text},
    {4, "version", Type::text},
    {5, "resource", Type::text},
    {6, "subresource", Type::text},
    {7, "name", Type::text},
}};

constexpr std::array<FieldRule, 2> non_resource_attributes = {{
    {1, "path", Type::text},
    {2, "verb", Type::text},
}};

constexpr std::array<FieldRule, 2> access_review_spec = {{
    {1, "resourceAttributes", Type::message, resource_attributes},
    {2, "nonResourceAttributes", Type::message, non_resource_attributes},
}};

constexpr std::array<FieldRule, 2> access_review = {{
    {1, "metadata", Type::message, object_meta},
    {2, "spec", Type::message, access_review_spec},
}};

constexpr std::array<FieldRule, 2> preconditions = {{
    {1, "uid", Type::text},
    {2, "resourceVersion", Type::text},
}};

constexpr std::array<FieldRule, 5> delete_options = {{
    {1, "gracePeriodSeconds", Type::integer},
    {2, "preconditions", Type::message, preconditions},
    {3, "orphanDependents", Type::boolean},
    {4, "propagationPolicy", Type::text},
    {5, "dryRun", Type::texts},
}};

struct MessageRule {
    std::string_view api_version;
    std::string_view kind;
    std::span<const FieldRule> fields;
};

constexpr std::array<MessageRule, 6> objects = {{
    {"v1", "Namespace", namespace_object},
    {"v1", "ConfigMap", config_map},
    {"v1", "ServiceAccount", service_account},
    {"authorization.k8s.io/v1", "SelfSubjectAccessReview", access_review},
    {"v1", "DeleteOptions", delete_options},
    {"meta.k8s.io/v1", "DeleteOptions", delete_options},
}};

// Text goes out again as JSON, so bytes that are not UTF-8 would make answers that no client reads.
bool is_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const auto lead = static_cast<unsigned char>(text[at]);
        std::size_t length = 1;
        if (lead >= 0xC2 && lead <= 0xDF) length = 2;
        if (lead >= 0xE0 && lead <= 0xEF) length = 3;
        if (lead >= 0xF0 && lead <= 0xF4) length = 4;
        if (length == 1 && lead >= 0x80) return false;
        if (at + length > text.size()) return false;
        for (std::size_t i = 1; i < length; ++i) {
            if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) return false;
        }
        const unsigned second = length > 1 ? static_cast<unsigned char>(text[at + 1]) : 0x80U;
        const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
        const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
        if (overlong || outside) return false;
        at += length;
    }
    return true;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto byte = [&](std::size_t i) {
            return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
        };
        const unsigned group = byte(0) << 16U | byte(1) << 8U | byte(2);
        text += digits[group >> 18U];
        text += digits[(group >> 12U) & 63U];
        text += at + 1 < bytes.size() ? digits[(group >> 6U) & 63U] : '=';
        text += at + 2 < bytes.size() ? digits[group & 63U] : '=';
    }
    return text;
}

// One entry of a map is a message {1: key, 2: value}.
bool add_map_entry(Json& map, std::string_view entry, bool value_is_text) {
    ProtobufReader reader(entry);
    std::string_view key;
    std::string_view value;
    while (const auto field = reader.next()) {
        if (field->number == 1 && field->is_bytes) key = field->bytes;
        if (field->number == 2 && field->is_bytes) value = field->bytes;
    }
    if (!reader.is_good() || !is_utf8(key) || (value_is_text && !is_utf8(value))) return false;
    map.set(key, value_is_text ? std::string(value) : base64(value));
    return true;
}

std::optional<Json> decode_message(std::string_view bytes, std::span<const FieldRule> rules);

// False when the bytes do not hold what the rule says.
bool add_bytes(Json& object, const FieldRule& rule, std::string_view bytes) {
    switch (rule.type) {
        case Type::text:
            if (!is_utf8(bytes)) return false;
            if (!bytes.empty()) object.set(rule.name, bytes);
            return true;
        case Type::texts:
            if (!is_utf8(bytes)) return false;
            object[rule.name].items().emplace_back(bytes);
            return true;
        case Type::message:
        case Type::messages: {
            auto message = decode_message(bytes, rule.message);
            if (!message) return false;
            if (rule.type == Type::message) {
                object.set(rule.name, std::move(*message));
            } else {
                object[rule.name].items().push_back(std::move(*message));
            }
            return true;
        }
        case Type::text_map:
            return add_map_entry(object[rule.name], bytes, true);
        case Type::bytes_map:
            return add_map_entry(object[rule.name], bytes, false);
        case Type::boolean:
        case Type::integer:
            return false;
    }
    return false;
}

bool add_field(Json& object, const FieldRule& rule, const ProtobufField& field) {
    if (field.is_bytes) return add_bytes(object, rule, field.bytes);
    if (rule.type == Type::boolean) {
        object.set(rule.name, field.value != 0);
        return true;
    }
    if (rule.type != Type::integer) return false;
    object.set(rule.name, static_cast<std::int64_t>(field.value));
    return true;
}

// The depth is that of the rules above, whatever the bytes say.
std::optional<Json> decode_message(std::string_view bytes, std::span<const FieldRule> rules) {
    Json object{Json::Object{}};
    ProtobufReader reader(bytes);
    while (const auto field = reader.next()) {
        for (const FieldRule& rule : rules) {
            if (rule.number != field->number) continue;
            if (!add_field(object, rule, *field)) return std::nullopt;
        }
    }
    if (!reader.is_good()) return std::nullopt;
    return object;
}

struct Envelope {
    std::string_view api_version;
    std::string_view kind;
    std::string_view object;
};

// runtime.Unknown: {1: {1: apiVersion, 2: kind}, 2: the object's bytes}.
std::optional<Envelope> read_envelope(std::string_view body) {
    Envelope envelope;
    ProtobufReader reader(body);
    while (const auto field = reader.next()) {
        if (field->number == 2 && field->is_bytes) envelope.object = field->bytes;
        if (field->number != 1 || !field->is_bytes) continue;
        ProtobufReader type(field->bytes);
        while (const auto part = type.next()) {
            if (part->number == 1 && part->is_bytes) envelope.api_version = part->bytes;
            if (part->number == 2 && part->is_bytes) envelope.kind = part->bytes;
        }
        if (!type.is_good()) return std::nullopt;
    }
    if (!reader.is_good()) return std::nullopt;
    return envelope;
}

}  // namespace

bool is_protobuf(std::string_view content_type) {
    const std::string_view type = content_type.substr(0, content_type.find(';'));
    return type == "application/vnd.kubernetes.protobuf" ||
           type == "application/vnd.kubernetes.protobuf ";
}

core::Result<Json> decode_protobuf(std::string_view body) {
    constexpr std::string_view magic{"k8s\0", 4};
    if (!body.starts_with(magic)) return core::Error{"the body is not Kubernetes protobuf"};
    const auto envelope = read_envelope(body.substr(magic.size()));
    if (!envelope) return core::Error{"the protobuf envelope is damaged"};
    for (const MessageRule& rule : objects) {
        if (rule.kind != envelope->kind || rule.api_version != envelope->api_version) continue;
        auto message = decode_message(envelope->object, rule.fields);
        if (!message) return core::Error{"the protobuf object is damaged"};
        Json object;
        object.set("kind", rule.kind);
        object.set("apiVersion", rule.api_version);
        for (auto& [key, value] : message->members()) object.set(key, std::move(value));
        return object;
    }
    return core::Error{"this kind is not read from protobuf here, send JSON"};
}

}  // namespace k8s::embedded
