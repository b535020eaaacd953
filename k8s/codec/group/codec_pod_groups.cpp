#include "k8s/codec/group/codec_pod_groups.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/group/read_pod_group.hpp"
#include "k8s/codec/list_page.hpp"

#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

SeenPodGroup read_seen(const Value& object) {
    Fields fields;
    SeenPodGroup seen;
    if (const Value* const metadata = fields.object(object, "metadata")) {
        constexpr std::int64_t second_ms = 1'000;
        seen.namespace_name = fields.text(*metadata, "namespace");
        seen.name = fields.text(*metadata, "name");
        seen.resource_version = fields.text(*metadata, "resourceVersion");
        seen.created =
            parse_time(fields.text(*metadata, "creationTimestamp")).value_or(0) / second_ms;
    }
    auto read = read_pod_group(core::GroupDialect::volcano, volcano_version, object);
    if (read) {
        seen.object = *std::move(read);
    } else {
        seen.object.group.problem = read.error().message;
    }
    return seen;
}

core::Result<core::Done> parse_groups(std::string& json, rapidjson::Document& into) {
    auto parsed = parse_in_place(json, into);
    if (parsed && !into.IsObject()) return core::Error{"PodGroups: expected an object"};
    return parsed;
}

}  // namespace

core::Result<PodGroupPage> decode_pod_groups(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_groups(json, document); !parsed) return parsed.error();
    Fields fields;
    PodGroupPage page;
    for (const Value& item : fields.objects(document, "items")) {
        page.groups.push_back(read_seen(item));
    }
    return finish_page(fields, document, "PodGroups", std::move(page));
}

core::Result<PodGroupLine> decode_pod_group_line(std::string text) {
    rapidjson::Document document;
    if (auto parsed = parse_groups(text, document); !parsed) return parsed.error();
    Fields fields;
    const auto read = read_watch_line(fields, document, "PodGroup");
    if (!read) return read.error();
    PodGroupLine line{read->type, {}, {}};
    if (line.type == PodGroupLine::Type::error) {
        line.message = fields.text(*read->object, "message");
    } else if (line.type != PodGroupLine::Type::bookmark) {
        line.seen = read_seen(*read->object);
    }
    return line;
}

}  // namespace k8s
