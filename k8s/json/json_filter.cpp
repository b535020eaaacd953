#include "k8s/json/json_filter.hpp"

#include "k8s/json/json_memory.hpp"
#include "k8s/json/json_walker.hpp"

#include <algorithm>

namespace k8s {

FilteredParser::FilteredParser(std::uint64_t fingerprint_seed)
    : memory_(std::make_unique<JsonMemory>()), fingerprint_(fingerprint_seed) {}

FilteredParser::~FilteredParser() = default;

void FilteredParser::clear() {
    memory_->clear();
    fingerprint_.clear();
    annotation_bytes_ = 0;
    root_late_ = nullptr;
    head_ = nullptr;
}

void FilteredParser::take_root(const JsonWalker& walker) {
    annotation_bytes_ = walker.annotation_bytes();
    root_late_ = walker.late();
}

core::Result<core::Done> FilteredParser::parse(std::string_view text, const Shape& shape) {
    clear();
    JsonWalker walker(*memory_, fingerprint_, text, text.data());
    if (!walker.read_root(shape) || !walker.ends_here()) return walker.problem();
    take_root(walker);
    return core::Done{};
}

core::Result<core::Done> FilteredParser::parse_head(std::string_view text, const Shape& shape) {
    clear();
    JsonWalker walker(*memory_, fingerprint_, text, text.data());
    if (!walker.read_head(shape)) return walker.problem();
    take_root(walker);
    if (walker.has_stopped()) head_ = &shape;
    return core::Done{};
}

core::Result<core::Done> FilteredParser::for_each_object(
    std::string_view text,
    const Shape& element,
    const std::function<core::Result<core::Done>()>& visit) {
    ENSURE(root_late_ != nullptr);
    const Shape* head = head_;
    JsonWalker walker(*memory_, fingerprint_, text, root_late_);
    walker.open_array();
    for (std::size_t count = 0;; ++count) {
        const auto is_there = walker.next_element(count);
        if (!is_there) return walker.problem();
        clear();
        if (!*is_there) break;
        if (!walker.is_at_object()) return core::Error{"items: expected an array of objects"};
        if (!walker.read_root(element)) return walker.problem();
        take_root(walker);
        if (auto visited = visit(); !visited) return visited;
    }
    if (!walker.close_array(head)) return walker.problem();
    return core::Done{};
}

const JsonTape& FilteredParser::tape() const {
    return memory_->tape;
}

const rapidjson::Value& FilteredParser::root() const {
    if (!memory_->is_made) {
        const auto tell = [this](JsonDocument& document) { return memory_->tape.tell(document); };
        memory_->document.Populate(tell);
        memory_->is_made = true;
    }
    return memory_->document;
}

std::uint64_t FilteredParser::fingerprint() const {
    return std::max<std::uint64_t>(fingerprint_.value(), 1);
}

}  // namespace k8s
