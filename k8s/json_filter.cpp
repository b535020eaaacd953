#include "k8s/json_filter.hpp"

#include "core/pod.hpp"
#include "k8s/json_skip.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace k8s {
namespace {

using rapidjson::SizeType;
using Document =
    rapidjson::GenericDocument<rapidjson::UTF8<>, rapidjson::MemoryPoolAllocator<>, StackBlock>;

constexpr std::size_t pool_bytes = 64 * 1024;
constexpr std::size_t stack_bytes = 16 * 1024;
constexpr std::size_t stack_bytes_kept = 1024 * 1024;
constexpr std::size_t depth_max = 16;  // of the deepest shape, with room

constexpr unsigned part_flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                                rapidjson::kParseStopWhenDoneFlag;
constexpr unsigned whole_flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag;
constexpr unsigned checked = rapidjson::kParseValidateEncodingFlag;

/// Tags of the fingerprint.
enum Tag : std::uint32_t {
    tag_null = 1,
    tag_false,
    tag_true,
    tag_integer,
    tag_double,
    tag_text,
    tag_key,
    tag_object,
    tag_array,
    tag_end,
    tag_version
};

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char* skip_space(char* at) {
    while (is_space(*at)) ++at;
    return at;
}

/// The string whose opening quote is at `at`, if it has no escapes: what it says can be seen before
/// it is parsed.
std::optional<std::string_view> find_plain_string(const char* at, const char* end) {
    if (*at != '"') return std::nullopt;
    const auto* close =
        static_cast<const char*>(std::memchr(at + 1, '"', static_cast<std::size_t>(end - at - 1)));
    if (close == nullptr) return std::nullopt;
    const std::string_view text(at + 1, static_cast<std::size_t>(close - at - 1));
    return text.find('\\') == std::string_view::npos ? std::optional(text) : std::nullopt;
}

core::Error describe(const rapidjson::ParseResult& result, std::size_t offset) {
    return core::Error{
        std::string("this is not JSON: ") + rapidjson::GetParseError_En(result.Code()) + " (byte " +
        std::to_string(offset) + ")"};
}

const ShapeMember* find_shape(const Shape& object, std::string_view name) {
    const auto found = std::find_if(
        object.members.begin(), object.members.end(), [name](const ShapeMember& member) {
            // Most names differ in what is looked at without a call.
            return member.name.size() == name.size() &&
                   (name.empty() || (member.name.front() == name.front() && member.name == name));
        });
    return found == object.members.end() ? nullptr : &*found;
}

}  // namespace

void* StackBlock::Realloc(void*, std::size_t old_bytes, std::size_t bytes) {
    if (bytes > capacity_) {
        auto larger = std::make_unique_for_overwrite<char[]>(bytes);
        if (old_bytes > 0) std::memcpy(larger.get(), block_.get(), old_bytes);
        block_ = std::move(larger);
        capacity_ = bytes;
    }
    return block_.get();
}

void StackBlock::give_back_if_large() {
    if (capacity_ > stack_bytes_kept) {
        block_.reset();
        capacity_ = 0;
    }
}

JsonText::JsonText(char* text, std::size_t size) : begin(text), end(text + size) {
    const TextTraits traits = look_at({text, size});
    ascii = traits.ascii;
    has_nul = traits.has_nul;
    cut = ends_inside_a_character({text, size});
    ENSURE(*end == '\0');
}

struct FilteredParser::Memory {
    Memory()
        : buffer(std::make_unique_for_overwrite<char[]>(pool_bytes)),
          pool(buffer.get(), pool_bytes),
          document(&pool, stack_bytes, &stack) {}

    void clear() {
        document.SetNull();
        pool.Clear();
        stack.give_back_if_large();
    }

    std::unique_ptr<char[]> buffer;
    StackBlock stack;
    rapidjson::MemoryPoolAllocator<> pool;
    Document document;
    rapidjson::Reader reader;
    rapidjson::Reader late_reader;
};

/// What is open is a frame. A key waits until it is known what becomes of its value.
class FilteredParser::Handler {
public:
    Handler(
        FilteredParser& parser,
        Document& document,
        rapidjson::InsituStringStream& stream,
        const JsonText& text,
        const Shape& shape)
        : parser_(parser),
          document_(document),
          fingerprint_(parser.fingerprint_),
          stream_(&stream),
          text_(text),
          next_(&shape) {}

    bool Null() {
        return scalar(tag_null, 0, [this] { return document_.Null(); });
    }
    bool Bool(bool b) {
        return scalar(b ? tag_true : tag_false, 0, [=, this] { return document_.Bool(b); });
    }
    bool Int(int i) {
        const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(i));
        return scalar(tag_integer, bits, [=, this] { return document_.Int(i); });
    }
    bool Uint(unsigned i) {
        return scalar(tag_integer, i, [=, this] { return document_.Uint(i); });
    }
    bool Int64(std::int64_t i) {
        const auto bits = static_cast<std::uint64_t>(i);
        return scalar(tag_integer, bits, [=, this] { return document_.Int64(i); });
    }
    bool Uint64(std::uint64_t i) {
        return scalar(tag_integer, i, [=, this] { return document_.Uint64(i); });
    }
    bool Double(double d) {
        const auto bits = std::bit_cast<std::uint64_t>(d);
        return scalar(tag_double, bits, [=, this] { return document_.Double(d); });
    }
    bool RawNumber(const char*, SizeType, bool) { return false; }

    bool String(const char* text, SizeType length, bool) {
        const Shape* shape = value_shape();
        if (counts_bytes()) parser_.annotation_bytes_ += length;
        if (shape == nullptr) return true;
        flush_key();
        if (hashing_ && shape->role != ShapeRole::version) {
            fingerprint_.add(tag_text, {text, length});
        } else if (hashing_) {
            fingerprint_.add(tag_version, {});
        }
        return document_.String(text, length, false);
    }

    bool Key(const char* text, SizeType length, bool) {
        const std::string_view key(text, length);
        Frame& frame = top();
        next_ = frame.shape->kind == ShapeKind::map ? &map_value : member_shape(frame, key);
        if (frame.shape->role == ShapeRole::annotations) {
            if (counts_bytes()) parser_.annotation_bytes_ += length;
            if (!core::is_kept_annotation(key)) next_ = nullptr;
        }
        key_ = key;
        return true;
    }

    bool StartObject() {
        const Shape* shape = value_shape();
        if (shape == nullptr || is_other_condition(*shape)) return jump();
        flush_key();
        open(tag_object);
        document_.StartObject();
        if (shape->kind == ShapeKind::object || shape->kind == ShapeKind::map) {
            push(*shape);
            return true;
        }
        document_.EndObject(0);
        return jump();
    }

    bool EndObject(SizeType) {
        if (std::exchange(jumped_, false)) return true;
        Frame& frame = top();
        if (frame.has_driver && frame.late != nullptr && !read_late(frame)) return false;
        if (frame.shape->role == ShapeRole::container && frame.has_driver) {
            frames_[depth_ - 3].has_driver = true;  // the spec, above the array
        }
        if (depth_ == 1) parser_.root_late_ = frame.late;
        if (frame.shape->role == ShapeRole::contents) hashing_ = false;
        open(tag_end);
        document_.EndObject(frame.count);
        --depth_;
        return true;
    }

    bool StartArray() {
        const Shape* shape = value_shape();
        if (shape == nullptr) return jump();
        if (shape->role == ShapeRole::late && !reading_late_) {
            top().late = stream_->src_;
            return jump();
        }
        flush_key();
        open(tag_array);
        document_.StartArray();
        if (shape->kind == ShapeKind::array && !is_other_command(*shape)) {
            push(*shape);
            return true;
        }
        document_.EndArray(0);
        return jump();
    }

    bool EndArray(SizeType) {
        if (std::exchange(jumped_, false)) return true;
        open(tag_end);
        document_.EndArray(top().count);
        --depth_;
        return true;
    }

private:
    struct Frame {
        const Shape* shape = nullptr;
        SizeType count = 0;       ///< members or elements passed on
        bool late_seen = false;   ///< its late member was there: another one does not count
        bool has_driver = false;  ///< of a container or its spec
        char* late = nullptr;     ///< where its late array begins
        const ShapeMember* late_member = nullptr;
    };

    static constexpr Shape map_value{};

    Frame& top() { return frames_[depth_ - 1]; }

    void push(const Shape& shape) {
        ENSURE(depth_ < depth_max);
        frames_[depth_++] = Frame{&shape};
    }

    bool in_array() const {
        return depth_ > 0 && frames_[depth_ - 1].shape->kind == ShapeKind::array;
    }

    /// Of the value that begins now; nullptr: nobody reads it.
    const Shape* value_shape() { return in_array() ? top().shape->element : next_; }

    bool counts_bytes() {
        return depth_ > 0 && counting_ && top().shape->role == ShapeRole::annotations;
    }

    const Shape* member_shape(Frame& frame, std::string_view key) {
        const ShapeMember* member = find_shape(*frame.shape, key);
        const Shape* shape = member == nullptr ? nullptr : member->shape;
        if (frame.shape->role == ShapeRole::contents) {
            hashing_ = key == "metadata" || key == "spec" || key == "status";
        }
        if (shape == nullptr) return nullptr;
        // Of equal members the first counts.
        if (shape->role == ShapeRole::metadata) {
            in_first_metadata_ = !std::exchange(metadata_seen_, true);
        } else if (shape->role == ShapeRole::annotations) {
            counting_ = in_first_metadata_ && !annotations_seen_;
            annotations_seen_ = annotations_seen_ || in_first_metadata_;
        } else if (shape->role == ShapeRole::late) {
            if (std::exchange(frame.late_seen, true) && !reading_late_) return nullptr;
            frame.late_member = member;
        }
        return shape;
    }

    template <typename Forward>
    bool scalar(Tag tag, std::uint64_t bits, const Forward& forward) {
        if (value_shape() == nullptr) return true;
        flush_key();
        if (hashing_) {
            const std::uint64_t low = bits & 0xffffffff;
            fingerprint_.add(static_cast<std::uint64_t>(tag) << 32);
            fingerprint_.add(low);
            fingerprint_.add(bits >> 32);
        }
        return forward();
    }

    void open(Tag tag) {
        if (hashing_) fingerprint_.add(static_cast<std::uint64_t>(tag) << 32);
    }

    /// The value is passed on: so is its key, and the frame counts it.
    void flush_key() {
        if (depth_ == 0) return;
        ++top().count;
        if (in_array()) return;
        if (hashing_) fingerprint_.add(tag_key, key_);
        document_.Key(key_.data(), static_cast<SizeType>(key_.size()), false);
    }

    /// From an opening bracket, which the parser takes next, to right before its closing one. If it
    /// has none, to the end, where the parser finds that out.
    bool jump() {
        char* at = stream_->src_;
        const char* closing = find_closing({at + 1, static_cast<std::size_t>(text_.end - at - 1)});
        stream_->src_ = closing == nullptr ? text_.end - 1 : at + (closing - at) - 1;
        jumped_ = true;
        return true;
    }

    /// What the API server writes first tells conditions apart. Any other spelling is read whole.
    bool is_other_condition(const Shape& shape) const {
        constexpr std::string_view first = "{\"type\":";
        const char* at = stream_->src_;
        if (shape.role != ShapeRole::condition ||
            static_cast<std::size_t>(text_.end - at) <= first.size() ||
            std::memcmp(at, first.data(), first.size()) != 0) {
            return false;
        }
        const auto type = find_plain_string(at + first.size(), text_.end);
        return type && *type != shape.detail;
    }

    /// Arguments that are certainly none of a driver; the others mark their container.
    bool is_other_command(const Shape& shape) {
        if (shape.role != ShapeRole::arguments) return false;
        const char* at = skip_space(stream_->src_ + 1);
        if (*at != '"') return true;
        const auto command = find_plain_string(at, text_.end);
        const bool other = command && *command != shape.detail;
        if (!other) top().has_driver = true;
        return other;
    }

    bool read_late(Frame& frame) {
        rapidjson::InsituStringStream late(frame.late);
        rapidjson::InsituStringStream* before = std::exchange(stream_, &late);
        reading_late_ = true;
        key_ = frame.late_member->name;
        next_ = frame.late_member->shape;
        rapidjson::Reader& reader = parser_.memory_->late_reader;
        const bool read = text_.ascii ? !reader.Parse<part_flags>(late, *this).IsError()
                                      : !reader.Parse<part_flags | checked>(late, *this).IsError();
        reading_late_ = false;
        stream_ = before;
        return read;
    }

    FilteredParser& parser_;
    Document& document_;
    protocol::Fingerprint& fingerprint_;
    rapidjson::InsituStringStream* stream_;
    const JsonText& text_;
    const Shape* next_;  ///< of the next value that is no element
    std::string_view key_;
    std::array<Frame, depth_max> frames_;
    std::size_t depth_ = 0;
    bool jumped_ = false;  ///< the next bracket closes what was passed over
    bool hashing_ = false;
    bool reading_late_ = false;
    bool metadata_seen_ = false;
    bool in_first_metadata_ = false;
    bool annotations_seen_ = false;
    bool counting_ = false;
};

FilteredParser::FilteredParser(std::uint64_t fingerprint_seed)
    : memory_(std::make_unique<Memory>()), fingerprint_(fingerprint_seed) {}

FilteredParser::~FilteredParser() = default;

template <unsigned flags>
core::Result<char*> FilteredParser::run(const JsonText& text, char* at, const Shape& shape) {
    memory_->clear();
    fingerprint_.clear();
    annotation_bytes_ = 0;
    root_late_ = nullptr;
    if (text.has_nul) return core::Error{"this is not JSON: it contains a NUL byte"};
    if (text.cut) return core::Error{"this is not JSON: it ends inside a character"};
    rapidjson::InsituStringStream stream(at);
    rapidjson::ParseResult result;
    const auto generate = [&](Document& document) {
        Handler handler(*this, document, stream, text, shape);
        result = memory_->reader.template Parse<flags>(stream, handler);
        return !result.IsError();
    };
    memory_->document.Populate(generate);
    if (result.IsError()) {
        return describe(result, static_cast<std::size_t>(at - text.begin) + result.Offset());
    }
    return stream.src_;
}

core::Result<core::Done> FilteredParser::parse(const JsonText& text, const Shape& shape) {
    const auto read = text.ascii ? run<whole_flags>(text, text.begin, shape)
                                 : run<whole_flags | checked>(text, text.begin, shape);
    return read ? core::Result<core::Done>(core::Done{}) : read.error();
}

core::Result<char*> FilteredParser::parse_value(
    const JsonText& text, char* at, const Shape& shape) {
    return text.ascii ? run<part_flags>(text, at, shape)
                      : run<part_flags | checked>(text, at, shape);
}

const rapidjson::Value& FilteredParser::root() const {
    return memory_->document;
}

std::uint64_t FilteredParser::fingerprint() const {
    return std::max<std::uint64_t>(fingerprint_.value(), 1);
}

namespace {

/// Sees only the array and that its elements are objects.
class ElementsHandler {
public:
    ElementsHandler(
        rapidjson::InsituStringStream& stream,
        const std::function<core::Result<char*>(char*)>& visit)
        : stream_(stream), visit_(visit) {}

    bool Null() { return refuse(); }
    bool Bool(bool) { return refuse(); }
    bool Int(int) { return refuse(); }
    bool Uint(unsigned) { return refuse(); }
    bool Int64(std::int64_t) { return refuse(); }
    bool Uint64(std::uint64_t) { return refuse(); }
    bool Double(double) { return refuse(); }
    bool RawNumber(const char*, SizeType, bool) { return refuse(); }
    bool String(const char*, SizeType, bool) { return refuse(); }
    bool Key(const char*, SizeType, bool) { return refuse(); }
    bool StartArray() { return !std::exchange(begun_, true) || refuse(); }
    bool EndArray(SizeType) { return true; }
    bool EndObject(SizeType) { return true; }

    /// The parser takes the opening bracket next and then finds the closing one.
    bool StartObject() {
        const core::Result<char*> end = visit_(stream_.src_);
        if (!end) {
            problem_ = end.error();
            return false;
        }
        stream_.src_ = *end - 2;
        return true;
    }

    const std::optional<core::Error>& problem() const { return problem_; }

private:
    bool refuse() {
        problem_ = core::Error{"items: expected an array of objects"};
        return false;
    }

    rapidjson::InsituStringStream& stream_;
    const std::function<core::Result<char*>(char*)>& visit_;
    std::optional<core::Error> problem_;
    bool begun_ = false;
};

}  // namespace

core::Result<core::Done> for_each_object(
    const JsonText& text, char* at, const std::function<core::Result<char*>(char*)>& visit) {
    rapidjson::Reader reader;
    rapidjson::InsituStringStream stream(at);
    ElementsHandler handler(stream, visit);
    const rapidjson::ParseResult result = reader.Parse<part_flags>(stream, handler);
    if (handler.problem()) return *handler.problem();
    if (result.IsError()) {
        return describe(result, static_cast<std::size_t>(at - text.begin) + result.Offset());
    }
    return core::Done{};
}

}  // namespace k8s
