#include "k8s/codec/queue/codec_queue_object.hpp"

#include "core/value/quantity.hpp"
#include "k8s/codec/list_page.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

/// Whole numbers need no quotes in these objects.
std::string quantity_text(const Value& value) {
    if (value.IsString()) return std::string(view(value));
    return value.IsInt64() ? std::to_string(value.GetInt64()) : std::string();
}

std::vector<core::ExtendedResource> read_amounts(
    Fields& fields, const Value& object, const char* name) {
    std::vector<core::ExtendedResource> amounts;
    const Value* const map = fields.object(object, name);
    if (map == nullptr) return amounts;
    for (const auto& member : map->GetObject()) {
        const std::string resource(view(member.name));
        const std::string text = quantity_text(member.value);
        const auto amount = resource == "cpu" ? core::parse_milli(text) : core::parse_whole(text);
        if (!amount || *amount < 0) {
            fields.wrong(std::string(name) + "." + resource, "a quantity that is not negative");
            continue;
        }
        amounts.push_back({resource, *amount});
    }
    std::sort(amounts.begin(), amounts.end());
    return amounts;
}

bool read_state(Fields& fields, const Value& object) {
    for (const char* part : {"spec", "status"}) {
        const Value* const said = fields.object(object, part);
        const std::string state = said == nullptr ? std::string() : fields.text(*said, "state");
        if (state == "Closed" || state == "Closing") return true;
    }
    return false;
}

core::QueueObject read_queue_object(const Value& object) {
    Fields fields;
    core::QueueObject queue;
    if (const Value* const metadata = fields.object(object, "metadata")) {
        queue.name = fields.text(*metadata, "name");
    }
    queue.is_closed = read_state(fields, object);
    if (const Value* const spec = fields.object(object, "spec")) {
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
    return queue;
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
    if (line.type != QueueObjectLine::Type::bookmark) line.queue = read_queue_object(*read->object);
    return line;
}

}  // namespace k8s
