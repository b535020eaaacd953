#include "k8s/codec/codec_watch.hpp"

#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/json/json_fields.hpp"
#include "k8s/json/json_filter.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace k8s {
namespace {

const char* kind_name(WatchKind kind) {
    return kind == WatchKind::pods ? "Pod" : "Node";
}

const Shape& line_shape(WatchKind kind, Images images) {
    if (images == Images::kept) {
        return kind == WatchKind::pods ? pod_line_shape_with_images : node_line_shape_with_images;
    }
    return kind == WatchKind::pods ? pod_line_shape : node_line_shape;
}

const Shape& object_shape(WatchKind kind, Images images) {
    if (images == Images::kept) {
        return kind == WatchKind::pods ? pod_shape_with_images : node_shape_with_images;
    }
    return kind == WatchKind::pods ? pod_shape : node_shape;
}

core::Error strange(const char* what, std::string_view found) {
    return core::Error{
        std::string(what) + ", got kind \"" + one_line(std::string(found), 64) + "\""};
}

/// As Fields::text(), without a copy.
std::string_view text_of(
    const rapidjson::Value& object, const char* name, std::string_view fallback = {}) {
    const auto* member = find_member(object, name);
    return member != nullptr && member->IsString() ? view(*member) : fallback;
}

LineHead read_error(const rapidjson::Value& object) {
    LineHead line;
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

core::Result<LineHead> read_bookmark(const JsonTape& tape, JsonTape::Place object) {
    LineHead line;
    line.type = LineType::bookmark;
    if (const auto metadata = tape.find(object, "metadata")) {
        line.version = tape.text_of(*metadata, "resourceVersion");
    }
    if (line.version.empty()) return core::Error{"a bookmark without resourceVersion"};
    return line;
}

core::Result<LineHead> read_type(std::string_view type) {
    LineHead line;
    if (type == "ADDED") {
        line.event = protocol::WatchEventType::added;
    } else if (type == "MODIFIED") {
        line.event = protocol::WatchEventType::modified;
    } else if (type == "DELETED") {
        line.event = protocol::WatchEventType::deleted;
    } else {
        return core::Error{
            "a watch event of unknown type \"" + one_line(std::string(type), 64) + "\""};
    }
    return line;
}

DecodedObject decoded_object(const WatchDecoder& decoder, WatchDecoder::Object object) {
    const protocol::ObjectView key = decoder.key();
    return DecodedObject{
        {std::string(key.name), std::string(key.uid), std::string(key.version)},
        std::move(object),
        decoder.annotation_bytes()};
}

}  // namespace

struct WatchDecoder::Json {
    explicit Json(std::uint64_t seed) : parser(seed) {}

    FilteredParser parser;
    std::optional<JsonTape::Place> object;  ///< the current one
    bool has_items = false;                 ///< a page whose items have not been visited

    /// The same in the document.
    const rapidjson::Value& value() const {
        const rapidjson::Value& root = parser.root();
        return *object == JsonTape::root ? root : *find_member(root, "object");
    }
};

WatchDecoder::WatchDecoder(WatchKind kind, std::uint64_t seed, Images images)
    : kind_(kind), images_(images), json_(std::make_unique<Json>(seed)) {}

WatchDecoder::~WatchDecoder() = default;

core::Result<LineHead> WatchDecoder::read_line(std::string_view line) {
    json_->object.reset();
    const Shape& shape = line_shape(kind_, images_);
    if (auto parsed = json_->parser.parse(line, shape); !parsed) return parsed.error();
    const JsonTape& tape = json_->parser.tape();
    const auto object = tape.find(JsonTape::root, "object");
    if (!object || !tape.is_object(*object)) {
        return core::Error{"a watch event without an object"};
    }
    const std::string_view type = tape.text_of(JsonTape::root, "type");
    if (type == "ERROR") return read_error(*find_member(json_->parser.root(), "object"));
    const std::string_view found = tape.text_of(*object, "kind");
    if (found != kind_name(kind_) || tape.text_of(*object, "apiVersion") != "v1") {
        return strange("expected a watch event of v1 objects", found);
    }
    if (type == "BOOKMARK") return read_bookmark(tape, *object);
    json_->object = object;
    find_key();
    return read_type(type);
}

core::Result<PageHead> WatchDecoder::read_page(std::string json) {
    page_ = std::move(json);
    json_->object.reset();
    json_->has_items = false;
    if (auto parsed = json_->parser.parse_head(page_, list_head_shape); !parsed) {
        return parsed.error();
    }
    const rapidjson::Value& root = json_->parser.root();
    const std::string_view found = text_of(root, "kind");
    const std::string expected = std::string(kind_name(kind_)) + "List";
    const auto* metadata = find_member(root, "metadata");
    const bool is_ours = found == expected && text_of(root, "apiVersion") == "v1";
    if (!is_ours || metadata == nullptr) {
        return strange(("expected a " + expected + " of v1").c_str(), found);
    }
    Fields fields;
    PageHead head;
    head.version = fields.text(*metadata, "resourceVersion");
    head.continue_token = fields.text(*metadata, "continue");
    head.bytes = page_.size();
    if (head.version.empty()) return core::Error{"a list without resourceVersion"};
    if (find_member(root, "items") != nullptr) fields.wrong("items", "an array of objects");
    if (!fields.problem().empty()) return core::Error{fields.problem()};
    json_->has_items = json_->parser.late() != nullptr;
    return head;
}

core::Result<core::Done> WatchDecoder::for_each_item(
    const std::function<core::Result<core::Done>()>& visit) {
    const Shape& shape = object_shape(kind_, images_);
    const auto visit_item = [&] {
        json_->object = JsonTape::root;
        find_key();
        return visit();
    };
    core::Result<core::Done> done = core::Done{};
    if (std::exchange(json_->has_items, false)) {
        done = json_->parser.for_each_object(page_, shape, visit_item);
    }
    json_->object.reset();
    std::string().swap(page_);
    return done;
}

/// What object() would find, with views of it.
void WatchDecoder::find_key() {
    key_ = protocol::ObjectView();
    const JsonTape& tape = json_->parser.tape();
    const auto metadata = tape.find(*json_->object, "metadata");
    if (!metadata) return;
    key_.uid = tape.text_of(*metadata, "uid");
    key_.version = tape.text_of(*metadata, "resourceVersion");
    key_.name = tape.text_of(*metadata, "name");
    key_.fingerprint = json_->parser.fingerprint();
    if (kind_ == WatchKind::nodes) return;
    name_ = tape.text_of(*metadata, "namespace", "default");
    name_ += '/';
    name_ += key_.name;
    key_.name = name_;
}

std::size_t WatchDecoder::annotation_bytes() const {
    return kind_ == WatchKind::pods ? json_->parser.annotation_bytes() : 0;
}

core::Result<WatchDecoder::Object> WatchDecoder::object() const {
    ENSURE(json_->object.has_value());
    if (kind_ == WatchKind::nodes) {
        auto node = decode_node_value(json_->value());
        if (!node) return node.error();
        if (images_ == Images::kept && !node->images) node->images.emplace();  // it has none
        return Object(*std::move(node));
    }
    auto pod = decode_pod_value(json_->value());
    if (!pod) return pod.error();
    if (pod->uid.empty()) return core::Error{"pod " + pod->name + " has no uid"};
    return Object(*std::move(pod));
}

core::Result<DecodedPage> decode_page(WatchKind kind, std::string json) {
    WatchDecoder decoder(kind, 0);
    auto head = decoder.read_page(std::move(json));
    if (!head) return head.error();
    DecodedPage page{std::move(head->version), std::move(head->continue_token), {}};
    const auto read = decoder.for_each_item([&]() -> core::Result<core::Done> {
        auto object = decoder.object();
        if (!object) return object.error();
        page.items.push_back(decoded_object(decoder, *std::move(object)));
        return core::Done{};
    });
    if (!read) return read.error();
    return page;
}

core::Result<DecodedLine> decode_watch_line(WatchKind kind, std::string json) {
    WatchDecoder decoder(kind, 0);
    auto head = decoder.read_line(json);
    if (!head) return head.error();
    DecodedLine line;
    line.type = head->type;
    line.event = head->event;
    line.trouble = std::move(head->trouble);
    line.object.key.version = std::move(head->version);
    if (line.type != LineType::object) return line;
    auto object = decoder.object();
    if (!object) return object.error();
    line.object = decoded_object(decoder, *std::move(object));
    return line;
}

}  // namespace k8s
