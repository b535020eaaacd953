#pragma once
// Where in a document one is, and what a member there is for: the shape says what is read, these
// rules what else it depends on. Included only from .cpp files.

#include "core/value/device/card_dialect.hpp"
#include "core/value/pod.hpp"
#include "k8s/json/json_shape.hpp"
#include "k8s/json/scan/json_cursor.hpp"
#include "k8s/json/scan/json_tape.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace k8s {

/// An object or array that is open.
struct JsonFrame {
    const Shape* shape = nullptr;
    JsonFrame* parent = nullptr;
    std::uint64_t count = 0;     ///< members or elements kept
    bool late_seen = false;      ///< its late member was there: another one does not count
    bool has_driver = false;     ///< of a container or its spec
    bool late_wanted = false;    ///< its late array has in it what makes it worth reading
    const char* late = nullptr;  ///< where its late array begins
    const ShapeMember* late_member = nullptr;
};

/// Of one document, member after member.
class JsonPlace {
public:
    /// Of the member's value; nullptr: nobody reads it.
    const Shape* member_shape(JsonFrame& frame, std::string_view key, const JsonCursor& cursor) {
        if (frame.shape->kind == ShapeKind::map) {
            count(frame, key);
            const bool is_kept = frame.shape->role == ShapeRole::annotations
                                     ? core::is_kept_annotation(key)
                                     : frame.shape->role != ShapeRole::node_annotations ||
                                           core::is_card_annotation(key);
            return is_kept ? &map_value : nullptr;
        }
        const ShapeMember* member = frame.shape->find(first_word_of(key, cursor), key);
        if (member == nullptr) return nullptr;
        // Of equal members the first counts.
        const ShapeRole role = member->shape->role;
        if (role == ShapeRole::metadata) {
            in_first_metadata_ = !std::exchange(metadata_seen_, true);
        } else if (role == ShapeRole::annotations) {
            counting_ = in_first_metadata_ && !annotations_seen_;
            annotations_seen_ = annotations_seen_ || in_first_metadata_;
        } else if (role == ShapeRole::late) {
            if (std::exchange(frame.late_seen, true) && !is_in_late) return nullptr;
            frame.late_member = member;
        }
        return member->shape;
    }

    /// Of the contents only these three.
    static bool is_unhashed(const JsonFrame& frame, std::string_view key) {
        return frame.shape->role == ShapeRole::contents && key != "metadata" && key != "spec" &&
               key != "status";
    }

    /// The root object's frame: one of each, or there would be something left to find.
    static bool has_all_but_late(const JsonFrame& root, const JsonTape& tape) {
        for (const ShapeMember& member : root.shape->members) {
            const bool is_late = member.shape->role == ShapeRole::late;
            if (!is_late && !tape.has_member(JsonTape::root, member.name)) return false;
        }
        return root.parent == nullptr;
    }

    /// What the API server writes first tells conditions apart. Any other spelling is read whole.
    static bool is_other_condition(const Shape& shape, const JsonCursor& cursor) {
        constexpr std::string_view first = "{\"type\":";
        if (shape.role != ShapeRole::condition ||
            static_cast<std::size_t>(cursor.end() - cursor.at()) <= first.size() ||
            std::memcmp(cursor.at(), first.data(), first.size()) != 0) {
            return false;
        }
        const auto type = cursor.find_plain_string(cursor.at() + first.size());
        return type && *type != shape.detail;
    }

    /// Arguments that are certainly none of a driver; the others mark their container.
    static bool is_other_command(
        const Shape& shape, JsonFrame* container, const JsonCursor& cursor) {
        if (shape.role != ShapeRole::arguments) return false;
        const char* at = cursor.find_unspace(cursor.at() + 1);
        if (at < cursor.end() && *at != '"') return true;
        const auto command = cursor.find_plain_string(at);
        const bool other = command && *command != shape.detail;
        if (!other) container->has_driver = true;
        return other;
    }

    /// Bytes of the annotations so far: all keys and values.
    std::size_t annotation_bytes() const { return annotation_bytes_; }
    void count(const JsonFrame& frame, std::string_view text) {
        if (counting_ && frame.shape->role == ShapeRole::annotations) {
            annotation_bytes_ += text.size();
        }
    }

    bool is_in_late = false;  ///< a late array is read now

private:
    static constexpr Shape map_value{};

    /// A key may also be a copy.
    static std::uint64_t first_word_of(std::string_view key, const JsonCursor& cursor) {
        return cursor.is_in_text(key.data()) ? first_word(key, cursor.end()) : first_word(key);
    }

    std::size_t annotation_bytes_ = 0;
    bool metadata_seen_ = false;
    bool in_first_metadata_ = false;
    bool annotations_seen_ = false;
    bool counting_ = false;
};

}  // namespace k8s
