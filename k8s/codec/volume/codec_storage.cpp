#include "k8s/codec/volume/codec_storage.hpp"

#include "core/value/quantity.hpp"
#include "k8s/codec/list_page.hpp"
#include "k8s/codec/pod/pod_rules.hpp"
#include "k8s/json/json_fields.hpp"

#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

core::Result<core::Done> parse_storage(std::string& json, rapidjson::Document& into) {
    auto parsed = parse_in_place(json, into);
    if (parsed && !into.IsObject()) return core::Error{"storage: expected an object"};
    return parsed;
}

/// The largest volume counts where it is said, else all that is left.
core::StorageSegment read_segment(Fields& fields, const Value& object) {
    core::StorageSegment segment;
    if (const Value* metadata = fields.object(object, "metadata")) {
        segment.name = fields.text(*metadata, "namespace") + "/" + fields.text(*metadata, "name");
    }
    segment.storage_class = fields.text(object, "storageClassName");
    if (fields.object(object, "nodeTopology") != nullptr) {
        segment.nodes = decode_selector(fields, object, "nodeTopology");
    }
    for (const char* name : {"maximumVolumeSize", "capacity"}) {
        if (find_member(object, name) == nullptr) continue;
        const auto bytes = core::parse_whole(fields.text(object, name));
        if (bytes) {
            segment.bytes = *bytes;
        } else {
            segment.nodes = {};
        }
        break;
    }
    return segment;
}

}  // namespace

core::Result<bool> decode_counts_storage(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_storage(json, document); !parsed) return parsed.error();
    Fields fields;
    const Value* spec = fields.object(document, "spec");
    const bool counts = spec != nullptr && fields.flag(*spec, "storageCapacity");
    if (!fields.problem().empty()) return core::Error{"CSIDriver: " + fields.problem()};
    return counts;
}

core::Result<StoragePage> decode_storage(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_storage(json, document); !parsed) return parsed.error();
    Fields fields;
    StoragePage page;
    for (const Value& item : fields.objects(document, "items")) {
        Fields own;
        core::StorageSegment segment = read_segment(own, item);
        if (own.problem().empty() && segment.nodes.is_set) {
            page.segments.push_back(std::move(segment));
        }
    }
    return finish_page(fields, document, "CSIStorageCapacities", std::move(page));
}

core::Result<StorageLine> decode_storage_line(std::string text) {
    rapidjson::Document document;
    if (auto parsed = parse_storage(text, document); !parsed) return parsed.error();
    Fields fields;
    const auto read = read_watch_line(fields, document, "CSIStorageCapacity");
    if (!read) return read.error();
    StorageLine line{read->type, {}};
    if (line.type == StorageLine::Type::error || line.type == StorageLine::Type::bookmark) {
        return line;
    }
    Fields own;
    line.segment = read_segment(own, *read->object);
    if (line.type == StorageLine::Type::gone || !own.problem().empty()) line.segment.nodes = {};
    return line;
}

}  // namespace k8s
