#pragma once
// The codecs as they were before anything was passed over while parsing: the whole text becomes a
// document, and the same decoders read that. Slow and plain, to compare with.

#include "k8s/codec/codec_watch.hpp"
#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/json/json_fields.hpp"

#include <optional>
#include <string>
#include <utility>

namespace oracle {

inline bool parse(std::string& text, rapidjson::Document& into) {
    if (text.find('\0') != std::string::npos) return false;
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                               rapidjson::kParseValidateEncodingFlag;
    into.ParseInsitu<flags>(text.data());
    return !into.HasParseError();
}

template <typename Visit>
void for_each_member(rapidjson::Value& object, const char* name, const Visit& visit) {
    if (!object.IsObject()) return;
    for (auto& member : object.GetObject()) {
        if (member.name == name) visit(member.value);
    }
}

inline void erase_all(rapidjson::Value& object, const char* name) {
    while (object.IsObject() && object.EraseMember(name)) {
    }
}

/// Images are read only where a profile asks for them, and not by the filters that are compared.
inline void drop_images(rapidjson::Value& object) {
    for_each_member(object, "spec", [](rapidjson::Value& spec) {
        for (const char* list : {"containers", "initContainers"}) {
            for_each_member(spec, list, [](rapidjson::Value& containers) {
                if (!containers.IsArray()) return;
                for (auto& container : containers.GetArray()) erase_all(container, "image");
            });
        }
    });
    for_each_member(
        object, "status", [](rapidjson::Value& status) { erase_all(status, "images"); });
}

inline std::optional<core::Result<core::Pod>> decode_pod(std::string text) {
    rapidjson::Document document;
    if (!parse(text, document)) return std::nullopt;
    drop_images(document);
    return k8s::decode_pod_value(document);
}

inline std::optional<core::Result<core::Node>> decode_node(std::string text) {
    rapidjson::Document document;
    if (!parse(text, document)) return std::nullopt;
    drop_images(document);
    return k8s::decode_node_value(document);
}

inline std::size_t annotation_bytes(const rapidjson::Value& object) {
    const auto* metadata = k8s::find_member(object, "metadata");
    if (metadata == nullptr) return 0;
    const auto* annotations = k8s::find_member(*metadata, "annotations");
    if (annotations == nullptr || !annotations->IsObject()) return 0;
    std::size_t bytes = 0;
    for (const auto& member : annotations->GetObject()) {
        bytes += member.name.GetStringLength();
        if (member.value.IsString()) bytes += member.value.GetStringLength();
    }
    return bytes;
}

inline core::Result<k8s::DecodedObject> decode_object(
    k8s::WatchKind kind, const rapidjson::Value& value) {
    if (kind == k8s::WatchKind::nodes) {
        auto node = k8s::decode_node_value(value);
        if (!node) return node.error();
        return k8s::DecodedObject{{node->name, node->uid, node->resource_version}, *node, 0};
    }
    auto pod = k8s::decode_pod_value(value);
    if (!pod) return pod.error();
    if (pod->uid.empty()) return core::Error{"pod " + pod->name + " has no uid"};
    return k8s::DecodedObject{
        {pod->namespace_name + "/" + pod->name, pod->uid, pod->resource_version},
        *pod,
        annotation_bytes(value)};
}

/// Of a line that is an object of this kind; nothing: it is not JSON.
inline std::optional<core::Result<k8s::DecodedObject>> decode_line(
    k8s::WatchKind kind, std::string text) {
    rapidjson::Document document;
    if (!parse(text, document)) return std::nullopt;
    for_each_member(document, "object", drop_images);
    const auto* object = k8s::find_member(document, "object");
    if (object == nullptr) return core::Result<k8s::DecodedObject>(core::Error{"no object"});
    return decode_object(kind, *object);
}

/// The items of a list; nothing: it is not JSON, or one of them is no object.
inline std::optional<std::vector<k8s::DecodedObject>> decode_items(
    k8s::WatchKind kind, std::string text) {
    rapidjson::Document document;
    if (!parse(text, document)) return std::nullopt;
    for_each_member(document, "items", [](rapidjson::Value& items) {
        if (!items.IsArray()) return;
        for (auto& item : items.GetArray()) drop_images(item);
    });
    k8s::Fields fields;
    std::vector<k8s::DecodedObject> items;
    for (const auto& item : fields.objects(document, "items")) {
        auto decoded = decode_object(kind, item);
        if (!decoded) return std::nullopt;
        items.push_back(*std::move(decoded));
    }
    if (!fields.problem().empty()) return std::nullopt;
    return items;
}

}  // namespace oracle
