#include "k8s/codec_watch.hpp"

#include "k8s/codec_pod_value.hpp"
#include "k8s/codec_status.hpp"
#include "k8s/json_fields.hpp"

#include <string_view>
#include <utility>

namespace k8s {
namespace {

const char* kind_name(WatchKind kind) {
    return kind == WatchKind::pods ? "Pod" : "Node";
}

core::Error strange(const char* what, const std::string& found) {
    return core::Error{std::string(what) + ", got kind \"" + one_line(found, 64) + "\""};
}

std::size_t annotation_bytes(const rapidjson::Value& object) {
    const auto* metadata = find_member(object, "metadata");
    if (metadata == nullptr) return 0;
    const auto* annotations = find_member(*metadata, "annotations");
    if (annotations == nullptr || !annotations->IsObject()) return 0;
    std::size_t bytes = 0;
    for (const auto& member : annotations->GetObject()) {
        bytes += member.name.GetStringLength();
        if (member.value.IsString()) bytes += member.value.GetStringLength();
    }
    return bytes;
}

core::Result<DecodedObject> decode_object(WatchKind kind, const rapidjson::Value& value) {
    DecodedObject decoded;
    if (kind == WatchKind::nodes) {
        auto node = decode_node_value(value);
        if (!node) return node.error();
        decoded.key = protocol::ObjectKey{node->name, node->uid, node->resource_version};
        decoded.object = *std::move(node);
        return decoded;
    }
    auto pod = decode_pod_value(value);
    if (!pod) return pod.error();
    if (pod->uid.empty()) return core::Error{"pod " + pod->name + " has no uid"};
    decoded.key =
        protocol::ObjectKey{pod->namespace_name + "/" + pod->name, pod->uid, pod->resource_version};
    decoded.annotation_bytes = annotation_bytes(value);
    decoded.object = *std::move(pod);
    return decoded;
}

core::Result<DecodedLine> decode_error(const rapidjson::Value& object) {
    DecodedLine line;
    Fields fields;
    line.type = LineType::error;
    line.trouble.status = static_cast<int>(fields.integer(object, "code"));
    line.trouble.reason = one_line(fields.text(object, "reason"), status_message_max);
    line.trouble.message = one_line(fields.text(object, "message"), status_message_max);
    line.trouble.version_too_large = has_cause(object, "ResourceVersionTooLarge");
    if (const auto* details = find_member(object, "details"); details != nullptr) {
        const std::int64_t seconds = fields.integer(*details, "retryAfterSeconds");
        if (seconds > 0 && seconds <= 3'600) line.trouble.retry_after_ms = seconds * 1'000;
    }
    // A Status without a code is still no object: status 0 would mean a lost connection.
    if (line.trouble.status == 0) line.trouble.status = 500;
    return line;
}

core::Result<DecodedLine> decode_bookmark(const rapidjson::Value& object) {
    DecodedLine line;
    line.type = LineType::bookmark;
    Fields fields;
    if (const auto* metadata = find_member(object, "metadata"); metadata != nullptr) {
        line.object.key.version = fields.text(*metadata, "resourceVersion");
    }
    if (line.object.key.version.empty()) return core::Error{"a bookmark without resourceVersion"};
    return line;
}

}  // namespace

core::Result<DecodedPage> decode_page(WatchKind kind, std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    Fields fields;
    const std::string found = document.IsObject() ? fields.text(document, "kind") : "";
    const std::string expected = std::string(kind_name(kind)) + "List";
    const auto* metadata = find_member(document, "metadata");
    const bool is_ours = found == expected && fields.text(document, "apiVersion") == "v1";
    if (!is_ours || metadata == nullptr) {
        return strange(("expected a " + expected + " of v1").c_str(), found);
    }
    DecodedPage page;
    page.version = fields.text(*metadata, "resourceVersion");
    page.continue_token = fields.text(*metadata, "continue");
    if (page.version.empty()) return core::Error{"a list without resourceVersion"};
    const auto items = fields.objects(document, "items");
    page.items.reserve(items.Size());
    for (const auto& item : items) {
        auto decoded = decode_object(kind, item);
        if (!decoded) return decoded.error();
        page.items.push_back(*std::move(decoded));
    }
    if (!fields.problem().empty()) return core::Error{fields.problem()};
    return page;
}

core::Result<DecodedLine> decode_watch_line(WatchKind kind, std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    Fields fields;
    const std::string type = document.IsObject() ? fields.text(document, "type") : "";
    const auto* object = find_member(document, "object");
    if (object == nullptr || !object->IsObject()) {
        return core::Error{"a watch event without an object"};
    }
    if (type == "ERROR") return decode_error(*object);
    const std::string found = fields.text(*object, "kind");
    if (found != kind_name(kind) || fields.text(*object, "apiVersion") != "v1") {
        return strange("expected a watch event of v1 objects", found);
    }
    if (type == "BOOKMARK") return decode_bookmark(*object);
    DecodedLine line;
    if (type == "ADDED") {
        line.event = protocol::WatchEventType::added;
    } else if (type == "MODIFIED") {
        line.event = protocol::WatchEventType::modified;
    } else if (type == "DELETED") {
        line.event = protocol::WatchEventType::deleted;
    } else {
        return core::Error{"a watch event of unknown type \"" + one_line(type, 64) + "\""};
    }
    auto decoded = decode_object(kind, *object);
    if (!decoded) return decoded.error();
    line.object = *std::move(decoded);
    return line;
}

}  // namespace k8s
