#include "k8s/json_filter.hpp"

#include "core/pod.hpp"
#include "k8s/json_cursor.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace k8s {
namespace {

constexpr std::size_t pool_bytes = 64 * 1024;
constexpr std::size_t stack_bytes = 16 * 1024;
constexpr std::size_t stack_bytes_kept = 1024 * 1024;

/// Tags of the fingerprint.
enum Tag : std::uint32_t { tag_text = 1, tag_late, tag_late_end };

/// RapidJSON's allocator for a stack: one block, kept from parse to parse.
class StackBlock {
public:
    void* Malloc(std::size_t bytes) { return Realloc(nullptr, 0, bytes); }
    void* Realloc(void*, std::size_t old_bytes, std::size_t bytes) {
        if (bytes > capacity_) {
            auto larger = std::make_unique_for_overwrite<char[]>(bytes);
            if (old_bytes > 0) std::memcpy(larger.get(), block_.get(), old_bytes);
            block_ = std::move(larger);
            capacity_ = bytes;
        }
        return block_.get();
    }
    static void Free(void*) {}
    void give_back_if_large() {
        if (capacity_ <= stack_bytes_kept) return;
        block_.reset();
        capacity_ = 0;
    }

private:
    std::unique_ptr<char[]> block_;
    std::size_t capacity_ = 0;
};

using Document =
    rapidjson::GenericDocument<rapidjson::UTF8<>, rapidjson::MemoryPoolAllocator<>, StackBlock>;

}  // namespace

struct FilteredParser::Memory {
    Memory()
        : buffer(std::make_unique_for_overwrite<char[]>(pool_bytes)),
          pool(buffer.get(), pool_bytes),
          document(&pool, stack_bytes, &stack) {}

    void clear() {
        document.SetNull();
        is_made = false;
        pool.Clear();
        stack.give_back_if_large();
        tape.clear();
        tape.give_back_if_large();
        scalars.give_back_if_large();
    }

    std::unique_ptr<char[]> buffer;
    StackBlock stack;
    rapidjson::MemoryPoolAllocator<> pool;
    Document document;
    bool is_made = false;  ///< the document, of the tape
    JsonTape tape;
    JsonScalarReader scalars;
};

/// Recursion is as deep as the shape is.
class FilteredParser::Walker {
public:
    Walker(FilteredParser& parser, std::string_view text, const char* at)
        : parser_(parser),
          tape_(parser.memory_->tape),
          cursor_(text, at, parser.memory_->scalars, parser.memory_->pool) {}

    bool read_root(const Shape& shape) {
        reset();
        cursor_.skip_space();
        return read_value(shape, nullptr) != Read::failed;
    }

    /// As read_root(), but up to the late array if nothing that matters can follow it.
    bool read_head(const Shape& shape) {
        stops_at_late_ = true;
        return read_root(shape) && (has_stopped_ ? !cursor_.has_nul() : cursor_.ends_here());
    }
    bool has_stopped() const { return has_stopped_; }
    bool ends_here() { return cursor_.ends_here(); }
    core::Error problem() const { return cursor_.problem(); }

    // The array of for_each_object() itself.

    void open_array() { cursor_.pass(); }

    /// The array's closing bracket, and if a head has not been read to its end, what comes behind.
    bool close_array(const Shape* head) {
        cursor_.pass();
        if (head == nullptr) return true;
        Frame frame{head};
        frame.late_seen = true;
        for (cursor_.skip_space(); cursor_.look() == ',';) {
            cursor_.pass();
            if (!read_member(frame)) return false;
        }
        if (cursor_.look() != '}') return cursor_.fail("expected a comma or }");
        cursor_.pass();
        return cursor_.ends_here();
    }

    /// Whether there is one more element, after `count` of them; nothing: what is there is neither
    /// an element nor the end.
    std::optional<bool> next_element(std::size_t count) {
        cursor_.skip_space();
        const char c = cursor_.look();
        if (c == ']') return false;
        if (count > 0) {
            if (c != ',') {
                cursor_.fail("expected a comma or ]");
                return std::nullopt;
            }
            cursor_.pass();
            cursor_.skip_space();
        }
        return true;
    }
    bool is_at_object() const { return cursor_.look() == '{'; }

private:
    enum class Read : std::uint8_t { failed, kept, cut };

    /// An object or array that is open.
    struct Frame {
        const Shape* shape = nullptr;
        Frame* parent = nullptr;
        std::uint64_t count = 0;     ///< members or elements kept
        bool late_seen = false;      ///< its late member was there: another one does not count
        bool has_driver = false;     ///< of a container or its spec
        const char* late = nullptr;  ///< where its late array begins
        const ShapeMember* late_member = nullptr;
    };

    static constexpr Shape map_value{};

    void reset() {
        kept_from_ = nullptr;
        metadata_seen_ = in_first_metadata_ = annotations_seen_ = counting_ = false;
    }

    // The fingerprint: of the texts of all that is kept, piece by piece. With their lengths, and
    // each beginning and ending where something was cut out, they leave only one way to read them.

    void hash_up_to(const char* end) {
        if (end > kept_from_) {
            parser_.fingerprint_.add(
                tag_text, {kept_from_, static_cast<std::size_t>(end - kept_from_)});
        }
    }

    /// What is between is not part of it.
    void cut(const char* begin, const char* end) {
        if (kept_from_ == nullptr) return;
        hash_up_to(begin);
        kept_from_ = end;
    }

    // Values

    bool skip_value(const Frame& frame) {
        const char c = cursor_.look();
        if (c == '{' || c == '[') return cursor_.skip_nested();
        if (c != '"') return cursor_.read_other().has_value();
        const auto text = cursor_.read_string(false);
        if (text && counts_bytes(frame)) parser_.annotation_bytes_ += text->size();
        return text.has_value();
    }

    Read read_value(const Shape& shape, Frame* frame) {
        switch (cursor_.look()) {
            case '"':
                return read_text(shape, frame);
            case '{':
                return read_object_place(shape, frame);
            case '[':
                return read_array_place(shape, frame);
            default:
                break;
        }
        const auto scalar = cursor_.read_other();
        if (!scalar) return Read::failed;
        tape_.add(scalar->kind, scalar->bits);
        return Read::kept;
    }

    Read read_text(const Shape& shape, Frame* frame) {
        const char* open = cursor_.at();
        const auto text = cursor_.read_string(true);
        if (!text) return Read::failed;
        if (frame != nullptr && counts_bytes(*frame)) parser_.annotation_bytes_ += text->size();
        tape_.add(JsonKind::text, *text);
        if (shape.role == ShapeRole::version) cut(open, cursor_.at());
        return Read::kept;
    }

    Read read_object_place(const Shape& shape, Frame* frame) {
        if (is_other_condition(shape)) return cursor_.skip_nested() ? Read::cut : Read::failed;
        if (shape.kind == ShapeKind::object || shape.kind == ShapeKind::map) {
            return read_object(shape, frame) ? Read::kept : Read::failed;
        }
        return read_emptied(JsonKind::object);
    }

    Read read_array_place(const Shape& shape, Frame* frame) {
        if (shape.role == ShapeRole::late && !reading_late_) {
            frame->late = cursor_.at();
            has_stopped_ = stops_at_late_ && has_all_but_late(*frame);
            if (has_stopped_) return Read::cut;
            return cursor_.skip_nested() ? Read::cut : Read::failed;
        }
        if (shape.kind == ShapeKind::array && !is_other_command(shape, frame)) {
            return read_array(shape, frame) ? Read::kept : Read::failed;
        }
        return read_emptied(JsonKind::array);
    }

    /// Its brackets stay.
    Read read_emptied(JsonKind kind) {
        const char* open = cursor_.at();
        if (!cursor_.skip_nested()) return Read::failed;
        const JsonTape::Place place = tape_.size();
        tape_.add(kind);
        tape_.close(place, 0);
        cut(open + 1, cursor_.at() - 1);
        return Read::kept;
    }

    bool read_object(const Shape& shape, Frame* parent) {
        Frame frame{&shape, parent};
        const JsonTape::Place place = tape_.size();
        tape_.add(JsonKind::object);
        cursor_.pass();
        if (shape.role == ShapeRole::contents) kept_from_ = cursor_.at();
        cursor_.skip_space();
        if (cursor_.look() != '}') {
            for (;; cursor_.pass()) {
                if (!read_member(frame)) return false;
                if (cursor_.look() != ',' || has_stopped_) break;
            }
            if (cursor_.look() != '}' && !has_stopped_)
                return cursor_.fail("expected a comma or }");
        }
        if (frame.has_driver && frame.late != nullptr && !read_late(frame)) return false;
        if (shape.role == ShapeRole::container && frame.has_driver) {
            parent->parent->has_driver = true;  // the spec, above the array
        }
        if (parent == nullptr) parser_.root_late_ = frame.late;
        if (shape.role == ShapeRole::contents) {
            if (kept_from_ != nullptr) hash_up_to(cursor_.at());
            kept_from_ = nullptr;
        }
        tape_.close(place, frame.count);
        cursor_.pass();
        return true;
    }

    /// From its key to what follows its value.
    bool read_member(Frame& frame) {
        cursor_.skip_space();
        const char* begin = cursor_.at();
        if (cursor_.look() != '"') return cursor_.fail("expected the name of a member");
        const auto key = cursor_.read_string(true);
        if (!key) return false;
        const Shape* shape = member_shape(frame, *key);
        if (!cursor_.take_colon()) return false;
        Read read = Read::cut;
        if (shape != nullptr) {
            const JsonTape::Place before = tape_.size();
            tape_.add(JsonKind::key, *key);
            read = read_value(*shape, &frame);
            if (read == Read::cut) tape_.cut(before);
            frame.count += read == Read::kept ? 1 : 0;
        } else if (!skip_value(frame)) {
            read = Read::failed;
        }
        if (read == Read::failed) return false;
        end_of_value(begin, read == Read::cut || is_unhashed(frame, *key));
        return true;
    }

    bool read_array(const Shape& shape, Frame* parent) {
        Frame frame{&shape, parent};
        const JsonTape::Place place = tape_.size();
        tape_.add(JsonKind::array);
        cursor_.pass();
        cursor_.skip_space();
        if (cursor_.look() != ']') {
            for (;; cursor_.pass()) {
                if (!read_element(frame)) return false;
                if (cursor_.look() != ',') break;
            }
            if (cursor_.look() != ']') return cursor_.fail("expected a comma or ]");
        }
        tape_.close(place, frame.count);
        cursor_.pass();
        return true;
    }

    bool read_element(Frame& frame) {
        cursor_.skip_space();
        const char* begin = cursor_.at();
        const Read read = read_value(*frame.shape->element, &frame);
        if (read == Read::failed) return false;
        frame.count += read == Read::kept ? 1 : 0;
        end_of_value(begin, read == Read::cut);
        return true;
    }

    /// What is cut out goes with the comma behind it, so that a row of such is one cut.
    void end_of_value(const char* begin, bool is_cut) {
        cursor_.skip_space();
        if (is_cut) cut(begin, cursor_.look() == ',' ? cursor_.at() + 1 : cursor_.at());
    }

    bool read_late(Frame& frame) {
        const char* before = cursor_.at();
        const JsonCursor::Detour detour(cursor_, frame.late);
        const bool is_hashing = kept_from_ != nullptr;
        if (is_hashing) {
            hash_up_to(before);
            parser_.fingerprint_.add(std::uint64_t{tag_late} << 32);
            kept_from_ = cursor_.at();
        }
        reading_late_ = true;
        tape_.add(JsonKind::key, frame.late_member->name);
        ++frame.count;
        if (!read_array(*frame.late_member->shape, &frame)) return false;
        reading_late_ = false;
        if (is_hashing) {
            hash_up_to(cursor_.at());
            parser_.fingerprint_.add(std::uint64_t{tag_late_end} << 32);
            kept_from_ = before;
        }
        return true;
    }

    // The shape

    /// Of the member's value; nullptr: nobody reads it.
    const Shape* member_shape(Frame& frame, std::string_view key) {
        if (frame.shape->kind == ShapeKind::map) {
            if (counts_bytes(frame)) parser_.annotation_bytes_ += key.size();
            const bool is_kept =
                frame.shape->role != ShapeRole::annotations || core::is_kept_annotation(key);
            return is_kept ? &map_value : nullptr;
        }
        const ShapeMember* member = frame.shape->find(first_word_of(key), key);
        if (member == nullptr) return nullptr;
        // Of equal members the first counts.
        const ShapeRole role = member->shape->role;
        if (role == ShapeRole::metadata) {
            in_first_metadata_ = !std::exchange(metadata_seen_, true);
        } else if (role == ShapeRole::annotations) {
            counting_ = in_first_metadata_ && !annotations_seen_;
            annotations_seen_ = annotations_seen_ || in_first_metadata_;
        } else if (role == ShapeRole::late) {
            if (std::exchange(frame.late_seen, true) && !reading_late_) return nullptr;
            frame.late_member = member;
        }
        return member->shape;
    }

    /// A key may also be a copy.
    std::uint64_t first_word_of(std::string_view key) const {
        return cursor_.is_in_text(key.data()) ? first_word(key, cursor_.end()) : first_word(key);
    }

    /// Of the contents only these three.
    static bool is_unhashed(const Frame& frame, std::string_view key) {
        return frame.shape->role == ShapeRole::contents && key != "metadata" && key != "spec" &&
               key != "status";
    }

    /// The root object's frame: one of each, or there would be something left to find.
    bool has_all_but_late(const Frame& root) const {
        for (const ShapeMember& member : root.shape->members) {
            const bool is_late = member.shape->role == ShapeRole::late;
            if (!is_late && !tape_.has_member(JsonTape::root, member.name)) return false;
        }
        return root.parent == nullptr;
    }

    bool counts_bytes(const Frame& frame) const {
        return counting_ && frame.shape->role == ShapeRole::annotations;
    }

    /// What the API server writes first tells conditions apart. Any other spelling is read whole.
    bool is_other_condition(const Shape& shape) const {
        constexpr std::string_view first = "{\"type\":";
        if (shape.role != ShapeRole::condition ||
            static_cast<std::size_t>(cursor_.end() - cursor_.at()) <= first.size() ||
            std::memcmp(cursor_.at(), first.data(), first.size()) != 0) {
            return false;
        }
        const auto type = cursor_.find_plain_string(cursor_.at() + first.size());
        return type && *type != shape.detail;
    }

    /// Arguments that are certainly none of a driver; the others mark their container.
    bool is_other_command(const Shape& shape, Frame* container) const {
        if (shape.role != ShapeRole::arguments) return false;
        const char* at = cursor_.find_unspace(cursor_.at() + 1);
        if (at < cursor_.end() && *at != '"') return true;
        const auto command = cursor_.find_plain_string(at);
        const bool other = command && *command != shape.detail;
        if (!other) container->has_driver = true;
        return other;
    }

    FilteredParser& parser_;
    JsonTape& tape_;
    JsonCursor cursor_;
    const char* kept_from_ = nullptr;  ///< nullptr: what is read now is no part of the fingerprint
    bool stops_at_late_ = false;
    bool has_stopped_ = false;  ///< there, and not at the end
    bool reading_late_ = false;
    bool metadata_seen_ = false;
    bool in_first_metadata_ = false;
    bool annotations_seen_ = false;
    bool counting_ = false;
};

FilteredParser::FilteredParser(std::uint64_t fingerprint_seed)
    : memory_(std::make_unique<Memory>()), fingerprint_(fingerprint_seed) {}

FilteredParser::~FilteredParser() = default;

void FilteredParser::clear() {
    memory_->clear();
    fingerprint_.clear();
    annotation_bytes_ = 0;
    root_late_ = nullptr;
    head_ = nullptr;
}

core::Result<core::Done> FilteredParser::parse(std::string_view text, const Shape& shape) {
    clear();
    Walker walker(*this, text, text.data());
    if (!walker.read_root(shape) || !walker.ends_here()) return walker.problem();
    return core::Done{};
}

core::Result<core::Done> FilteredParser::parse_head(std::string_view text, const Shape& shape) {
    clear();
    Walker walker(*this, text, text.data());
    if (!walker.read_head(shape)) return walker.problem();
    if (walker.has_stopped()) head_ = &shape;
    return core::Done{};
}

core::Result<core::Done> FilteredParser::for_each_object(
    std::string_view text,
    const Shape& element,
    const std::function<core::Result<core::Done>()>& visit) {
    ENSURE(root_late_ != nullptr);
    const Shape* head = head_;
    Walker walker(*this, text, root_late_);
    walker.open_array();
    for (std::size_t count = 0;; ++count) {
        const auto is_there = walker.next_element(count);
        if (!is_there) return walker.problem();
        clear();
        if (!*is_there) break;
        if (!walker.is_at_object()) return core::Error{"items: expected an array of objects"};
        if (!walker.read_root(element)) return walker.problem();
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
        const auto tell = [this](Document& document) { return memory_->tape.tell(document); };
        memory_->document.Populate(tell);
        memory_->is_made = true;
    }
    return memory_->document;
}

std::uint64_t FilteredParser::fingerprint() const {
    return std::max<std::uint64_t>(fingerprint_.value(), 1);
}

}  // namespace k8s
