#include "k8s/json_filter.hpp"

#include "core/pod.hpp"
#include "k8s/json_scan.hpp"

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

bool is_space(char c) {
    return static_cast<unsigned char>(c) <= ' ' &&
           (c == ' ' || c == '\n' || c == '\t' || c == '\r');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool may_be_in_number(char c) {
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

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

    /// A copy that lives as long as the document.
    std::string_view keep(std::string_view text) {
        if (text.empty()) return "";
        char* copy = static_cast<char*>(pool.Malloc(text.size()));
        std::memcpy(copy, text.data(), text.size());
        return {copy, text.size()};
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
          begin_(text.data()),
          end_(text.data() + text.size()),
          at_(at),
          first_scanner_(at, end_),
          scanner_(&first_scanner_) {}

    bool read_root(const Shape& shape) {
        reset();
        skip_space();
        return read_value(shape, nullptr) != Read::failed;
    }

    bool ends_here() {
        skip_space();
        return at_ == end_ ? !scanner_->has_nul() : fail("something follows the document");
    }

    /// As read_root(), but up to the late array if nothing that matters can follow it.
    bool read_head(const Shape& shape) {
        stops_at_late_ = true;
        return read_root(shape) && (has_stopped_ ? !scanner_->has_nul() : ends_here());
    }
    bool has_stopped() const { return has_stopped_; }

    // The array of for_each_object() itself.

    void open_array() { ++at_; }

    /// The array's closing bracket, and if a head has not been read to its end, what comes behind.
    bool close_array(const Shape* head) {
        ++at_;
        if (head == nullptr) return true;
        Frame frame{head};
        frame.late_seen = true;
        for (skip_space(); look() == ',';) {
            ++at_;
            if (!read_member(frame)) return false;
        }
        if (look() != '}') return fail("expected a comma or }");
        ++at_;
        return ends_here();
    }

    /// Whether there is one more element, after `count` of them; nothing: what is there is neither
    /// an element nor the end.
    std::optional<bool> next_element(std::size_t count) {
        skip_space();
        const char c = look();
        if (c == ']') return false;
        if (count > 0) {
            if (c != ',') {
                fail("expected a comma or ]");
                return std::nullopt;
            }
            ++at_;
            skip_space();
        }
        return true;
    }
    bool is_at_object() const { return look() == '{'; }

    core::Error problem() const {
        const std::string where = " (byte " + std::to_string(at_ - begin_) + ")";
        const bool has_nul = first_scanner_.has_nul() || (at_ < end_ && *at_ == '\0');
        const char* what = has_nul                              ? "it contains a NUL byte"
                           : at_ >= end_ || problem_ == nullptr ? "it ends too early"
                                                                : problem_;
        return core::Error{"this is not JSON: " + std::string(what) + where};
    }

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

    // The text

    char look() const { return at_ < end_ ? *at_ : '\0'; }

    void skip_space() {
        while (at_ < end_ && is_space(*at_)) ++at_;
    }

    /// Past a colon and the spaces around it. What the API server writes has none.
    bool take_colon() {
        if (end_ - at_ < 2 || at_[0] != ':' || is_space(at_[1])) {
            skip_space();
            if (look() != ':') return fail("expected a colon");
            ++at_;
            skip_space();
            return true;
        }
        ++at_;
        return true;
    }

    /// The first problem is what is wrong.
    bool fail(const char* what) {
        if (problem_ == nullptr) problem_ = what;
        return false;
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

    // Scalars

    /// A string or key: what it says, which is in the text itself if it is plain. Nothing: it is
    /// none. An odd one is valid until the next odd one unless it is to be kept.
    std::optional<std::string_view> read_string(bool is_kept) {
        const auto [close, is_plain] = scanner_->find_string_end(at_);
        if (close == nullptr) {
            fail("a string never ends");
            at_ = end_;
            return std::nullopt;
        }
        const char* open = std::exchange(at_, close + 1);
        if (is_plain) return std::string_view(open + 1, static_cast<std::size_t>(close - open - 1));
        const auto scalar =
            parser_.memory_->scalars.read({open, static_cast<std::size_t>(at_ - open)});
        if (!scalar) {
            at_ = open;
            fail("a string with a wrong escape or encoding");
            return std::nullopt;
        }
        return is_kept ? parser_.memory_->keep(scalar->text) : scalar->text;
    }

    bool take_word(std::string_view word) {
        if (static_cast<std::size_t>(end_ - at_) < word.size() ||
            std::memcmp(at_, word.data(), word.size()) != 0) {
            return fail("not a value");
        }
        at_ += word.size();
        return true;
    }

    /// A scalar that is no string. What follows must be a separator, which whoever called sees to.
    std::optional<JsonScalar> read_other() {
        const auto word = [this](std::string_view text, JsonKind kind) {
            return take_word(text) ? std::optional(JsonScalar{kind, 0, {}}) : std::nullopt;
        };
        switch (look()) {
            case 'n':
                return word("null", JsonKind::null);
            case 't':
                return word("true", JsonKind::true_value);
            case 'f':
                return word("false", JsonKind::false_value);
            default:
                return read_number();
        }
    }

    std::optional<JsonScalar> read_number() {
        constexpr std::ptrdiff_t digits_max = 18;
        const char* first = at_;
        const char* at = at_;
        std::uint64_t number = 0;
        for (; at < end_ && is_digit(*at) && at - first <= digits_max; ++at) {
            number = number * 10 + static_cast<std::uint64_t>(*at - '0');
        }
        const std::ptrdiff_t digits = at - first;
        const bool is_whole =
            digits > 0 && (at == end_ || !may_be_in_number(*at)) && (*first != '0' || digits == 1);
        if (is_whole && digits <= digits_max) {
            at_ = at;
            return JsonScalar{JsonKind::natural, number, {}};
        }
        while (at < end_ && may_be_in_number(*at)) ++at;
        const auto scalar =
            parser_.memory_->scalars.read({first, static_cast<std::size_t>(at - first)});
        if (!scalar) {
            fail("not a value");
            return std::nullopt;
        }
        at_ = at;
        return scalar;
    }

    // Values

    /// An object or array from its opening bracket to behind its closing one.
    bool skip_nested() {
        const char* closing = scanner_->find_closing(at_);
        if (closing == nullptr) {
            at_ = end_;
            return fail("a bracket is never closed");
        }
        if (*closing != (*at_ == '{' ? '}' : ']')) return fail("a bracket is closed by another");
        at_ = closing + 1;
        return true;
    }

    bool skip_value(const Frame& frame) {
        const char c = look();
        if (c == '{' || c == '[') return skip_nested();
        if (c != '"') return read_other().has_value();
        const auto text = read_string(false);
        if (text && counts_bytes(frame)) parser_.annotation_bytes_ += text->size();
        return text.has_value();
    }

    Read read_value(const Shape& shape, Frame* frame) {
        switch (look()) {
            case '"':
                return read_text(shape, frame);
            case '{':
                return read_object_place(shape, frame);
            case '[':
                return read_array_place(shape, frame);
            default:
                break;
        }
        const auto scalar = read_other();
        if (!scalar) return Read::failed;
        tape_.add(scalar->kind, scalar->bits);
        return Read::kept;
    }

    Read read_text(const Shape& shape, Frame* frame) {
        const char* open = at_;
        const auto text = read_string(true);
        if (!text) return Read::failed;
        if (frame != nullptr && counts_bytes(*frame)) parser_.annotation_bytes_ += text->size();
        tape_.add(JsonKind::text, *text);
        if (shape.role == ShapeRole::version) cut(open, at_);
        return Read::kept;
    }

    Read read_object_place(const Shape& shape, Frame* frame) {
        if (is_other_condition(shape)) return skip_nested() ? Read::cut : Read::failed;
        if (shape.kind == ShapeKind::object || shape.kind == ShapeKind::map) {
            return read_object(shape, frame) ? Read::kept : Read::failed;
        }
        return read_emptied(JsonKind::object);
    }

    Read read_array_place(const Shape& shape, Frame* frame) {
        if (shape.role == ShapeRole::late && !reading_late_) {
            frame->late = at_;
            has_stopped_ = stops_at_late_ && has_all_but_late(*frame);
            if (has_stopped_) return Read::cut;
            return skip_nested() ? Read::cut : Read::failed;
        }
        if (shape.kind == ShapeKind::array && !is_other_command(shape, frame)) {
            return read_array(shape, frame) ? Read::kept : Read::failed;
        }
        return read_emptied(JsonKind::array);
    }

    /// Its brackets stay.
    Read read_emptied(JsonKind kind) {
        const char* open = at_;
        if (!skip_nested()) return Read::failed;
        const JsonTape::Place place = tape_.size();
        tape_.add(kind);
        tape_.close(place, 0);
        cut(open + 1, at_ - 1);
        return Read::kept;
    }

    bool read_object(const Shape& shape, Frame* parent) {
        Frame frame{&shape, parent};
        const JsonTape::Place place = tape_.size();
        tape_.add(JsonKind::object);
        ++at_;
        if (shape.role == ShapeRole::contents) kept_from_ = at_;
        skip_space();
        if (look() != '}') {
            for (;; ++at_) {
                if (!read_member(frame)) return false;
                if (look() != ',' || has_stopped_) break;
            }
            if (look() != '}' && !has_stopped_) return fail("expected a comma or }");
        }
        if (frame.has_driver && frame.late != nullptr && !read_late(frame)) return false;
        if (shape.role == ShapeRole::container && frame.has_driver) {
            parent->parent->has_driver = true;  // the spec, above the array
        }
        if (parent == nullptr) parser_.root_late_ = frame.late;
        if (shape.role == ShapeRole::contents) {
            if (kept_from_ != nullptr) hash_up_to(at_);
            kept_from_ = nullptr;
        }
        tape_.close(place, frame.count);
        ++at_;
        return true;
    }

    /// From its key to what follows its value.
    bool read_member(Frame& frame) {
        skip_space();
        const char* begin = at_;
        if (look() != '"') return fail("expected the name of a member");
        const auto key = read_string(true);
        if (!key) return false;
        const Shape* shape = member_shape(frame, *key);
        if (!take_colon()) return false;
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
        ++at_;
        skip_space();
        if (look() != ']') {
            for (;; ++at_) {
                if (!read_element(frame)) return false;
                if (look() != ',') break;
            }
            if (look() != ']') return fail("expected a comma or ]");
        }
        tape_.close(place, frame.count);
        ++at_;
        return true;
    }

    bool read_element(Frame& frame) {
        skip_space();
        const char* begin = at_;
        const Read read = read_value(*frame.shape->element, &frame);
        if (read == Read::failed) return false;
        frame.count += read == Read::kept ? 1 : 0;
        end_of_value(begin, read == Read::cut);
        return true;
    }

    /// What is cut out goes with the comma behind it, so that a row of such is one cut.
    void end_of_value(const char* begin, bool is_cut) {
        skip_space();
        if (is_cut) cut(begin, look() == ',' ? at_ + 1 : at_);
    }

    bool read_late(Frame& frame) {
        JsonScanner scanner(frame.late, end_);
        const char* before = std::exchange(at_, frame.late);
        JsonScanner* scanner_before = std::exchange(scanner_, &scanner);
        const bool is_hashing = kept_from_ != nullptr;
        if (is_hashing) {
            hash_up_to(before);
            parser_.fingerprint_.add(std::uint64_t{tag_late} << 32);
            kept_from_ = at_;
        }
        reading_late_ = true;
        tape_.add(JsonKind::key, frame.late_member->name);
        ++frame.count;
        const bool is_read = read_array(*frame.late_member->shape, &frame);
        reading_late_ = false;
        scanner_ = scanner_before;
        if (!is_read) return false;
        if (is_hashing) {
            hash_up_to(at_);
            parser_.fingerprint_.add(std::uint64_t{tag_late_end} << 32);
            kept_from_ = before;
        }
        at_ = before;
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
        const bool is_in_text = key.data() >= begin_ && key.data() < end_;
        return is_in_text ? first_word(key, end_) : first_word(key);
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

    /// The string at `at`, if it is as it is written and can be seen before it is read.
    std::optional<std::string_view> find_plain_string(const char* at) const {
        if (at >= end_ || *at != '"') return std::nullopt;
        const std::string_view rest(at + 1, static_cast<std::size_t>(end_ - at - 1));
        const std::size_t size = rest.find('"');
        if (size == std::string_view::npos) return std::nullopt;
        const std::string_view text = rest.substr(0, size);
        return text.find('\\') == std::string_view::npos ? std::optional(text) : std::nullopt;
    }

    /// What the API server writes first tells conditions apart. Any other spelling is read whole.
    bool is_other_condition(const Shape& shape) const {
        constexpr std::string_view first = "{\"type\":";
        if (shape.role != ShapeRole::condition ||
            static_cast<std::size_t>(end_ - at_) <= first.size() ||
            std::memcmp(at_, first.data(), first.size()) != 0) {
            return false;
        }
        const auto type = find_plain_string(at_ + first.size());
        return type && *type != shape.detail;
    }

    /// Arguments that are certainly none of a driver; the others mark their container.
    bool is_other_command(const Shape& shape, Frame* container) const {
        if (shape.role != ShapeRole::arguments) return false;
        const char* at = at_ + 1;
        while (at < end_ && is_space(*at)) ++at;
        if (at < end_ && *at != '"') return true;
        const auto command = find_plain_string(at);
        const bool other = command && *command != shape.detail;
        if (!other) container->has_driver = true;
        return other;
    }

    FilteredParser& parser_;
    JsonTape& tape_;
    const char* begin_;
    const char* end_;
    const char* at_;
    JsonScanner first_scanner_;
    JsonScanner* scanner_;
    const char* kept_from_ = nullptr;  ///< nullptr: what is read now is no part of the fingerprint
    const char* problem_ = nullptr;
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
