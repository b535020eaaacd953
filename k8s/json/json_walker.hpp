#pragma once
// Goes through a JSON text along a shape: what the shape names goes onto the tape and into the
// fingerprint, all else is passed over. What is JSON, where one is and what a member is for are the
// cursor's and the place's business. Recursion is as deep as the shape is. Included only from .cpp
// files.

#include "core/base/result.hpp"
#include "k8s/json/json_kept.hpp"
#include "k8s/json/json_memory.hpp"
#include "k8s/json/json_place.hpp"
#include "k8s/json/json_shape.hpp"
#include "k8s/json/scan/json_cursor.hpp"
#include "k8s/json/scan/json_tape.hpp"
#include "k8s/protocol/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace k8s {

class JsonWalker {
public:
    /// At a place of the text that is outside of any string. Memory and fingerprint are written to.
    JsonWalker(
        JsonMemory& memory,
        protocol::Fingerprint& fingerprint,
        std::string_view text,
        const char* at)
        : tape_(memory.tape), cursor_(text, at, memory.scalars, memory.pool), kept_(fingerprint) {}

    bool read_root(const Shape& shape);
    /// As read_root(), but up to the late array if nothing that matters can follow it.
    bool read_head(const Shape& shape);
    bool has_stopped() const { return has_stopped_; }
    bool ends_here() { return cursor_.ends_here(); }
    core::Error problem() const { return cursor_.problem(); }

    // The array of for_each_object() itself.

    void open_array() { cursor_.pass(); }
    /// The array's closing bracket, and if a head has not been read to its end, what comes behind.
    bool close_array(const Shape* head);
    /// Whether there is one more element, after `count` of them; nothing: what is there is neither
    /// an element nor the end.
    std::optional<bool> next_element(std::size_t count);
    bool is_at_object() const { return cursor_.look() == '{'; }

    /// Of the last root: bytes of its contents' annotations, and where its late array begins;
    /// nullptr if it has none.
    std::size_t annotation_bytes() const { return place_.annotation_bytes(); }
    const char* late() const { return late_; }

private:
    enum class Read : std::uint8_t { failed, kept, cut };

    // Inline for the one file that has them: the compiler makes a few large functions of these.
    inline bool skip_value(const JsonFrame& frame);
    inline Read read_value(const Shape& shape, JsonFrame* frame);
    inline Read read_text(const Shape& shape, JsonFrame* frame);
    inline Read read_object_place(const Shape& shape, JsonFrame* frame);
    inline Read read_array_place(const Shape& shape, JsonFrame* frame);
    /// Its brackets stay.
    inline Read read_emptied(JsonKind kind);
    inline bool read_object(const Shape& shape, JsonFrame* parent);
    /// From its key to what follows its value.
    inline bool read_member(JsonFrame& frame);
    inline bool read_array(const Shape& shape, JsonFrame* parent);
    inline bool read_element(JsonFrame& frame);
    /// What is cut out goes with the comma behind it, so that a row of such is one cut.
    inline void end_of_value(const char* begin, bool is_cut);
    inline bool read_late(JsonFrame& frame);

    JsonTape& tape_;
    JsonCursor cursor_;
    JsonKept kept_;
    JsonPlace place_;
    const char* late_ = nullptr;
    bool stops_at_late_ = false;
    bool has_stopped_ = false;  ///< there, and not at the end
};

}  // namespace k8s
