#include "k8s/codec/queue/codec_queue_object.hpp"

#include "k8s/codec/list_page.hpp"
#include "k8s/codec/queue/codec_queue_status.hpp"
#include "k8s/codec/queue/read_amounts.hpp"
#include "k8s/json/json_fields.hpp"

#include <string>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

bool means_closed(const std::string& state) {
    return state == "Closed" || state == "Closing";
}

SeenQueueObject read_queue_object(const Value& object) {
    Fields fields;
    SeenQueueObject seen;
    core::QueueObject& queue = seen.queue;
    if (const Value* const metadata = fields.object(object, "metadata")) {
        queue.name = fields.text(*metadata, "name");
        seen.uid = fields.text(*metadata, "uid");
    }
    seen.status = decode_queue_status(object);
    queue.is_closed = means_closed(seen.status.state);
    if (const Value* const spec = fields.object(object, "spec")) {
        queue.is_closed = queue.is_closed || means_closed(fields.text(*spec, "state"));
        queue.weight = fields.integer(*spec, "weight", 1);
        queue.capability = read_amounts(fields, *spec, "capability");
        queue.deserved = read_amounts(fields, *spec, "deserved");
        if (const Value* const guarantee = fields.object(*spec, "guarantee")) {
            queue.guarantee = read_amounts(fields, *guarantee, "resource");
        }
        const bool is_said = find_member(*spec, "reclaimable") != nullptr;
        queue.is_reclaimable = !is_said || fields.flag(*spec, "reclaimable");
        queue.parent = fields.text(*spec, "parent");
    }
    queue.problem = fields.problem();
    return seen;
}

core::Result<core::Done> parse_queue(std::string& json, rapidjson::Document& into) {
    auto parsed = parse_in_place(json, into);
    if (parsed && !into.IsObject()) return core::Error{"Queue: expected an object"};
    return parsed;
}

}  // namespace

core::Result<QueueObjectPage> decode_queue_objects(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_queue(json, document); !parsed) return parsed.error();
    Fields fields;
    QueueObjectPage page;
    for (const Value& item : fields.objects(document, "items")) {
        page.queues.push_back(read_queue_object(item));
    }
    return finish_page(fields, document, "Queues", std::move(page));
}

core::Result<QueueObjectLine> decode_queue_object_line(std::string text) {
    rapidjson::Document document;
    if (auto parsed = parse_queue(text, document); !parsed) return parsed.error();
    Fields fields;
    const auto read = read_watch_line(fields, document, "Queue");
    if (!read) return read.error();
    QueueObjectLine line{read->type, {}, {}};
    if (line.type == QueueObjectLine::Type::error) {
        line.message = fields.text(*read->object, "message");
        return line;
    }
    if (line.type != QueueObjectLine::Type::bookmark) line.seen = read_queue_object(*read->object);
    return line;
}

}  // namespace k8s
