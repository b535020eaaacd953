#include "k8s/codec/watch_line.hpp"

namespace k8s {
namespace {

WatchLineType type_of(const std::string& word) {
    if (word == "ERROR") return WatchLineType::error;
    if (word == "BOOKMARK") return WatchLineType::bookmark;
    return word == "DELETED" ? WatchLineType::gone : WatchLineType::changed;
}

}  // namespace

core::Result<WatchLine> read_watch_line(
    Fields& fields, const rapidjson::Value& document, const char* kind) {
    WatchLine line;
    line.type = type_of(fields.text(document, "type"));
    line.object = fields.object(document, "object");
    if (line.object == nullptr) {
        return core::Error{std::string(kind) + ": a watch event without an object"};
    }
    return line;
}

}  // namespace k8s
