#include "k8s/codec/codec_manifest.hpp"

#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/json/json_fields.hpp"

#include <string>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

/// Adds one object that is no list.
core::Result<core::Done> add_object(const Value& object, Manifest& into) {
    Fields fields;
    const std::string kind = fields.text(object, "kind");
    if (kind.empty()) {
        return core::Error{"an object without kind: expected a Pod, a ConfigMap or a List of them"};
    }
    if (kind == "Pod") {
        auto pod = decode_pod_value(object);
        if (!pod) {
            return pod.error();
        }
        into.pods.push_back(*std::move(pod));
    } else if (kind == "ConfigMap") {
        auto config_map = decode_config_map_value(object);
        if (!config_map) {
            return config_map.error();
        }
        into.config_maps.push_back(*std::move(config_map));
    } else {
        ++into.others;
    }
    return core::Done{};
}

/// An array's elements, a List's items (whose elements are no lists again), or the object itself.
core::Result<core::Done> add_all(const Value& root, Manifest& into) {
    const Value* items = root.IsArray() ? &root : find_member(root, "items");
    if (items == nullptr) {
        return add_object(root, into);
    }
    if (!items->IsArray()) {
        return core::Error{"items: expected an array"};
    }
    for (const Value& item : items->GetArray()) {
        if (const auto added = add_object(item, into); !added) {
            return added;
        }
    }
    return core::Done{};
}

}  // namespace

core::Result<Manifest> decode_manifest(std::string_view json) {
    if (json.size() > manifest_max) {
        return core::Error{"more than " + std::to_string(manifest_max) + " bytes"};
    }
    std::string text(json);
    rapidjson::Document document;
    Manifest manifest;
    if (const auto parsed = parse_in_place(text, document); !parsed) {
        return parsed.error();
    }
    if (const auto added = add_all(document, manifest); !added) {
        return added.error();
    }
    return manifest;
}

}  // namespace k8s
