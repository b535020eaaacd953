#pragma once
// A JSON document as the row of its tokens, each with its place in the text: cheap to make, cheap
// to look something up in near its root, and to be made a RapidJSON document of when somebody
// wants more. Included only from .cpp files.

#include "k8s/json/json.hpp"
#include "k8s/json/scan/json_scalar.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace k8s {

struct JsonToken {
    const char* text = nullptr;  ///< of a string or key, unescaped
    std::uint64_t value = 0;     ///< its length; a number's bits; at an end: of how many
    std::uint32_t next = 0;      ///< of an opening one: the token behind its end
    JsonKind kind = JsonKind::null;

    std::string_view view() const { return {text, static_cast<std::size_t>(value)}; }
};

class JsonTape {
public:
    using Place = std::uint32_t;
    static constexpr Place root = 0;

    void clear() { tokens_.clear(); }
    void give_back_if_large();
    Place size() const { return static_cast<Place>(tokens_.size()); }

    void add(JsonKind kind, std::uint64_t bits = 0) { tokens_.push_back({nullptr, bits, 0, kind}); }
    void add(JsonKind kind, std::string_view text) {
        tokens_.push_back({text.data(), text.size(), 0, kind});
    }
    /// Takes back what was added from here on.
    void cut(Place from) { tokens_.resize(from); }
    /// Ends the object or array that was opened at `open` and has `count` members or elements.
    void close(Place open, std::uint64_t count) {
        const bool is_object = tokens_[open].kind == JsonKind::object;
        add(is_object ? JsonKind::object_end : JsonKind::array_end, count);
        tokens_[open].next = size();
    }

    /// Of an object that may still be open, null or not.
    bool has_member(Place object, std::string_view name) const;
    bool is_object(Place place) const { return tokens_[place].kind == JsonKind::object; }
    /// As find_member() of the document: the first of this name, nothing if that is null or if this
    /// is no object.
    std::optional<Place> find(Place object, std::string_view name) const;
    /// The member if it is a string.
    std::string_view text_of(
        Place object, std::string_view name, std::string_view fallback = {}) const;

    /// Tells a RapidJSON handler, which may keep the strings' addresses.
    template <typename Handler>
    bool tell(Handler& handler) const {
        for (const JsonToken& token : tokens_) {
            if (!tell(handler, token)) return false;
        }
        return true;
    }

private:
    /// Behind a member's value.
    Place behind(Place value) const {
        const JsonKind kind = tokens_[value].kind;
        const bool is_open = kind == JsonKind::object || kind == JsonKind::array;
        return is_open ? tokens_[value].next : value + 1;
    }

    // Inlined: a call for each token is 3.6 % of reading a page of pods (instructions).
    template <typename Handler>
    [[gnu::always_inline]] static inline bool tell(Handler& handler, const JsonToken& token);

    std::vector<JsonToken> tokens_;
};

template <typename Handler>
bool JsonTape::tell(Handler& handler, const JsonToken& token) {
    const auto length = static_cast<rapidjson::SizeType>(token.value);
    switch (token.kind) {
        case JsonKind::null:
            return handler.Null();
        case JsonKind::false_value:
            return handler.Bool(false);
        case JsonKind::true_value:
            return handler.Bool(true);
        case JsonKind::integer:
            return handler.Int64(static_cast<std::int64_t>(token.value));
        case JsonKind::natural:
            return handler.Uint64(token.value);
        case JsonKind::real: {
            double number = 0;
            static_assert(sizeof number == sizeof token.value);
            std::memcpy(&number, &token.value, sizeof number);
            return handler.Double(number);
        }
        case JsonKind::text:
            return handler.String(token.text, length, false);
        case JsonKind::key:
            return handler.Key(token.text, length, false);
        case JsonKind::object:
            return handler.StartObject();
        case JsonKind::object_end:
            return handler.EndObject(length);
        case JsonKind::array:
            return handler.StartArray();
        case JsonKind::array_end:
            return handler.EndArray(length);
    }
    return false;
}

}  // namespace k8s
