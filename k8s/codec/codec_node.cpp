#include "k8s/codec/codec_node.hpp"

#include "core/value/device/card_dialect.hpp"
#include "core/value/quantity.hpp"
#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/json/json_fields.hpp"
#include "k8s/json/json_filter.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

std::string quantity_text(const Value& value) {
    if (value.IsString()) {
        return std::string(view(value));
    }
    return value.IsInt64() ? std::to_string(value.GetInt64()) : std::string();
}

/// What cannot be read, or is negative, is not offered: fewer pods come, and none is refused.
void decode_allocatable(Fields& fields, const Value& status, core::Node& node) {
    const Value* allocatable = fields.object(status, "allocatable");
    if (allocatable == nullptr) {
        return;
    }
    for (const auto& member : allocatable->GetObject()) {
        const std::string text = quantity_text(member.value);
        if (view(member.name) == "pods") {
            const auto pods = core::parse_whole(text);
            node.pods = pods && *pods > 0 ? *pods : 0;
            continue;
        }
        core::Resources with = node.allocatable;
        if (core::set_resource(with, view(member.name), text)) {
            node.allocatable = std::move(with);
        }
    }
}

/// Not set if they were not read.
void decode_images(Fields& fields, const Value& status, core::Node& node) {
    if (find_member(status, "images") == nullptr) {
        return;
    }
    core::NodeImages images;
    for (const Value& image : fields.objects(status, "images")) {
        const std::int64_t bytes = std::max<std::int64_t>(fields.integer(image, "sizeBytes"), 0);
        for (std::string& name : fields.texts(image, "names")) {
            images.push_back({std::move(name), bytes});
        }
    }
    core::sort_by_name(images);
    node.images = std::move(images);
}

void decode_status(Fields& fields, const Value& status, core::Node& node) {
    decode_images(fields, status, node);
    decode_allocatable(fields, status, node);
    for (const Value& condition : fields.objects(status, "conditions")) {
        if (fields.text_view(condition, "type") == "Ready") {
            node.ready = fields.text_view(condition, "status") == "True";
        }
    }
}

void decode_spec(Fields& fields, const Value& spec, core::Node& node) {
    node.unschedulable = fields.flag(spec, "unschedulable");
    for (const Value& taint : fields.objects(spec, "taints")) {
        // An effect of a later Kubernetes keeps pods away rather than letting them in.
        const auto effect = parse_effect(fields.text_view(taint, "effect"));
        node.taints.push_back(
            {fields.text(taint, "key"),
             fields.text(taint, "value"),
             effect.value_or(core::TaintEffect::no_schedule)});
    }
}

}  // namespace

core::Result<core::Node> decode_node_value(const Value& object) {
    const Value* metadata = find_member(object, "metadata");
    Fields fields;
    core::Node node;
    node.name = metadata ? fields.text(*metadata, "name") : std::string();
    if (node.name.empty()) {
        return core::Error{"this is not a node: it has no metadata.name"};
    }
    node.uid = fields.text(*metadata, "uid");
    node.resource_version = fields.text(*metadata, "resourceVersion");
    node.labels = fields.map(*metadata, "labels");
    if (const Value* spec = fields.object(object, "spec")) {
        decode_spec(fields, *spec, node);
    }
    if (const Value* status = fields.object(object, "status")) {
        decode_status(fields, *status, node);
    }
    if (auto cards = core::read_node_cards(
            fields.map(*metadata, "annotations", core::is_card_annotation), node.allocatable)) {
        node.cards = *std::move(cards);
    }
    if (!fields.problem().empty()) {
        return core::Error{"node " + node.name + ": " + fields.problem()};
    }
    return node;
}

core::Result<core::Node> decode_node(std::string_view json) {
    FilteredParser parser(0);
    const auto parsed = parser.parse(json, node_shape);
    return parsed ? decode_node_value(parser.root()) : core::Result<core::Node>(parsed.error());
}

}  // namespace k8s
