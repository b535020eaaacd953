#include "k8s/codec/volume/codec_csi_node.hpp"

#include "k8s/codec/list_page.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

/// A driver that says no count has no limit.
core::NodeVolumeLimits read_csi_node(Fields& fields, const Value& object) {
    core::NodeVolumeLimits node;
    if (const Value* metadata = fields.object(object, "metadata")) {
        node.node = fields.text(*metadata, "name");
    }
    const Value* spec = fields.object(object, "spec");
    if (spec == nullptr) return node;
    for (const Value& driver : fields.objects(*spec, "drivers")) {
        const Value* allocatable = fields.object(driver, "allocatable");
        if (allocatable == nullptr || find_member(*allocatable, "count") == nullptr) continue;
        const std::int64_t count = fields.integer(*allocatable, "count");
        node.limits.push_back(
            {fields.text(driver, "name"), std::max<std::int64_t>(count, 0)});
    }
    // Of one that is said twice the least counts.
    std::sort(node.limits.begin(), node.limits.end());
    const auto is_same = [](const auto& a, const auto& b) { return a.driver == b.driver; };
    node.limits.erase(
        std::unique(node.limits.begin(), node.limits.end(), is_same), node.limits.end());
    return node;
}

core::Result<core::Done> parse_csi(std::string& json, rapidjson::Document& into) {
    auto parsed = parse_in_place(json, into);
    if (parsed && !into.IsObject()) return core::Error{"CSINode: expected an object"};
    return parsed;
}

}  // namespace

core::Result<CsiNodePage> decode_csi_nodes(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_csi(json, document); !parsed) return parsed.error();
    Fields fields;
    CsiNodePage page;
    for (const Value& item : fields.objects(document, "items")) {
        core::NodeVolumeLimits node = read_csi_node(fields, item);
        if (!node.limits.empty()) page.nodes.push_back(std::move(node));
    }
    return finish_page(fields, document, "CSINodes", std::move(page));
}

core::Result<CsiNodeLine> decode_csi_node_line(std::string text) {
    rapidjson::Document document;
    if (auto parsed = parse_csi(text, document); !parsed) return parsed.error();
    Fields fields;
    const auto read = read_watch_line(fields, document, "CSINode");
    if (!read) return read.error();
    CsiNodeLine line{read->type, {}, {}};
    if (line.type == CsiNodeLine::Type::error) {
        line.message = fields.text(*read->object, "message");
        return line;
    }
    if (line.type == CsiNodeLine::Type::bookmark) return line;
    line.node = read_csi_node(fields, *read->object);
    if (line.type == CsiNodeLine::Type::gone) line.node.limits.clear();
    if (!fields.problem().empty()) return core::Error{"CSINode: " + fields.problem()};
    return line;
}

}  // namespace k8s
