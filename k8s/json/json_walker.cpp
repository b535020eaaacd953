#include "k8s/json/json_walker.hpp"

namespace k8s {

namespace {

/// One of these words, each followed by a space, is in the text.
bool has_word_of(std::string_view words, std::string_view text) {
    for (std::size_t end = words.find(' '); end != std::string_view::npos; end = words.find(' ')) {
        if (text.find(words.substr(0, end)) != std::string_view::npos) return true;
        words.remove_prefix(end + 1);
    }
    return false;
}

}  // namespace

bool JsonWalker::read_root(const Shape& shape) {
    kept_.drop();
    late_ = nullptr;
    place_ = JsonPlace();
    cursor_.skip_space();
    return read_value(shape, nullptr) != Read::failed;
}

bool JsonWalker::read_head(const Shape& shape) {
    stops_at_late_ = true;
    return read_root(shape) && (has_stopped_ ? !cursor_.has_nul() : cursor_.ends_here());
}

bool JsonWalker::close_array(const Shape* head) {
    cursor_.pass();
    if (head == nullptr) return true;
    JsonFrame frame{head};
    frame.late_seen = true;
    for (cursor_.skip_space(); cursor_.look() == ',';) {
        cursor_.pass();
        if (!read_member(frame)) return false;
    }
    if (cursor_.look() != '}') return cursor_.fail("expected a comma or }");
    cursor_.pass();
    return cursor_.ends_here();
}

std::optional<bool> JsonWalker::next_element(std::size_t count) {
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

bool JsonWalker::skip_value(const JsonFrame& frame) {
    const char c = cursor_.look();
    if (c == '{' || c == '[') return cursor_.skip_nested();
    if (c != '"') return cursor_.read_other().has_value();
    const auto text = cursor_.read_string(false);
    if (text) place_.count(frame, *text);
    return text.has_value();
}

JsonWalker::Read JsonWalker::read_value(const Shape& shape, JsonFrame* frame) {
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

JsonWalker::Read JsonWalker::read_text(const Shape& shape, JsonFrame* frame) {
    const char* open = cursor_.at();
    const auto text = cursor_.read_string(true);
    if (!text) return Read::failed;
    if (frame != nullptr) place_.count(*frame, *text);
    tape_.add(JsonKind::text, *text);
    if (shape.role == ShapeRole::version) kept_.cut(open, cursor_.at());
    return Read::kept;
}

JsonWalker::Read JsonWalker::read_object_place(const Shape& shape, JsonFrame* frame) {
    if (JsonPlace::is_other_condition(shape, cursor_))
        return cursor_.skip_nested() ? Read::cut : Read::failed;
    if (shape.kind == ShapeKind::object || shape.kind == ShapeKind::map) {
        return read_object(shape, frame) ? Read::kept : Read::failed;
    }
    return read_emptied(JsonKind::object);
}

JsonWalker::Read JsonWalker::read_array_place(const Shape& shape, JsonFrame* frame) {
    if (shape.role == ShapeRole::late && !place_.is_in_late) {
        frame->late = cursor_.at();
        has_stopped_ = stops_at_late_ && JsonPlace::has_all_but_late(*frame, tape_);
        if (has_stopped_) return Read::cut;
        if (!cursor_.skip_nested()) return Read::failed;
        const std::string_view skipped(frame->late, cursor_.at() - frame->late);
        frame->late_wanted = has_word_of(shape.detail, skipped);
        return Read::cut;
    }
    if (shape.kind == ShapeKind::array && !JsonPlace::is_other_command(shape, frame, cursor_)) {
        return read_array(shape, frame) ? Read::kept : Read::failed;
    }
    return read_emptied(JsonKind::array);
}

JsonWalker::Read JsonWalker::read_emptied(JsonKind kind) {
    const char* open = cursor_.at();
    if (!cursor_.skip_nested()) return Read::failed;
    const JsonTape::Place place = tape_.size();
    tape_.add(kind);
    tape_.close(place, 0);
    kept_.cut(open + 1, cursor_.at() - 1);
    return Read::kept;
}

bool JsonWalker::read_object(const Shape& shape, JsonFrame* parent) {
    JsonFrame frame{&shape, parent};
    const JsonTape::Place place = tape_.size();
    tape_.add(JsonKind::object);
    cursor_.pass();
    if (shape.role == ShapeRole::contents) kept_.open(cursor_.at());
    cursor_.skip_space();
    if (cursor_.look() != '}') {
        for (;; cursor_.pass()) {
            if (!read_member(frame)) return false;
            if (cursor_.look() != ',' || has_stopped_) break;
        }
        if (cursor_.look() != '}' && !has_stopped_) return cursor_.fail("expected a comma or }");
    }
    if ((frame.has_driver || frame.late_wanted) && frame.late != nullptr && !read_late(frame)) {
        return false;
    }
    if (shape.role == ShapeRole::container && frame.has_driver) {
        parent->parent->has_driver = true;  // the spec, above the array
    }
    if (parent == nullptr) late_ = frame.late;
    if (shape.role == ShapeRole::contents) kept_.close(cursor_.at());
    tape_.close(place, frame.count);
    cursor_.pass();
    return true;
}

bool JsonWalker::read_member(JsonFrame& frame) {
    cursor_.skip_space();
    const char* begin = cursor_.at();
    if (cursor_.look() != '"') return cursor_.fail("expected the name of a member");
    const auto key = cursor_.read_string(true);
    if (!key) return false;
    const Shape* shape = place_.member_shape(frame, *key, cursor_);
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
    end_of_value(begin, read == Read::cut || JsonPlace::is_unhashed(frame, *key));
    return true;
}

bool JsonWalker::read_array(const Shape& shape, JsonFrame* parent) {
    JsonFrame frame{&shape, parent};
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

bool JsonWalker::read_element(JsonFrame& frame) {
    cursor_.skip_space();
    const char* begin = cursor_.at();
    const Read read = read_value(*frame.shape->element, &frame);
    if (read == Read::failed) return false;
    frame.count += read == Read::kept ? 1 : 0;
    end_of_value(begin, read == Read::cut);
    return true;
}

void JsonWalker::end_of_value(const char* begin, bool is_cut) {
    cursor_.skip_space();
    if (is_cut) kept_.cut(begin, cursor_.look() == ',' ? cursor_.at() + 1 : cursor_.at());
}

bool JsonWalker::read_late(JsonFrame& frame) {
    const char* before = cursor_.at();
    const JsonCursor::Detour detour(cursor_, frame.late);
    const bool is_kept = kept_.is_open();
    if (is_kept) kept_.leave_for_late(before, cursor_.at());
    place_.is_in_late = true;
    tape_.add(JsonKind::key, frame.late_member->name);
    ++frame.count;
    if (!read_array(*frame.late_member->shape, &frame)) return false;
    place_.is_in_late = false;
    if (is_kept) kept_.return_from_late(cursor_.at(), before);
    return true;
}

}  // namespace k8s
